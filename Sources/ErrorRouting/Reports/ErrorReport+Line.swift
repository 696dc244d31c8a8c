import BoundedDescriptions

extension ErrorReport {
    /// Returns the report as one structured line of `key=value` fields; free text is quoted.
    ///
    /// The message, each metadata value, and the message of each underlying error are at most 16 KiB long after
    /// escaping. If a closure is given, the line is instead a ``shortLine(_:)`` with the string that it returns, which
    /// is escaped and truncated too.
    func structuredLine(redacting redact: ((ErrorReport) -> String)? = nil) -> String {
        if let redact { return shortLine(PerThread.inUserCode { redact(self) }) }
        let described = described
        let (message, reflected) = described.messageAndFields
        var fields = [OneLine.bare(role.name)]
        fields.append("type=\(OneLine.bare(described.typeName))")
        if let kind = described.details?.kind { fields.append("kind=\(OneLine.bare(kind))") }
        fields.append("message=\(OneLine.quoted(message))")
        if let code = ErrorText.domainAndCode(of: error) {
            fields.append("domain=\(OneLine.bare(code.domain))")
            fields.append("code=\(code.code)")
        }
        fields.append("source=\(OneLine.bare(source.description))")
        if let origin = described.origin { fields.append("thrown=\(OneLine.bare(origin.description))") }
        if !scope.isEmpty { fields.append("scope=\(OneLine.bare(scope.joined(separator: "/")))") }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            fields.append("metadata.\(OneLine.bare(key))=\(OneLine.quoted(value))")
        }
        let trail = underlyingErrors(reflected).map { error in
            let cause = self.described(error)
            return "\(OneLine.inQuotes(cause.typeName)): \(OneLine.inQuotes(cause.message))"
        }
        if !trail.isEmpty { fields.append("trail=\"\(trail.joined(separator: " < "))\"") }
        if occurrences != 1 { fields.append("occurrences=\(occurrences)") }
        return fields.joined(separator: " ")
    }

    /// Returns a line with the type, the source, and the given message, if any; doesn't call user code.
    func shortLine(_ message: String? = nil) -> String {
        "\(OneLine.bare(role.name)) type=\(OneLine.bare(typeName))"
            + (message.map { " message=\(OneLine.quoted($0))" } ?? "")
            + " source=\(OneLine.bare(source.description))"
    }
}
