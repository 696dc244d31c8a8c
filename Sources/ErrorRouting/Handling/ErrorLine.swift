import Foundation

/// A report as one structured line: `key=value`, quoted where it is free text, never more than one line.
struct ErrorLine {
    let text: String

    /// - Parameters:
    ///   - report: The report to print.
    ///   - redact: What is printed in place of the message and of each metadata value.
    init(
        _ report: ErrorReport, redacting redact: (String, ErrorHandler.RedactableField) -> String = { text, _ in text }
    ) {
        let error = report.error
        var fields = ["error"]
        fields.append("type=\(ErrorText.bare(ErrorText.typeName(of: error)))")
        fields.append("message=\(ErrorText.quoted(redact(ErrorText.message(of: error), .message)))")
        if ErrorText.hasDomainOfItsOwn(error) {
            let error = error as NSError
            fields.append("domain=\(ErrorText.bare(error.domain))")
            fields.append("code=\(error.code)")
        }
        fields.append("source=\(ErrorText.bare(report.source.description))")
        if !report.scope.isEmpty { fields.append("scope=\(ErrorText.bare(report.scope.joined(separator: "/")))") }
        for (key, value) in report.metadata.sorted(by: { $0.key < $1.key }) {
            fields.append("metadata.\(ErrorText.bare(key))=\(ErrorText.quoted(redact(value, .metadata(key: key))))")
        }
        let trail = report.trail.map { "\($0.type): \(redact($0.description, .message))" }
        if !trail.isEmpty { fields.append("trail=\(ErrorText.quoted(trail.joined(separator: " < ")))") }
        if report.occurrences != 1 { fields.append("occurrences=\(report.occurrences)") }
        text = fields.joined(separator: " ")
    }
}
