import ErrorRouting

/// The progress of one call of `retry`: a plain value that makes decisions, but neither sleeps nor runs the operation.
struct RetryProgress {
    private let policy: RetryPolicy
    /// The number of the running attempt; between attempts, the number of the last attempt.
    private(set) var attempt = 1
    private var lastDelay: Duration?
    /// The tokens withdrawn from the budget for the running or next attempt; 0 if the attempt is free.
    private var paid: Int

    /// `paid` is how many tokens the first attempt withdrew from the budget.
    init(_ policy: RetryPolicy, paid: Int = 0) {
        self.policy = policy
        self.paid = paid
    }

    /// Decides whether another attempt follows the attempt that threw `error`.
    ///
    /// `elapsed` returns the time since the start of the call. It is called only if there is a deadline.
    mutating func verdict(
        on error: any Error, isCancelled: Bool, elapsed: () -> Duration,
        using generator: inout some RandomNumberGenerator
    ) -> RetryStep.Verdict {
        // Keep the tokens if a circuit refused the attempt: they pay for the next attempt, because no request was sent.
        let isPaid = policy.budget != nil && isRefusal(error)
        if !isPaid { paid = 0 }
        let verdict = verdict(on: error, isPaid: isPaid, isCancelled, elapsed, &generator)
        if case .retriesAfter = verdict { return verdict }
        refund()
        return verdict
    }

    /// Returns the verdict; withdraws from the budget last, so that a retry prevented by another limit is free.
    private mutating func verdict(
        on error: any Error, isPaid: Bool, _ isCancelled: Bool, _ elapsed: () -> Duration,
        _ generator: inout some RandomNumberGenerator
    ) -> RetryStep.Verdict {
        if isCancelled || isCancellation(error) { return .cancelled }
        let (cost, hint, isOwnRule): (Int, Duration?, Bool)
        switch policy.decisions[error] {
        case .fail:
            return .notRetryable
        case .retry(let ruleCost):
            (cost, hint, isOwnRule) = (ruleCost, serverHint(of: error), false)
        case .retryAfter(let delay, let ruleCost):
            (cost, hint, isOwnRule) = (ruleCost, delay, true)
        }
        if attempt >= policy.maxAttempts { return .attemptsSpent }
        // Call `forbidsRetry` late, because it searches all underlying errors.
        if forbidsRetry(error) { return .notRetryable }
        if let hint, hint > policy.maxRetryAfter { return .hintTooLong(hint) }
        var (delay, isHinted) = (max(hint ?? .zero, .zero), hint != nil)
        if !isOwnRule {
            // Treat the hint as a minimum: a hint of zero must not disable the backoff.
            delay = policy.backoff.spread(delay, using: &generator)
            let computed = policy.backoff.delay(beforeRetry: attempt, after: lastDelay, using: &generator)
            if computed > delay { (delay, isHinted) = (computed, false) }
        }
        delay = delay.bounded
        if let deadline = policy.deadline, delay >= deadline.bounded - elapsed().bounded { return .deadlineWouldPass }
        if let budget = policy.budget, !isPaid {
            if !budget.withdraw(cost) { return .budgetSpent }
            paid = cost
        }
        lastDelay = delay
        return .retriesAfter(delay, hinted: isHinted)
    }

    /// Begins the next attempt after the delay and returns nil, or returns why the attempt isn't made.
    ///
    /// `isCancelled` is also true if the sleep threw. `elapsed` is called only if there is a deadline.
    mutating func obstacle(isCancelled: Bool, elapsed: () -> Duration) -> RetryStep.Verdict? {
        let isTooLate = policy.deadline.map { elapsed() >= $0 } ?? false
        guard isCancelled || isTooLate else {
            attempt += 1
            return nil
        }
        refund()
        return isCancelled ? .cancelled : .deadlineWouldPass
    }

    private mutating func refund() {
        if paid > 0 { policy.budget?.refund(paid) }
        paid = 0
    }
}
