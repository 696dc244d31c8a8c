extension ErrorReport {
    /// Returns how much the report matters, using a map of severities.
    ///
    /// For a failure, the first matching rule of the map decides. If the map returns nil, or if the report isn't a
    /// failure, ``severity`` is used.
    ///
    /// ```swift
    /// let severities = ErrorMap<ErrorReport.Severity?>().on(matching: .status(404), .info)
    /// logger.log(level: .init(rawValue: report.severity(by: severities).rawValue) ?? .error, "\(report.message)")
    /// ```
    ///
    /// Use a rule with the value nil to keep the severity of certain errors: `.on(Late.self, nil)` leaves errors of
    /// that type to ``severity``. To use a table with values that aren't optional, convert it: `table.map { $0 }`. Its
    /// default then applies to every failure.
    ///
    /// - Parameter map: The severities of errors; nil for errors that keep their severity.
    /// - Returns: The severity from the map, or ``severity``.
    /// - Complexity: The same as a lookup in the map.
    public func severity(by map: ErrorMap<Severity?>) -> Severity {
        guard role == .failure else { return severity }
        return map[error] ?? severity
    }
}
