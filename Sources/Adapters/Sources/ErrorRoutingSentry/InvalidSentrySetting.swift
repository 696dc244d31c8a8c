public import ErrorRouting

/// A setting with which Sentry would reject every event.
///
/// ``SentrySink`` throws it when it is created, so that a service with a wrong setting doesn't start. Its texts contain
/// no key.
public struct InvalidSentrySetting: Error, Sendable, Hashable, CustomStringConvertible, ErrorDetailsProviding {
    /// The setting: `dsn`, `release`, or `environment`.
    public let setting: String
    /// What is wrong.
    public let reason: String

    init(_ setting: String, _ reason: String) { (self.setting, self.reason) = (setting, reason) }

    /// The setting and what is wrong.
    public var description: String { "Sentry's \(setting) \(reason)" }

    /// The setting, as the error's kind.
    public var errorDetails: ErrorDetails { ErrorDetails(kind: setting) }
}
