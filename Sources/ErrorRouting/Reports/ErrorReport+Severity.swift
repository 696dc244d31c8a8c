extension ErrorReport {
    /// How much a report matters; the cases have the names of swift-log's levels.
    ///
    /// ```swift
    /// logger.log(level: .init(rawValue: report.severity.rawValue) ?? .error, "\(report.message)")
    /// ```
    public enum Severity: String, Sendable, Hashable, CaseIterable, Codable {
        // In the order of `<`.
        case trace, debug, info, notice, warning, error, critical
    }

    /// How much the report matters, as determined by its role and its outcome.
    ///
    /// | report | severity |
    /// | --- | --- |
    /// | a notice | `notice` |
    /// | an attempt, or a role that the application defines | `info` |
    /// | a failure that was ignored | `debug` |
    /// | a failure that a rule handled | `notice` |
    /// | a failure that no rule matched, that was dropped, or that is pending | `error` |
    /// | an ``ActionFailure`` | `error` |
    /// | ``ErrorsDropped`` | `critical` |
    ///
    /// To raise or lower the severity of certain errors, use ``severity(by:)``.
    ///
    /// - Complexity: O(1).
    public var severity: Severity {
        guard role == .failure else { return role == .notice ? .notice : .info }
        if error is ErrorsDropped { return .critical }
        if error is ActionFailure { return .error }
        return switch outcome.disposition {
        case .ignored: .debug
        case .handled: .notice
        case .unmatched, .dropped, .pending: .error
        }
    }
}

extension ErrorReport.Severity: Comparable {
    /// Whether the first severity matters less than the second: `debug` is less than `error`.
    public static func < (first: Self, second: Self) -> Bool {
        allCases.prefix { $0 != second }.contains(first)
    }
}
