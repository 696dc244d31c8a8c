import Foundation

/// Creates a SARIF 2.1.0 log with the properties that code scanning reads.
enum Sarif {
    /// Returns the log of a result as JSON.
    static func log(_ result: Audit.Result) throws -> String {
        let driver: [String: Any] = [
            "name": "error-audit", "version": Audit.version, "semanticVersion": Audit.version,
            "rules": Kind.allCases.map { ["id": $0.rawValue, "shortDescription": ["text": $0.summary]] },
        ]
        let unread = result.unread.map { ["level": "error", "message": ["text": "\($0)"]] }
        let run: [String: Any] = [
            "tool": ["driver": driver], "columnKind": "unicodeCodePoints", "results": result.findings.map(entry),
            "invocations": [["executionSuccessful": unread.isEmpty, "toolExecutionNotifications": unread]],
        ]
        let log: [String: Any] = [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
        ]
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: log, options: options), as: UTF8.self)
    }

    private static func entry(_ finding: Finding) -> [String: Any] {
        let identity = finding.identity
        let place: [String: Any] = [
            "artifactLocation": ["uri": uri(identity.path)],
            "region": ["startLine": finding.line, "startColumn": finding.column],
        ]
        return [
            "ruleId": identity.kind.rawValue, "level": finding.harmless == nil ? "warning" : "note",
            "rank": finding.score, "locations": [["physicalLocation": place]], "message": ["text": finding.message],
            "partialFingerprints": ["finding/v2": "\(identity.kind.rawValue) \(identity.function) \(identity.call)"],
        ]
    }

    /// Returns a path as an RFC 3986 URI reference.
    static func uri(_ path: String) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let plain = CharacterSet(charactersIn: letters + "0123456789-._~/+=@")
        let encoded = path.addingPercentEncoding(withAllowedCharacters: plain) ?? path
        return path.hasPrefix("/") ? "file://" + encoded : encoded
    }
}
