/// The error of an action that ran longer than ``ErrorBus/Configuration/actionTimeLimit`` and was abandoned.
public struct ActionTimeLimitExceeded: Error, Hashable, CustomStringConvertible {
    /// The exceeded limit.
    public let limit: Duration

    /// Describes an abandoned action.
    ///
    /// - Parameter limit: The exceeded limit.
    public init(limit: Duration) {
        self.limit = limit
    }

    /// A sentence with the limit.
    public var description: String { "the action was abandoned: it ran longer than its limit of \(limit)" }
}
