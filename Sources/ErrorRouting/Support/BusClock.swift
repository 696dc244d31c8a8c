/// A clock with its instants as durations since it was set up, so that the state machine can hold them as plain values.
///
/// They never run backwards: where somebody's clock is set back, the time until then is kept, and goes on from there.
struct BusClock: Sendable {
    let now: @Sendable () -> Duration
    /// Sleeps until a moment; throws only if the task was cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// What an instant of the system's clock is, if this is that one.
    private let elapsed: (@Sendable (ContinuousClock.Instant) -> Duration)?

    /// Whether it is the system's, by which threads can wait too.
    var isContinuous: Bool { elapsed != nil }

    /// What an instant of the system's clock is, if this is that one; else now.
    func moment(of instant: ContinuousClock.Instant) -> Duration { elapsed?(instant) ?? now() }

    /// What counts as forever, 100 years.
    ///
    /// Clocks trap on durations that they cannot count in nanoseconds.
    static let forever = Duration.seconds(100 * 365 * 86_400)

    init(_ clock: some Clock<Duration>) {
        let origin = ContinuousClock.now
        let elapsed: @Sendable (ContinuousClock.Instant) -> Duration = { origin.duration(to: $0) }
        let isContinuous = clock is ContinuousClock
        let now = isContinuous ? { @Sendable in elapsed(.now) } : Self.elapsedTime(by: clock)
        self.elapsed = isContinuous ? elapsed : nil
        self.now = now
        sleep = { deadline in
            do {
                try await clock.sleep(until: clock.now.advanced(by: deadline - now()), tolerance: nil)
            } catch {
                try Task.checkCancellation()
                // A clock that fails for a reason of its own must not let limits pass at once, or never.
                try await ContinuousClock().sleep(for: max(deadline - now(), .zero))
            }
        }
    }

    /// The time that has passed by a clock since now.
    private static func elapsedTime(by clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let origin = clock.now
        // The system's clocks never run backwards.
        if clock is SuspendingClock { return { origin.duration(to: clock.now) } }
        let state = Locked((last: origin, elapsed: Duration.zero, count: 0))
        return {
            let count = state.withLock { $0.count }
            // Asked outside the lock, since it is somebody's code.
            let now = clock.now
            return state.withLock { state in
                let step = state.last.duration(to: now)
                // Another thread that has asked later may have come first; else the clock was set back.
                if step < .zero, state.count != count { return state.elapsed }
                state.last = now
                state.elapsed += max(step, .zero)
                state.count += 1
                return state.elapsed
            }
        }
    }

    /// The moment at which a time limit is up that begins now.
    func deadline(after limit: Duration) -> Duration { now() + min(limit, Self.forever) }
}

extension Duration {
    /// The whole nanoseconds in it, up to 292 years, forwards or backwards; beyond that, these.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLargeInAll) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        if isTooLarge || isTooLargeInAll { return seconds < 0 ? .min : .max }
        return sum
    }
}
