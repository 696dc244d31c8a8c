/// What `retry` made of one attempt that failed, and why.
public struct RetryStep: Sendable, CustomStringConvertible {
    /// Whether the operation is tried again, or why not.
    public enum Verdict: Sendable, Hashable {
        /// It is tried again after a delay; hinted if the error or a rule asked for that delay.
        case retriesAfter(Duration, hinted: Bool)
        /// No rule retries the error, or the rule that matches says that it is not to be retried.
        case notRetryable
        /// This was the last attempt that the policy allows.
        case attemptsSpent
        /// The budget does not hold the cost of a retry.
        case budgetSpent
        /// The next attempt would not start before the deadline.
        case deadlineWouldPass
        /// The error asks for a longer delay than the policy waits for.
        case hintTooLong(Duration)
        /// The error is a cancellation, the task is cancelled, or the clock's sleep threw.
        case cancelled
    }

    /// Which attempt failed; 1 for the first.
    public let attempt: Int
    /// How many attempts the policy allows.
    public let maxAttempts: Int
    /// The error that the attempt threw.
    public let error: any Error
    /// What was made of it.
    public let verdict: Verdict

    /// Makes a step, for tests and fakes.
    ///
    /// - Parameters:
    ///   - attempt: Which attempt failed; 1 for the first.
    ///   - maxAttempts: How many attempts the policy allows.
    ///   - error: The error that the attempt threw.
    ///   - verdict: What was made of it.
    public init(attempt: Int, maxAttempts: Int, error: any Error, verdict: Verdict) {
        self.attempt = attempt
        self.maxAttempts = maxAttempts
        self.error = error
        self.verdict = verdict
    }

    /// The verdict as a sentence: `not retried: the budget is spent`.
    ///
    /// Neither the error nor which attempt it was is in it; both are there to be printed beside it.
    public var description: String { verdict.description }
}

extension RetryStep.Verdict: CustomStringConvertible {
    /// The verdict as a sentence: `not retried: the budget is spent`.
    public var description: String {
        switch self {
        case .retriesAfter(let delay, hinted: false): "retried after \(delay)"
        case .retriesAfter(let delay, hinted: true): "retried after \(delay), as the error asked"
        case .notRetryable: "not retried: no rule retries this error"
        case .attemptsSpent: "not retried: the attempts are spent"
        case .budgetSpent: "not retried: the budget is spent"
        case .deadlineWouldPass: "not retried: the deadline would pass"
        case .hintTooLong(let hint): "not retried: the error asked to wait \(hint), which is too long"
        case .cancelled: "not retried: cancelled"
        }
    }
}
