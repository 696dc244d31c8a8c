/// A clock whose moments are durations since an origin of its own, so that the state machine can hold them as plain
/// values; of the system's continuous clock they are those of ``Moment``.
///
/// Moments never run backwards: if the user's clock is set back, time continues from the latest moment.
struct BusClock: Sendable {
    /// Returns the current moment.
    let now: @Sendable () -> Duration
    /// Sleeps until a moment; throws only if the task was cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Whether this is the system's continuous clock, which threads can wait for too.
    ///
    /// Stored: every poster reads it, who would else contend for the reference count of a closure.
    let isContinuous: Bool

    /// Returns how often the clock was found to have been set back: a sleep that began before lasts too long.
    let setBackCount: @Sendable () -> Int

    /// The longest duration in use, 100 years.
    ///
    /// Clocks trap on durations that they cannot express in nanoseconds.
    static let forever = Duration.seconds(100 * 365 * 86_400)

    init(_ clock: some Clock<Duration>) {
        let (now, setBackCount) = Self.elapsedTime(by: clock)
        self.setBackCount = setBackCount
        isContinuous = clock is ContinuousClock
        self.now = now
        sleep = { deadline in
            do {
                if clock is ContinuousClock { return try await ErrorRouting.sleep(for: deadline - now()) }
                try await clock.sleep(until: clock.now.advanced(by: deadline - now()), tolerance: nil)
            } catch {
                try Task.checkCancellation()
                // The user's clock failed for another reason: the system's clock replaces it, so that limits still
                // hold.
                try await ErrorRouting.sleep(for: deadline - now())
            }
        }
    }

    /// Returns closures that read the time which has passed by a clock, and how often it was set back.
    private static func elapsedTime(
        by clock: some Clock<Duration>
    ) -> (now: @Sendable () -> Duration, setBackCount: @Sendable () -> Int) {
        // The system's clocks never run backwards.
        if clock is ContinuousClock { return ({ .nanoseconds(Moment().sinceOrigin) }, { 0 }) }
        let origin = clock.now
        if clock is SuspendingClock { return ({ origin.duration(to: clock.now) }, { 0 }) }
        let state = Locked((last: origin, elapsed: Duration.zero, count: 0, setBackCount: 0))
        let now = { @Sendable in
            let count = state.withLock { $0.count }
            // Read outside the lock, since the clock may be the user's code.
            let now = clock.now
            return state.withLock { state in
                let step = state.last.duration(to: now)
                // The step is negative if another thread read the clock later but came here first, or if the clock was
                // set back.
                if step < .zero, state.count != count { return state.elapsed }
                if step < .zero { state.setBackCount += 1 }
                state.last = now
                // A clock that jumps further than any duration in use must not make the sum overflow.
                state.elapsed += min(max(step, .zero), forever)
                state.count += 1
                return state.elapsed
            }
        }
        return (now, { state.withLock { $0.setBackCount } })
    }

    /// Returns the moment at which a time limit that begins now is over.
    func deadline(after limit: Duration) -> Duration { now() + min(limit, Self.forever) }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of `Int64` (292 years).
    var nanoseconds: Int64 {
        // Before `components` is read, which traps if the seconds alone do not fit.
        if self >= .nanoseconds(Int64.max) { return .max }
        if self <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
