import Foundation

/// A report as one structured line: `key=value`, quoted where it is free text, never more than one line.
///
/// Each text in it has at most 16 KiB as it is written: the message, each value of the metadata, what each error of the
/// trail says.
struct ErrorLine {
    let text: String

    /// A text that may have to be redacted.
    enum Field {
        case message
        case metadata(key: String)
    }

    /// - Parameters:
    ///   - report: The report to print.
    ///   - redact: What is printed in place of the message and of each metadata value. It gets them whole, before
    ///     anything is escaped or cut.
    init(
        _ report: ErrorReport, redacting redact: (String, Field) -> String = { text, _ in text }
    ) {
        // What cannot be redacted is not printed.
        guard ErrorText.mayAsk else {
            text = Self.naming(report)
            return
        }
        func redacted(_ text: String, _ field: Field) -> String {
            OneLine.inQuotes(ErrorText.ask { redact(text, field) } ?? BoundedText.mark)
        }
        let error = report.error
        var fields = ["error"]
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

    /// The line that asks nobody: type and source.
    init(naming report: ErrorReport) {
        text = Self.naming(report)
    }

    /// The line with a text in place of all that the error, and who posted it, has to say.
    init(_ report: ErrorReport, saying text: String) {
        let type = OneLine.bare(ErrorText.typeName(of: report.error))
        let source = OneLine.bare(report.source.description)
        self.text = "error type=\(type) message=\(OneLine.quoted(text)) source=\(source)"
    }

    private static func naming(_ report: ErrorReport) -> String {
        let type = OneLine.bare(ErrorText.typeName(of: report.error))
        return "error type=\(type) source=\(OneLine.bare(report.source.description))"
    }
}
