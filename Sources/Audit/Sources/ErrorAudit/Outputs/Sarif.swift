import Foundation

/// Creates a SARIF 2.1.0 log with the properties that code scanning reads.
enum Sarif {
    /// Returns the log of a result.
    static func log(_ result: Audit.Result) -> JSON {
        let rules = Kind.allCases.map { kind -> JSON in
            ["id": .text(kind.rawValue), "shortDescription": ["text": .text(kind.summary)]]
        }
        let driver: JSON = [
            "name": "error-audit", "version": .text(Audit.version), "semanticVersion": .text(Audit.version),
            "rules": .list(rules),
        ]
        let unread = result.unread.map { unread -> JSON in
            ["level": "error", "message": ["text": .text("\(unread)")]]
        }
        let invocation: JSON = [
            "executionSuccessful": .truth(unread.isEmpty), "toolExecutionNotifications": .list(unread),
        ]
        let run: JSON = [
            "tool": ["driver": driver], "invocations": .list([invocation]), "columnKind": "unicodeCodePoints",
            "results": .list(result.findings.map(entry)),
        ]
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": .list([run]),
        ]
    }

    private static func entry(_ finding: Finding) -> JSON {
        let identity = finding.identity
        let region: JSON = ["startLine": .number(finding.line), "startColumn": .number(finding.column)]
        let location: JSON = [
            "physicalLocation": [
                "artifactLocation": ["uri": .text(uri(identity.path))], "region": region,
            ]
        ]
        return [
            "ruleId": .text(identity.kind.rawValue), "level": finding.harmless == nil ? "warning" : "note",
            "rank": .number(finding.score), "locations": .list([location]),
            "message": ["text": .text(finding.message)],
            "partialFingerprints": [
                "finding/v2": .text("\(identity.kind.rawValue) \(identity.function) \(identity.call)")
            ],
        ]
    }

    /// Returns a path as an RFC 3986 URI reference.
    static func uri(_ path: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+=@")
        let encoded = path.addingPercentEncoding(withAllowedCharacters: plain) ?? path
        return path.hasPrefix("/") ? "file://" + encoded : encoded
    }
}

/// A JSON value.
enum JSON: Encodable, ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    case text(String), number(Int), truth(Bool), list([JSON]), object([String: JSON])

    init(stringLiteral value: String) { self = .text(value) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Dictionary(uniqueKeysWithValues: elements)) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .truth(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
