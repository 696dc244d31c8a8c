public import ErrorRouting

/// Runs an operation, and cancels it if it takes longer than a limit.
///
/// ```swift
/// let rates = try await withTimeLimit(.seconds(2)) { try await client.rates() }
/// ```
///
/// At the limit, the function cancels the operation and waits until it has ended, so that no work continues unseen. So
/// the function can take much longer than the limit if the operation ignores its cancellation. If the operation returns
/// a value after the limit, that value is discarded and the function still throws ``TimeLimitExceeded``. If the
/// caller's task is cancelled before the limit, the operation is cancelled too, and the function returns its result or
/// throws its error.
///
/// Set the limit inside `retry`, so that each attempt has its own limit, and inside ``CircuitBreaker/run(_:)``, so that
/// a call that takes too long counts as a failure.
///
/// - Parameters:
///   - limit: How long the operation may take. If it is zero or negative, the operation is cancelled immediately.
///   - clock: The clock that measures the limit; a test clock in tests.
///   - operation: Runs in a child task, with the caller's task-local values.
/// - Returns: The operation's result.
/// - Throws: ``TimeLimitExceeded`` if the limit expires before the operation ends; otherwise the operation's own error.
///   If the clock's sleep throws an error, the operation is cancelled, and the sleep's error is thrown after the
///   operation has ended.
public func withTimeLimit<T: Sendable, C: Clock>(
    _ limit: Duration, clock: C = ContinuousClock(), _ operation: @escaping @Sendable () async throws -> T
) async throws -> T where C.Duration == Duration {
    let result = await withTaskGroup(of: LimitedEnd<T>.self) { group -> Result<T, any Error> in
        group.addTask {
            do { return .operation(.success(try await operation())) } catch { return .operation(.failure(error)) }
        }
        group.addTask {
            do {
                try await sleep(for: limit, on: clock)
                return .limit(nil)
            } catch { return .limit(error) }
        }
        var ended: Result<T, any Error>?
        var failure: (any Error)?
        while ended == nil, let end = await group.next() {
            switch end {
            case .operation(let result):
                ended = result
            case .limit(nil):
                failure = TimeLimitExceeded(limit: limit)
            case .limit(let error?):
                // If the caller was cancelled, return the operation's own result.
                if !Task.isCancelled { failure = error }
            }
            group.cancelAll()
        }
        switch (failure, ended) {
        case (is TimeLimitExceeded, .failure(let error)?):
            return .failure(TimeLimitExceeded(limit: limit, cause: error))
        case (let failure?, _): return .failure(failure)
        case (nil, let ended?): return ended
        // This can't happen, because the group always returns the operation's end.
        case (nil, nil): return .failure(CancellationError())
        }
    }
    return try result.get()
}

/// What ended first: the operation, or the wait for its limit.
private enum LimitedEnd<T: Sendable>: Sendable {
    case operation(Result<T, any Error>)
    /// The limit has passed, or the clock's sleep threw this error.
    case limit((any Error)?)
}

/// The error of ``withTimeLimit(_:clock:_:)`` when an operation takes longer than its limit.
public struct TimeLimitExceeded: Error, UnderlyingErrorsProviding, CustomStringConvertible {
    /// The limit.
    public let limit: Duration
    /// The error that the cancelled operation threw; nil if it returned a value or threw a `CancellationError`.
    public let cause: (any Error)?

    /// Creates an error, for tests and fakes.
    ///
    /// - Parameters:
    ///   - limit: The limit that the operation exceeded.
    ///   - cause: The error that the cancelled operation threw. A `CancellationError` is dropped.
    public init(limit: Duration, cause: (any Error)? = nil) {
        (self.limit, self.cause) = (limit, cause is CancellationError ? nil : cause)
    }

    /// The cause, which lets `anywhere` and reports find it.
    public var underlyingErrors: [any Error] { cause.map { [$0] } ?? [] }

    /// `took longer than 2.0 seconds`.
    public var description: String { "took longer than \(limit.bounded)" }
}
