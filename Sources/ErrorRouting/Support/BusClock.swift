/// A clock with times as durations since its own origin, so that the state machine can store them as plain values; for
/// the system's continuous clock, they equal the times of ``Moment``.
///
/// Time never runs backward: if the user's clock is set back, time continues from the latest instant.
struct BusClock: Sendable {
    /// Returns the current time.
    let now: @Sendable () -> Duration
    /// Sleeps until an instant; throws only if the task was cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Whether this is the system's continuous clock, which threads can also use for waiting.
    ///
    /// It is stored because every caller reads it; with a closure, callers would contend for its reference count.
    let isContinuous: Bool

    /// Returns the number of times that the clock was set back; a sleep that began before that lasts too long.
    let setBackCount: @Sendable () -> Int

    init(_ clock: some Clock<Duration>) {
        let (now, setBackCount) = Self.elapsedTime(by: clock)
        self.setBackCount = setBackCount
        isContinuous = clock is ContinuousClock
        self.now = now
        sleep = { deadline in
            do {
                try await ErrorRouting.sleep(for: deadline - now(), on: clock)
            } catch {
                try Task.checkCancellation()
                // Replace the user's clock with the system's: it failed for another reason, and limits must still hold.
                try await ErrorRouting.sleep(for: deadline - now())
            }
        }
    }

    /// Returns closures that read a clock's elapsed time and the number of times that it was set back.
    private static func elapsedTime(
        by clock: some Clock<Duration>
    ) -> (now: @Sendable () -> Duration, setBackCount: @Sendable () -> Int) {
        // The system's clocks never run backward.
        if clock is ContinuousClock { return ({ .nanoseconds(Moment().sinceOrigin) }, { 0 }) }
        let origin = clock.now
        if clock is SuspendingClock { return ({ origin.duration(to: clock.now) }, { 0 }) }
        let state = Locked((last: origin, elapsed: Duration.zero, count: 0, setBackCount: 0))
        let now = { @Sendable in
            let count = state.withLock { $0.count }
            // Read the clock outside the lock: it might be user code.
            let now = clock.now
            return state.withLock { state in
                let step = state.last.duration(to: now)
                // The step is negative if another thread read the clock later but arrived here first, or if the clock
                // was set back.
                if step < .zero, state.count != count { return state.elapsed }
                if step < .zero { state.setBackCount += 1 }
                state.last = now
                // Clamp the step: a clock that jumps further than any duration in use must not make the sum overflow.
                state.elapsed += max(step, .zero).bounded
                state.count += 1
                return state.elapsed
            }
        }
        return (now, { state.withLock { $0.setBackCount } })
    }

    /// Returns the end of a time limit that begins now.
    func deadline(after limit: Duration) -> Duration { now() + limit.bounded }
}
