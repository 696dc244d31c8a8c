import BoundedDescriptions
import Foundation

/// A report as one structured line of `key=value` fields; free text is quoted.
///
/// Each text has at most 16 KiB after escaping: the message, each metadata value, and the message of each error in the
/// trail.
struct ErrorLine {
    let text: String

    /// A field whose text may have to be redacted.
    enum Field {
        case message
        case metadata(key: String)
    }

    /// Makes the line of a report with all its fields.
    ///
    /// - Parameters:
    ///   - report: The report to print.
    ///   - redact: Returns the text to print for the message, each metadata value, or the message of an error in the
    ///     trail; nil to print all as it is. It gets the text before it is escaped or cut.
    init(_ report: ErrorReport, redacting redact: ((String, Field) -> String)? = nil) {
        // Texts that cannot be redacted must not be printed.
        guard PerThread.mayEnterText else {
            self = ErrorLine(naming: report)
            return
        }
        func redacted(_ text: String, _ field: Field) -> String {
            OneLine.inQuotes(redact.map { redact in ErrorText.ask { redact(text, field) } ?? BoundedText.mark } ?? text)
        }
        let error = report.error
        var fields = [OneLine.bare(report.role.name)]
        fields.append("type=\(OneLine.bare(ErrorText.typeName(of: error)))")
        fields.append("message=\"\(redacted(ErrorText.message(of: error), .message))\"")
        if let code = ErrorText.code(of: error) {
            fields.append("domain=\(OneLine.bare(code.domain))")
            fields.append("code=\(code.code)")
        }
        fields.append("source=\(OneLine.bare(report.source.description))")
        if !report.scope.isEmpty { fields.append("scope=\(OneLine.bare(report.scope.joined(separator: "/")))") }
        for (key, value) in report.metadata.sorted(by: { $0.key < $1.key }) {
            fields.append("metadata.\(OneLine.bare(key))=\"\(redacted(value, .metadata(key: key)))\"")
        }
        let trail = report.underlyingErrors.map { error in
            "\(OneLine.inQuotes(ErrorText.typeName(of: error))): \(redacted(ErrorText.message(of: error), .message))"
        }
        if !trail.isEmpty { fields.append("trail=\"\(trail.joined(separator: " < "))\"") }
        if report.occurrences != 1 { fields.append("occurrences=\(report.occurrences)") }
        text = fields.joined(separator: " ")
    }

    /// Makes a line of type and source alone; calls no code of the user's.
    init(naming report: ErrorReport) {
        text = "\(Self.head(of: report)) source=\(OneLine.bare(report.source.description))"
    }

    /// Makes a line of type, source, and a text in place of all other fields.
    init(_ report: ErrorReport, saying text: String) {
        let source = OneLine.bare(report.source.description)
        self.text = "\(Self.head(of: report)) message=\(OneLine.quoted(text)) source=\(source)"
    }

    private static func head(of report: ErrorReport) -> String {
        "\(OneLine.bare(report.role.name)) type=\(OneLine.bare(ErrorText.typeName(of: report.error)))"
    }
}
