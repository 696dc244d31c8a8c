public import ErrorRouting

/// The level of an event in Sentry.
public enum SentryLevel: String, Sendable, Hashable, CaseIterable, Codable {
    /// A message for developers only.
    case debug
    /// Information; no error has occurred.
    case info
    /// An error that is less important than others.
    case warning
    /// An error.
    case error
    /// An error that is more important than others, such as errors that a full bus dropped.
    case fatal

    /// Creates the level that corresponds to a report's severity.
    ///
    /// - Parameter severity: The report's severity.
    public init(_ severity: ErrorReport.Severity) {
        self =
            switch severity {
            case .trace, .debug: .debug
            case .info, .notice: .info
            case .warning: .warning
            case .error: .error
            case .critical: .fatal
            }
    }
}
