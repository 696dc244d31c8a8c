import ErrorRouting

/// What `retry` decided about one failed attempt.
public struct RetryStep: Sendable, CustomStringConvertible {
    /// Whether the operation is retried, or why it isn't.
    public enum Verdict: Sendable, Hashable {
        /// The operation is retried after a delay. `hinted` is true if the delay comes from the error or a rule.
        case retriesAfter(Duration, hinted: Bool)
        /// The policy's rules don't retry the error, or the error forbids it.
        case notRetryable
        /// This was the last attempt that the policy allows.
        case attemptsSpent
        /// The budget doesn't contain enough tokens for a retry.
        case budgetSpent
        /// The next attempt wouldn't begin before the deadline.
        case deadlineWouldPass
        /// The hint is longer than the policy allows.
        case hintTooLong(Duration)
        /// The error is a cancellation, the task is cancelled, or the clock's sleep threw.
        case cancelled
    }

    /// The number of the failed attempt; 1 for the first.
    public let attempt: Int
    /// How many attempts the policy allows.
    public let maxAttempts: Int
    /// The error that the attempt threw.
    public let error: any Error
    /// The decision.
    public let verdict: Verdict

    /// The verdict as a sentence: `not retried: the budget is spent`.
    ///
    /// It contains neither the error nor the attempt's number.
    public var description: String { verdict.description }
}

extension RetryStep.Verdict: CustomStringConvertible {
    /// The verdict as a sentence: `not retried: the budget is spent`.
    public var description: String {
        switch self {
        case .retriesAfter(let delay, hinted: false): "retried after \(delay)"
        case .retriesAfter(let delay, hinted: true): "retried after \(delay), as the error asked"
        case .notRetryable: "not retried: the error is final"
        case .attemptsSpent: "not retried: the attempts are spent"
        case .budgetSpent: "not retried: the budget is spent"
        case .deadlineWouldPass: "not retried: the deadline would pass"
        case .hintTooLong(let hint): "not retried: the error asked to wait \(hint.bounded), which is too long"
        case .cancelled: "not retried: cancelled"
        }
    }
}
