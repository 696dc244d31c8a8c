import ErrorRouting

/// A clock that stands still until a test advances it, for `ErrorBus.Configuration.clock`.
///
/// ```swift
/// let clock = ManualClock()
/// let bus = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: .seconds(30), clock: clock))
/// …
/// clock.advance(by: .seconds(30))
/// ```
public final class ManualClock: Clock, Sendable {
    /// An instant of a manual clock: the time since the clock was created.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        let offset: Duration

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the duration to another instant, which is negative if the other instant is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether the first instant is earlier than the second.
        public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers = WaitList<Instant>()
        /// The tasks that wait for sleepers, each with the number of sleepers for which it waits.
        var waiters = WaitList<Int>()
    }

    private let state = Locked(State())

    /// Creates a clock at time zero.
    public init() {}

    /// The clock's current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step of the clock: zero, because it can advance by any duration.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the clock reaches a deadline.
    ///
    /// - Parameters:
    ///   - deadline: The instant at which to wake up.
    ///   - tolerance: Ignored, because a manual clock is exact.
    /// - Throws: `CancellationError` if the task is cancelled before the deadline.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { $0.sleepers.reserve() }
        try await withTaskCancellationHandler {
            try await enter(id, until: deadline)
        } onCancel: {
            state.withLock { $0.sleepers.cancel(id) }?.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock and resumes the tasks whose deadline it has reached, starting with the earliest deadline.
    ///
    /// - Parameter duration: The time to add; not negative.
    public func advance(by duration: Duration) {
        if duration < .zero { fatalError("ManualClock.advance(by:) must not be negative, but is \(duration)") }
        let due = state.withLock { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            return state.sleepers.release { $0 <= now }.sorted { $0.info < $1.info }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until a number of tasks are sleeping on this clock, or the waiting task is cancelled.
    ///
    /// A bus's watchdog sleeps on the bus's clock, starting with the first asynchronous action. It sleeps for the whole
    /// time limit, even if the action ends earlier. To advance the clock while a certain action is running, let the
    /// action open a ``Gate`` and wait for the gate. This works because a bus records an action's start time before it
    /// runs the action.
    ///
    /// - Parameter count: The minimum number of sleeping tasks to wait for.
    public func waitForSleepers(_ count: Int = 1) async {
        let id = state.withLock { $0.waiters.reserve() }
        // error-audit: harmless, because only a cancellation ends the wait early
        try? await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    if state.sleepers.count >= count {
                        state.waiters.free(id)
                        return true
                    }
                    return !state.waiters.occupy(id, count, continuation)
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.cancel(id) }?.resume()
        }
    }

    private func enter(_ id: UInt64, until deadline: Instant) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let resume = state.withLock { state -> (() -> Void)? in
                if deadline <= state.now {
                    state.sleepers.free(id)
                    return { continuation.resume() }
                }
                guard state.sleepers.occupy(id, deadline, continuation) else {
                    return { continuation.resume(throwing: CancellationError()) }
                }
                let count = state.sleepers.count
                let waiters = state.waiters.release { $0 <= count }
                return { for waiter in waiters { waiter.continuation.resume() } }
            }
            resume?()
        }
    }
}
