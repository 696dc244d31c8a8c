public import ErrorRouting
import Foundation

extension SentryEvent {
    /// The name and version of this client.
    static let client = "\(clientName)/\(clientVersion)"
    static let clientName = "swift-error-bus.swift"
    static let clientVersion = "0.1.0"

    /// The values that are the same for all events of a process.
    struct Process: Sendable {
        let release: String?
        let environment: String
        let serverName: String?
    }

    init(_ report: ErrorReport, level: SentryLevel, tags: [String: String], of process: Process) {
        let texts = report.texts
        id = UUID().uuidString.lowercased().filter { $0 != "-" }
        timestamp = report.date
        self.level = level
        logger = report.source.module
        transaction = report.scope.isEmpty ? nil : report.scope.joined(separator: "/")
        (serverName, release, environment) = (process.serverName, process.release, process.environment)
        fingerprint = [texts.fingerprint]
        self.tags = tags
        isHandled = report.outcome.isHandled

        var metadata = report.metadata
        trace = metadata["traceparent"].flatMap(Trace.init)
        if trace != nil { metadata["traceparent"] = nil }
        extra = metadata
        // Leave the line out if the source is a route, which doesn't have a line.
        extra["error.source"] = report.source.description
        if let rule = report.outcome.rule { extra["error.rule"] = rule.description }
        if report.occurrences > 1 { extra["error.occurrences"] = "\(report.occurrences)" }

        var exception = Exception(texts.typeName, kind: texts.kindName, message: texts.message)
        (exception.domain, exception.code) = (texts.domainAndCode?.domain, texts.domainAndCode?.code)
        exception.frames = texts.origin?.frames ?? []
        exceptions =
            [exception]
            + texts.trail.map { step in
                // Extract the kind: the fingerprint is the type with its kind, or with a domain and a code in
                // parentheses.
                let kind = step.fingerprint.dropFirst(step.typeName.count)
                return Exception(
                    step.typeName, kind: kind.first == "." ? String(kind.dropFirst()) : nil, message: step.message)
            }
    }

    /// Returns the default tags of an event: the same dimensions as the counter in ErrorRoutingMetrics.
    ///
    /// - Parameter report: The report of the event.
    /// - Returns: The disposition, the role, the type with its kind, and the type of the first cause, or `none`.
    public static func dimensions(of report: ErrorReport) -> [String: String] {
        let texts = report.texts
        return [
            "disposition": report.outcome.disposition.rawValue, "role": report.role.name,
            "type": texts.kindName.map { "\(texts.typeName).\($0)" } ?? texts.typeName,
            "cause": texts.trail.first?.typeName ?? "none",
        ]
    }
}

extension SentryEvent.Exception {
    fileprivate init(_ typeName: String, kind: String?, message: String) {
        // Split the type's name, which begins with its module.
        let parts = typeName.split(separator: ".", maxSplits: 1)
        let name = parts.count == 2 ? String(parts[1]) : typeName
        self.init(
            type: kind.map { "\(name).\($0)" } ?? name, value: message,
            module: parts.count == 2 ? String(parts[0]) : nil)
    }
}
