public import ErrorRouting

/// An error about a setting that would make Sentry reject every event.
///
/// ``SentrySink`` throws the error when it is created, so that a service with a wrong setting doesn't start. The
/// error's description doesn't contain the key of a DSN.
public struct InvalidSentrySetting: Error, Sendable, Hashable, CustomStringConvertible, ErrorDetailsProviding {
    /// The setting: `dsn`, `release`, or `environment`.
    public let setting: String
    /// What is wrong with the setting.
    public let reason: String

    init(_ setting: String, _ reason: String) { (self.setting, self.reason) = (setting, reason) }

    /// The setting and the reason.
    public var description: String { "Sentry's \(setting) \(reason)" }

    /// The setting, as the error's kind.
    public var errorDetails: ErrorDetails { ErrorDetails(kind: setting) }
}
