import ErrorRouting

/// The progress of one call of `retry`: a plain value that decides, and neither sleeps nor runs the operation.
struct RetryProgress {
    /// A hundred years: longer than any caller waits, and short enough that clock instants do not overflow.
    private static let longestDelay = Duration.seconds(3_155_760_000)

    private let policy: RetryPolicy
    /// The number of the attempt that is under way or failed last.
    private(set) var attempt = 1
    private var lastDelay: Duration?
    /// What was withdrawn from the budget for the retry that is about to be made.
    private var withdrawn: Int?

    init(_ policy: RetryPolicy) { self.policy = policy }

    /// Returns whether a failed attempt is followed by another.
    ///
    /// The budget is asked last, so that nothing is withdrawn for a retry that another limit forbids.
    ///
    /// - Parameters:
    ///   - error: The error that the attempt threw.
    ///   - isCancelled: Whether the task is cancelled.
    ///   - elapsed: Returns how long the call has taken; called only if there is a deadline.
    ///   - generator: The source of randomness for the delay.
    mutating func verdict(
        on error: any Error,
        isCancelled: Bool,
        elapsed: () -> Duration,
        using generator: inout some RandomNumberGenerator
    ) -> RetryStep.Verdict {
        if isCancelled || isCancellation(error) { return .cancelled }
        let cost: Int
        var hint: Duration?
        switch policy.decisions[error] {
        case .fail:
            return .notRetryable
        case .retry(let itsCost):
            cost = itsCost
            hint = Self.provider.match(error)?.retryAfter
        case .retryAfter(let delay, let itsCost):
            (cost, hint) = (itsCost, delay)
        }
        if attempt >= policy.maxAttempts { return .attemptsSpent }
        if let hint, hint > policy.longestHint { return .hintTooLong(hint) }
        let asked =
            hint.map { max($0, .zero) }
            ?? policy.backoff.delay(beforeRetry: attempt, after: lastDelay, using: &generator)
        let delay = min(asked, Self.longestDelay)
        if let deadline = policy.deadline, delay >= deadline - elapsed() { return .deadlineWouldPass }
        if let budget = policy.budget {
            if !budget.withdraw(cost) { return .budgetSpent }
            withdrawn = cost
        }
        lastDelay = delay
        return .retriesAfter(delay, hinted: hint != nil)
    }

    /// Returns, after the delay, why the next attempt is not made, or begins the attempt.
    ///
    /// - Parameters:
    ///   - isCancelled: Whether the task is cancelled, or the sleep threw.
    ///   - elapsed: Returns how long the call has taken; called only if there is a deadline.
    /// - Returns: Why the attempt is not made; nil if it has begun.
    mutating func obstacle(isCancelled: Bool, elapsed: () -> Duration) -> RetryStep.Verdict? {
        let obstacle: RetryStep.Verdict
        if isCancelled {
            obstacle = .cancelled
        } else if let deadline = policy.deadline, elapsed() >= deadline {
            obstacle = .deadlineWouldPass
        } else {
            attempt += 1
            withdrawn = nil
            return nil
        }
        if let withdrawn { policy.budget?.giveBack(withdrawn) }
        withdrawn = nil
        return obstacle
    }

    private static let provider = ErrorMatcher<any RetryAfterProviding>.conforming(to: (any RetryAfterProviding).self)
}
