public import ErrorRouting

/// Runs an operation, and runs it again as a policy says.
///
/// ```swift
/// let receipt = try await retry(.payments) { attempt in try await client.charge(order) }
/// ```
///
/// The last error is thrown unchanged, and never posted: whoever catches it and does not throw it on should post it. A
/// cancelled task makes no further attempt: a delay ends at once, and the last error is thrown.
///
/// The errors of attempts that are followed by another can be posted, with the role `.attempt`: each just before the
/// next attempt, because only then is it certain that it is not the last one, which is thrown. Their metadata have the
/// number of the failed attempt under `retry.attempt`, the policy's number of attempts under `retry.of`, and the delay
/// after the failed attempt under `retry.delay`.
///
/// Retries in retries multiply: three attempts of three attempts each are nine. Give both policies the same
/// ``RetryBudget``, which bounds them together, or retry in one place.
///
/// - Parameters:
///   - policy: Which errors are retried, how often, and after which delays.
///   - clock: The clock for the delays and the deadline; a test clock in tests.
///   - errors: Where the errors of attempts that are followed by another are posted, with the role `.attempt`; nil for
///     nowhere.
///   - metadata: The metadata to post with these errors.
///   - fileID: The file that these errors name as their source.
///   - line: The line that these errors name as their source.
///   - onStep: Called for every failed attempt with the decision about it, and once more if no attempt follows the
///     delay after all. It keeps the caller's isolation.
///   - operation: The operation; it gets the number of the attempt, 1 for the first. It keeps the caller's isolation.
/// - Returns: The operation's result.
/// - Throws: The error of the last attempt.
/// - Complexity: If the first attempt succeeds, at most a task-local value and one atomic read are added for a budget,
///   and one read of the clock for a deadline. Nothing is allocated.
@inlinable
public func retry<T, F: Error, C: Clock>(
    _ policy: RetryPolicy, clock: C = ContinuousClock(), errors: (any ErrorPosting)? = nil,
    metadata: [String: String] = [:], fileID: String = #fileID, line: UInt = #line,
    onStep: (RetryStep) -> Void = { _ in }, _ operation: (_ attempt: Int) async throws(F) -> T
) async throws(F) -> T where C.Duration == Duration {
    let budget = policy.budget
    let beginning = budget?.begin()
    let start = policy.deadline == nil ? nil : clock.now
    do throws(F) {
        guard let budget, beginning?.isOutermost == true else { return try await operation(1) }
        return try await budget.attempt.binding(budget.firstAttempt, isolation: #isolation) { () async throws(F) -> T in
            try await operation(1)
        }
    } catch {
        return try await retryAgain(
            policy, after: error, beginning, since: start, clock, errors, metadata, .init(fileID: fileID, line: line),
            onStep, operation)
    }
}

/// Continues `retry` after its first attempt has failed.
///
/// A function of its own, so that the code for a first attempt that succeeds is short and can be inlined.
///
/// - Parameters:
///   - first: The error that the first attempt threw.
///   - beginning: How the call began on its budget; nil if there is none.
///   - start: When the first attempt began; nil if there is no deadline.
@usableFromInline
func retryAgain<T, F: Error, C: Clock>(
    _ policy: RetryPolicy, after first: F, _ beginning: RetryBudget.Beginning?, since start: C.Instant?, _ clock: C,
    _ errors: (any ErrorPosting)?, _ metadata: [String: String], _ source: ErrorReport.Source,
    _ onStep: (RetryStep) -> Void, _ operation: (_ attempt: Int) async throws(F) -> T
) async throws(F) -> T where C.Duration == Duration {
    var error = first
    var progress = RetryProgress(policy, paid: beginning?.paid ?? 0)
    var generator = SystemRandomNumberGenerator()
    func elapsed() -> Duration { start.map { $0.duration(to: clock.now) } ?? .zero }
    while true {
        // If `F` is `any Error`, generic code has boxed the error once more: unbox it.
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
        // The clock may ignore cancellation, or may have slept longer than asked for.
        if let obstacle = progress.obstacle(isCancelled: !hasSlept || Task.isCancelled, elapsed: elapsed) {
            tell(obstacle)
            throw error
        }
        if let errors {
            let place = [
                "retry.attempt": "\(attempt)", "retry.of": "\(policy.maxAttempts)", "retry.delay": "\(delay)",
            ]
            errors.post(thrown, as: .attempt, metadata: metadata.merging(place) { $1 }, source: source)
        }
        do throws(F) {
            guard let budget = policy.budget else { return try await operation(progress.attempt) }
            return try await budget.retry(progress.attempt, operation)
        } catch let next {
            error = next
        }
    }
}

/// Sleeps, and returns whether the sleep ended without an error.
private func sleep<C: Clock>(for delay: Duration, on clock: C) async -> Bool where C.Duration == Duration {
    do {
        // The system's clock would keep a sleep that is cancelled until its time is over.
        if clock is ContinuousClock { try await sleep(for: delay) } else { try await clock.sleep(for: delay) }
        return true
    } catch {
        return false
    }
}
