extension ErrorReport {
    /// Returns how much the report matters.
    ///
    /// For a failure, a matching rule of the map decides; otherwise ``severity`` does.
    ///
    /// ```swift
    /// let severities = ErrorMap(default: ErrorReport.Severity.error).on(matching: .status(404), .info)
    /// logger.log(level: .init(rawValue: report.severity(by: severities).rawValue) ?? .error, "\(report.message)")
    /// ```
    ///
    /// - Parameter map: The severities of errors. Its default is not used.
    /// - Returns: The severity.
    /// - Complexity: That of a lookup in the map.
    public func severity(by map: ErrorMap<Severity>) -> Severity {
        guard role == .failure else { return severity }
        return map.match(error)?.value ?? severity
    }
}
