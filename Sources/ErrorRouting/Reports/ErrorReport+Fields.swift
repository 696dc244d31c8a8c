extension ErrorReport {
    /// What the report says, as fields of a structured log entry, or as an exporter's attributes.
    ///
    /// What scopes, provider and poster gave along stands under its own keys; beside it:
    ///
    /// | key | value |
    /// | --- | --- |
    /// | `error.type` | ``typeName`` |
    /// | `error.fingerprint` | ``fingerprint`` |
    /// | `error.source` | file and line where it was posted |
    /// | `error.disposition` | what became of it so far, `handled` say |
    /// | `error.rule` | the rule that stopped, else the last that matched; where one did |
    /// | `error.scope` | the path of scopes, `checkout/payment` say; where it was posted in one |
    /// | `error.trail` | the errors under it, from the outside in; where there are any |
    /// | `error.occurrences` | how many errors it stands for; where these are more than one |
    ///
    /// These go before metadata of the same name. Each value is one line, escaped and bounded as ``message`` is, which
    /// is not among them: a log has a place of its own for it.
    ///
    /// ```swift
    /// logger.error("\(report.message)", metadata: report.fields.mapValues { "\($0)" })
    /// ```
    ///
    /// - Complexity: That of ``trail``; they are made whenever they are asked for.
    public var fields: [String: String] {
        var fields = metadata.mapValues(OneLine.escaped)
        fields["error.type"] = typeName
        fields["error.fingerprint"] = fingerprint
        fields["error.source"] = OneLine.escaped(source.description)
        fields["error.disposition"] = outcome.disposition.rawValue
        if let rule = outcome.rule { fields["error.rule"] = OneLine.escaped(rule.description) }
        if !scope.isEmpty { fields["error.scope"] = OneLine.escaped(scope.joined(separator: "/")) }
        let trail = trail
        if !trail.isEmpty { fields["error.trail"] = trail.map(\.description).joined(separator: " < ") }
        if occurrences > 1 { fields["error.occurrences"] = "\(occurrences)" }
        return fields
    }
}
