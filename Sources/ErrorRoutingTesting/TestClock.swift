import ErrorRouting

/// A clock that stands still until a test moves it, for ``ErrorRouting/ErrorBus/Configuration/clock``.
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
        var crowds: [(size: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Whom to wake, now that enough tasks sleep.
        mutating func completeCrowds() -> [CheckedContinuation<Void, Never>] {
            let count = sleepers.count
            defer { crowds.removeAll { $0.size <= count } }
            return crowds.filter { $0.size <= count }.map(\.continuation)
        }
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
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
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

    /// Waits until a number of tasks sleep on this clock, so that a test moves it only when all is in place.
    ///
    /// - Parameter count: How many; at least.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.crowds.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
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
                let crowds = state.completeCrowds()
                return { for crowd in crowds { crowd.resume() } }
            }
            resume?()
        }
    }
}
