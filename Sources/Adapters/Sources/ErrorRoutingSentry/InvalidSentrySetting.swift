public import ErrorRouting

/// The error of a setting with which Sentry would reject every event.
///
/// ``SentrySink`` throws it when it is created, so that a service with a wrong setting doesn't start. Its description
/// doesn't contain a key.
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
