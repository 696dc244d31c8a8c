import ErrorRouting

/// The progress of one call of `retry`: a plain value that decides, and neither sleeps nor runs the operation.
struct RetryProgress {
    /// A hundred years: longer than any caller waits, and short enough that clock instants do not overflow.
    private static let longestDelay = Duration.seconds(3_155_760_000)

    private let policy: RetryPolicy
    /// The number of the attempt that is under way or failed last.
    private(set) var attempt = 1
    private var lastDelay: Duration?
    /// What was withdrawn from the budget for the attempt that is under way or about to be made; 0 if it was free.
    private var paid: Int

    /// - Parameters:
    ///   - policy: The policy.
    ///   - paid: What was withdrawn from the budget for the first attempt.
    init(_ policy: RetryPolicy, paid: Int = 0) {
        self.policy = policy
        self.paid = paid
    }

    /// Returns whether a failed attempt is followed by another.
    ///
    /// - Parameters:
    ///   - error: The error that the attempt threw.
    ///   - isCancelled: Whether the task is cancelled.
    ///   - elapsed: Returns how long the call has taken; called only if there is a deadline.
    ///   - generator: The source of randomness for the delay.
    mutating func verdict(
        on error: any Error, isCancelled: Bool, elapsed: () -> Duration,
        using generator: inout some RandomNumberGenerator
    ) -> RetryStep.Verdict {
        // What a circuit refused was not sent: its payment serves the next attempt.
        let isPaid = policy.budget != nil && isRefusal(error)
        if !isPaid { paid = 0 }
        let verdict = verdict(on: error, isPaid: isPaid, isCancelled, elapsed, &generator)
        if case .retriesAfter = verdict { return verdict }
        giveBack()
        return verdict
    }

    /// The budget is asked last, so that nothing is withdrawn for a retry that another limit forbids.
    private mutating func verdict(
        on error: any Error, isPaid: Bool, _ isCancelled: Bool, _ elapsed: () -> Duration,
        _ generator: inout some RandomNumberGenerator
    ) -> RetryStep.Verdict {
        if isCancelled || isCancellation(error) { return .cancelled }
        let (cost, hint, isOwnRule): (Int, Duration?, Bool)
        switch policy.decisions[error] {
        case .fail:
            return .notRetryable
        case .retry(let itsCost):
            (cost, hint, isOwnRule) = (itsCost, serverHint(of: error), false)
        case .retryAfter(let delay, let itsCost):
            (cost, hint, isOwnRule) = (itsCost, delay, true)
        }
        if attempt >= policy.maxAttempts { return .attemptsSpent }
        // Only now, since it looks at all errors under this one.
        if forbidsRetry(error) { return .notRetryable }
        if let hint, hint > policy.longestHint { return .hintTooLong(hint) }
        var (delay, isHinted) = (max(hint ?? .zero, .zero), hint != nil)
        if !isOwnRule {
            // A hint is a lower bound: a server that asks for no wait at all does not switch the backoff off.
            delay = policy.backoff.spread(delay, using: &generator)
            let computed = policy.backoff.delay(beforeRetry: attempt, after: lastDelay, using: &generator)
            if computed > delay { (delay, isHinted) = (computed, false) }
        }
        delay = min(delay, Self.longestDelay)
        if let deadline = policy.deadline, delay >= deadline - elapsed() { return .deadlineWouldPass }
        if let budget = policy.budget, !isPaid {
            if !budget.withdraw(cost) { return .budgetSpent }
            paid = cost
        }
        lastDelay = delay
        return .retriesAfter(delay, hinted: isHinted)
    }

    /// Returns, after the delay, why the next attempt is not made, or begins the attempt.
    ///
    /// - Parameters:
    ///   - isCancelled: Whether the task is cancelled, or the sleep threw.
    ///   - elapsed: Returns how long the call has taken; called only if there is a deadline.
    /// - Returns: Why the attempt is not made; nil if it has begun.
    mutating func obstacle(isCancelled: Bool, elapsed: () -> Duration) -> RetryStep.Verdict? {
        let isTooLate = policy.deadline.map { elapsed() >= $0 } ?? false
        guard isCancelled || isTooLate else {
            attempt += 1
            return nil
        }
        giveBack()
        return isCancelled ? .cancelled : .deadlineWouldPass
    }

    private mutating func giveBack() {
        if paid > 0 { policy.budget?.giveBack(paid) }
        paid = 0
    }
}
