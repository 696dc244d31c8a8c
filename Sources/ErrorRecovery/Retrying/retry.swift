public import ErrorRouting

/// Runs an operation, and runs it again as a policy decides.
///
/// ```swift
/// let rates = try await retry(.default) { _ in try await client.rates() }
/// ```
///
/// Retry only operations that are safe to run twice, such as a read, or a request with an idempotency key. By default,
/// a policy retries every error except those that ``RetryPolicy`` lists.
///
/// The last error is thrown unchanged and never posted. If you catch it and don't rethrow it, post it. A cancelled task
/// doesn't make another attempt: a delay ends immediately, and the last error is thrown.
///
/// Pass `errors` to post the error of each attempt that is retried, with the role `.attempt`. The error is posted just
/// before the next attempt, because only then is it certain that the error isn't the last error, which is thrown. The
/// metadata contains the number of the failed attempt (`retry.attempt`), the policy's number of attempts (`retry.of`),
/// and the delay after the failed attempt (`retry.delay`).
///
/// Nested retries multiply: three attempts with three attempts each make nine attempts. Give both policies the same
/// ``RetryBudget``, which bounds them together, or retry in only one layer.
///
/// - Parameters:
///   - policy: Which errors are retried, how often, and after which delays.
///   - clock: The clock for the delays and the deadline; a test clock in tests.
///   - errors: Where to post the errors of attempts that are retried, with the role `.attempt`; nil not to post them.
///   - metadata: The metadata to post with these errors.
///   - fileID: The source file in the reports of these errors.
///   - line: The source line in the reports of these errors.
///   - onStep: Called with the decision about every failed attempt, and once more if no attempt follows the delay. It
///     runs in the caller's isolation.
///   - operation: Receives the number of the attempt, 1 for the first. It runs in the caller's isolation.
/// - Returns: The operation's result.
/// - Throws: The error of the last attempt.
/// - Complexity: If the first attempt succeeds, a budget adds at most a task-local value and one atomic read, and a
///   deadline adds one read of the clock. The call doesn't allocate memory.
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

/// Continues `retry` after its first attempt failed.
///
/// This is a separate function so that the code for a successful first attempt is short and can be inlined. `beginning`
/// is nil if there is no budget, and `start` is nil if there is no deadline.
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
        // Unbox the error: if `F` is `any Error`, generic code has wrapped it in another existential box.
        let thrown = ErrorMatcher.any.match(error) ?? error
        let attempt = progress.attempt
        func report(_ verdict: RetryStep.Verdict) {
            onStep(RetryStep(attempt: attempt, maxAttempts: policy.maxAttempts, error: thrown, verdict: verdict))
        }
        let verdict = progress.verdict(
            on: thrown, isCancelled: Task.isCancelled, elapsed: elapsed, using: &generator)
        report(verdict)
        guard case .retriesAfter(let delay, _) = verdict else { throw error }
        // error-audit: harmless, because a sleep that fails ends the attempts
        let hasSlept = (try? await sleep(for: delay, on: clock)) != nil
        // Check again: the clock might ignore cancellation, or might have slept longer than requested.
        if let obstacle = progress.obstacle(isCancelled: !hasSlept || Task.isCancelled, elapsed: elapsed) {
            report(obstacle)
            throw error
        }
        if let errors {
            let position = [
                "retry.attempt": "\(attempt)", "retry.of": "\(policy.maxAttempts)", "retry.delay": "\(delay)",
            ]
            errors.post(thrown, as: .attempt, metadata: metadata.merging(position) { $1 }, source: source)
        }
        do throws(F) {
            guard let budget = policy.budget else { return try await operation(progress.attempt) }
            return try await budget.retry(progress.attempt, operation)
        } catch let next {
            error = next
        }
    }
}
