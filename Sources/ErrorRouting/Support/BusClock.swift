/// A clock whose moments are durations since its creation, so that the state machine can hold them as plain values.
///
/// Moments never run backwards: if the user's clock is set back, time continues from the latest moment.
struct BusClock: Sendable {
    /// Returns the current moment.
    let now: @Sendable () -> Duration
    /// Sleeps until a moment; throws only if the task was cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Returns the moment of an instant of the continuous clock; nil if this is another clock.
    private let elapsed: (@Sendable (ContinuousClock.Instant) -> Duration)?

    /// Whether this is the system's continuous clock, which threads can wait for too.
    var isContinuous: Bool { elapsed != nil }

    /// Returns the moment of an instant of the continuous clock, or the current moment if this is another clock.
    func moment(of instant: ContinuousClock.Instant) -> Duration { elapsed?(instant) ?? now() }

    /// The longest duration in use, 100 years.
    ///
    /// Clocks trap on durations that they cannot express in nanoseconds.
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
                // The user's clock failed for another reason: the system's clock replaces it, so that limits still
                // hold.
                try await ContinuousClock().sleep(for: max(deadline - now(), .zero))
            }
        }
    }

    /// Returns a closure that reads the time which has passed by a clock since this call.
    private static func elapsedTime(by clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let origin = clock.now
        // The system's clocks never run backwards.
        if clock is SuspendingClock { return { origin.duration(to: clock.now) } }
        let state = Locked((last: origin, elapsed: Duration.zero, count: 0))
        return {
            let count = state.withLock { $0.count }
            // Read outside the lock, since the clock may be the user's code.
            let now = clock.now
            return state.withLock { state in
                let step = state.last.duration(to: now)
                // The step is negative if another thread read the clock later but came here first, or if the clock was
                // set back.
                if step < .zero, state.count != count { return state.elapsed }
                state.last = now
                state.elapsed += max(step, .zero)
                state.count += 1
                return state.elapsed
            }
        }
    }

    /// Returns the moment at which a time limit that begins now is over.
    func deadline(after limit: Duration) -> Duration { now() + min(limit, Self.forever) }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of `Int64` (292 years).
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLargeInAll) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        if isTooLarge || isTooLargeInAll { return seconds < 0 ? .min : .max }
        return sum
    }
}
