import ErrorRouting

/// The progress of one call of `retry`: a plain value that decides, but neither sleeps nor runs the operation.
struct RetryProgress {
    private let policy: RetryPolicy
    /// The number of the running attempt or, between attempts, of the last one.
    private(set) var attempt = 1
    private var lastDelay: Duration?
    /// The tokens withdrawn from the budget for the running or the next attempt; 0 if the attempt is free.
    private var paid: Int

    /// - Parameters:
    ///   - policy: The policy.
    ///   - paid: The tokens withdrawn from the budget for the first attempt.
    init(_ policy: RetryPolicy, paid: Int = 0) {
        self.policy = policy
        self.paid = paid
    }

    /// Returns whether another attempt follows a failed one.
    ///
    /// - Parameters:
    ///   - error: The error that the attempt threw.
    ///   - isCancelled: Whether the task is cancelled.
    ///   - elapsed: Returns the time since the start of the call. Called only if there is a deadline.
    ///   - generator: The source of randomness for the delay.
    mutating func verdict(
        on error: any Error, isCancelled: Bool, elapsed: () -> Duration,
        using generator: inout some RandomNumberGenerator
    ) -> RetryStep.Verdict {
        // Keep the tokens of an attempt that a circuit refused: nothing was sent, so they pay for the next attempt.
        let isPaid = policy.budget != nil && isRefusal(error)
        if !isPaid { paid = 0 }
        let verdict = verdict(on: error, isPaid: isPaid, isCancelled, elapsed, &generator)
        if case .retriesAfter = verdict { return verdict }
        giveBack()
        return verdict
    }

    /// Withdraws from the budget last, so that a retry that another limit forbids costs nothing.
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
        // Check this late, because it searches all underlying errors.
        if forbidsRetry(error) { return .notRetryable }
        if let hint, hint > policy.maxRetryAfter { return .hintTooLong(hint) }
        var (delay, isHinted) = (max(hint ?? .zero, .zero), hint != nil)
        if !isOwnRule {
            // Treat the hint as a lower bound: a hint of zero must not switch the backoff off.
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

    /// Begins the next attempt after the delay, unless something prevents it.
    ///
    /// - Parameters:
    ///   - isCancelled: Whether the task is cancelled, or the sleep threw.
    ///   - elapsed: Returns the time since the start of the call. Called only if there is a deadline.
    /// - Returns: Why the attempt isn't made; nil if it has begun.
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
