import ErrorRouting

/// A clock that stands still until a test moves it, for `ErrorBus.Configuration.clock`.
///
/// ```swift
/// let clock = TestClock()
/// let bus = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: .seconds(30), clock: clock))
/// …
/// clock.advance(by: .seconds(30))
/// ```
public final class TestClock: Clock, Sendable {
    /// A moment of a test clock, as the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// Names the moment at a distance from the clock's beginning.
        ///
        /// - Parameter offset: The time since the clock was made.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// The moment that comes a while later.
        ///
        /// - Parameter duration: How much later.
        /// - Returns: That moment.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How long it is until another moment.
        ///
        /// - Parameter other: The other moment.
        /// - Returns: The distance; negative for an earlier one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one moment comes before another.
        ///
        /// - Parameters:
        ///   - first: A moment.
        ///   - second: Another one.
        /// - Returns: True if `first` is earlier.
        public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers = WaitList<Instant>()
        /// Those who wait until enough tasks sleep, each with how many that is.
        var crowds = WaitList<Int>()
    }

    private let state = Locked(State())

    /// Makes a clock at its beginning.
    public init() {}

    /// The moment at which the clock stands.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step of the clock: none is too small.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the clock is moved to a deadline, or past it.
    ///
    /// - Parameters:
    ///   - deadline: When to wake.
    ///   - tolerance: Ignored: a test clock is exact.
    /// - Throws: `CancellationError` if the task is cancelled first, or was before.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { $0.sleepers.reserve() }
        try await withTaskCancellationHandler {
            try await enter(id, until: deadline)
        } onCancel: {
            state.withLock { $0.sleepers.cancel(id) }?.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock, and wakes whoever sleeps until then, the earliest deadline first.
    ///
    /// - Parameter duration: How far; not negative.
    public func advance(by duration: Duration) {
        if duration < .zero { fatalError("TestClock.advance(by:) must not be negative, but is \(duration)") }
        let due = state.withLock { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            return state.sleepers.release { $0 <= now }.sorted { $0.info < $1.info }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until a number of tasks sleep on this clock, or the waiting task is cancelled.
    ///
    /// A bus's watchdog sleeps on its clock from the first asynchronous action on, and stays for a time limit, also
    /// when that action has long ended. To move the clock while a certain action runs, let the action open a ``Gate``
    /// and wait for that: a bus notes an action's beginning before the action runs.
    ///
    /// - Parameter count: How many; at least.
    public func waitForSleepers(_ count: Int = 1) async {
        let id = state.withLock { $0.crowds.reserve() }
        try? await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    if state.sleepers.count >= count {
                        state.crowds.giveUp(id)
                        return true
                    }
                    return !state.crowds.take(id, count, continuation)
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.crowds.cancel(id) }?.resume()
        }
    }

    private func enter(_ id: UInt64, until deadline: Instant) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let resume = state.withLock { state -> (() -> Void)? in
                if deadline <= state.now {
                    state.sleepers.giveUp(id)
                    return { continuation.resume() }
                }
                guard state.sleepers.take(id, deadline, continuation) else {
                    return { continuation.resume(throwing: CancellationError()) }
                }
                let count = state.sleepers.count
                let crowds = state.crowds.release { $0 <= count }
                return { for crowd in crowds { crowd.continuation.resume() } }
            }
            resume?()
        }
    }
}
