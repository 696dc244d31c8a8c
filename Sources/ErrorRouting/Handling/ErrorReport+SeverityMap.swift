extension ErrorReport {
    /// Returns how much the report matters.
    ///
    /// For a failure, the first matching rule of the map decides. If the map returns nil, or for any other report,
    /// ``severity`` is used.
    ///
    /// ```swift
    /// let severities = ErrorMap<ErrorReport.Severity?>().on(matching: .status(404), .info)
    /// logger.log(level: .init(rawValue: report.severity(by: severities).rawValue) ?? .error, "\(report.message)")
    /// ```
    ///
    /// A rule with the value nil has no opinion: `.on(Late.self, nil)` leaves errors of the type to ``severity``. Convert
    /// a table whose values aren't optional: `table.map { $0 }`. Its default then applies to every failure.
    ///
    /// - Parameter map: The severities of errors; nil for errors that keep their severity.
    /// - Returns: The severity.
    /// - Complexity: That of a lookup in the map.
    public func severity(by map: ErrorMap<Severity?>) -> Severity {
        guard role == .failure else { return severity }
        return map[error] ?? severity
    }
}
