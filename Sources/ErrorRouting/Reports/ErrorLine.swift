import BoundedDescriptions
import Foundation

/// A report as one structured line of `key=value` fields; free text is quoted.
///
/// The message, each metadata value, and the message of each underlying error are at most 16 KiB long after escaping.
struct ErrorLine {
    let text: String

    /// Creates a report's line with all fields.
    init(_ report: ErrorReport) {
        let described = report.described
        let (message, reflected) = described.messageAndFields
        var fields = [OneLine.bare(report.role.name)]
        fields.append("type=\(OneLine.bare(described.typeName))")
        if let kind = described.givenKind { fields.append("kind=\(OneLine.bare(kind))") }
        fields.append("message=\(OneLine.quoted(message))")
        if let code = ErrorText.code(of: report.error) {
            fields.append("domain=\(OneLine.bare(code.domain))")
            fields.append("code=\(code.code)")
        }
        fields.append("source=\(OneLine.bare(report.source.description))")
        if let origin = described.origin { fields.append("thrown=\(OneLine.bare(origin.description))") }
        if !report.scope.isEmpty { fields.append("scope=\(OneLine.bare(report.scope.joined(separator: "/")))") }
        for (key, value) in report.metadata.sorted(by: { $0.key < $1.key }) {
            fields.append("metadata.\(OneLine.bare(key))=\(OneLine.quoted(value))")
        }
        let trail = report.underlyingErrors(reflected).map { error in
            let cause = report.described(error)
            return "\(OneLine.inQuotes(cause.typeName)): \(OneLine.inQuotes(cause.message))"
        }
        if !trail.isEmpty { fields.append("trail=\"\(trail.joined(separator: " < "))\"") }
        if report.occurrences != 1 { fields.append("occurrences=\(report.occurrences)") }
        text = fields.joined(separator: " ")
    }

    /// Creates a line with the type, the source, and the given message, if any; doesn't call user code.
    init(naming report: ErrorReport, message: String? = nil) {
        text =
            "\(report.role.name) type=\(OneLine.bare(ErrorText.typeName(of: report.error)))"
            + (message.map { " message=\(OneLine.quoted($0))" } ?? "")
            + " source=\(OneLine.bare(report.source.description))"
    }

    /// Creates a line with the type, the source, and a string that replaces all other fields.
    ///
    /// The closure returns that string, which is escaped and truncated.
    init(_ report: ErrorReport, redacting redact: (ErrorReport) -> String) {
        self.init(naming: report, message: PerThread.inUserCode { redact(report) })
    }
}
