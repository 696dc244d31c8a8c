public import ErrorRouting

/// Whether `retry` posts the errors that it swallows.
public enum RetryReporting: Sendable, Hashable {
    /// It posts nothing.
    case nothing
    /// It posts the error of every attempt that is followed by another, when that one begins.
    ///
    /// Not before: only then is it certain that the error is not the last one, which is thrown. The metadata say by
    /// `retry.attempt` and `retry.of` which attempt of how many it was, and by `retry.delay` how long the delay after
    /// it has been.
    case retriedAttempts
}

/// Tries an operation, and tries it again as a policy says.
///
/// ```swift
/// let receipt = try await retry(.payments) { attempt in try await client.charge(order) }
/// ```
///
/// The last error is thrown as it was, and never posted: whoever swallows it posts it. A cancelled task makes no
/// further attempt, and its delay ends at once, with the error that was there.
///
/// - Parameters:
///   - policy: What is retried, how often, and after which delays.
///   - clock: Measures the delays and the deadline; a test clock in tests.
///   - reporting: Whether the errors of attempts that are retried are posted.
///   - errors: Where they are posted.
///   - metadata: What to give along with them.
///   - fileID: Where they are said to be posted.
///   - line: Where they are said to be posted.
///   - onStep: Called for every attempt that failed with what is made of it, and once more if the delay after it ended
///     otherwise than it should have. It keeps the caller's isolation.
///   - operation: What to try; it gets the number of the attempt, 1 for the first. It keeps the caller's isolation.
/// - Returns: What the operation returned.
/// - Throws: What the last attempt threw.
/// - Complexity: Beside the operation, where it succeeds at once: one atomic read if there is a budget, and one read of
///   the clock if there is a deadline. Nothing is allocated.
@inlinable
public func retry<T, F: Error, C: Clock>(
    _ policy: RetryPolicy,
    clock: C = ContinuousClock(),
    reporting: RetryReporting = .nothing,
    to errors: any ErrorPosting = .ambient,
    metadata: [String: String] = [:],
    fileID: String = #fileID,
    line: UInt = #line,
    onStep: (RetryStep) -> Void = { _ in },
    _ operation: (_ attempt: Int) async throws(F) -> T
) async throws(F) -> T where C.Duration == Duration {
    policy.budget?.deposit()
    let start = policy.deadline == nil ? nil : clock.now
    do throws(F) {
        return try await operation(1)
    } catch {
        return try await retryAgain(
            policy, after: error, since: start, clock, reporting, errors, metadata,
            .init(fileID: fileID, line: line), onStep, operation)
    }
}

/// What `retry` does after its first attempt has failed.
///
/// Kept apart, so that the way of those who succeed at once is short, and can be compiled into the caller.
///
/// - Parameters:
///   - first: What the first attempt threw.
///   - start: When it began; nil if there is no deadline.
@usableFromInline
func retryAgain<T, F: Error, C: Clock>(
    _ policy: RetryPolicy,
    after first: F,
    since start: C.Instant?,
    _ clock: C,
    _ reporting: RetryReporting,
    _ errors: any ErrorPosting,
    _ metadata: [String: String],
    _ source: ErrorReport.Source,
    _ onStep: (RetryStep) -> Void,
    _ operation: (_ attempt: Int) async throws(F) -> T
) async throws(F) -> T where C.Duration == Duration {
    var error = first
    var progress = RetryProgress(policy)
    var generator = SystemRandomNumberGenerator()
    func elapsed() -> Duration { start.map { $0.duration(to: clock.now) } ?? .zero }
    while true {
        // Out of the box that generic code puts an `any Error` into once more.
        let thrown = ErrorMatcher.any.match(error) ?? error
        let attempt = progress.attempt
        func tell(_ verdict: RetryStep.Verdict) {
            onStep(RetryStep(attempt: attempt, maxAttempts: policy.maxAttempts, error: thrown, verdict: verdict))
        }
        let verdict = progress.verdict(
            on: thrown, isCancelled: Task.isCancelled, elapsed: elapsed, using: &generator)
        tell(verdict)
        guard case .retriesAfter(let delay, _) = verdict else { throw error }
        let hasSlept = await sleep(for: delay, on: clock)
        // The clock need not notice a cancellation, and may have slept for too long.
        if let obstacle = progress.obstacle(isCancelled: !hasSlept || Task.isCancelled, elapsed: elapsed) {
            tell(obstacle)
            throw error
        }
        if reporting == .retriedAttempts {
            let place = [
                "retry.attempt": "\(attempt)", "retry.of": "\(policy.maxAttempts)", "retry.delay": "\(delay)",
            ]
            errors.post(thrown, metadata: metadata.merging(place) { $1 }, source: source)
        }
        do throws(F) {
            return try await operation(progress.attempt)
        } catch let next {
            error = next
        }
    }
}

/// Sleeps, and returns whether it did: a sleep that throws, for whatever reason, did not.
private func sleep<C: Clock>(for delay: Duration, on clock: C) async -> Bool where C.Duration == Duration {
    do {
        try await clock.sleep(for: delay)
        return true
    } catch {
        return false
    }
}
