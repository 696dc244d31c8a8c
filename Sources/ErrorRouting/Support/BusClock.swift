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

    init<C: Clock<Duration>>(_ clock: C) {
        isContinuous = clock is ContinuousClock
        if isContinuous {
            let now = { @Sendable in Duration.nanoseconds(Moment().sinceOrigin) }
            self.now = now
            setBackCount = { 0 }
            sleep = { try await ErrorRouting.sleep(for: $0 - now()) }
            return
        }
        let (time, setBackCount) = Self.elapsedTime(by: clock)
        self.setBackCount = setBackCount
        let now = { @Sendable in time().elapsed }
        self.now = now
        sleep = { deadline in
            do {
                // Sleep until an instant: a clock that is advanced after it was read, as in a test, would make a sleep
                // for the rest too long.
                let (elapsed, instant) = time()
                try await ErrorRouting.sleep(for: deadline - elapsed, from: instant, on: clock)
            } catch {
                try Task.checkCancellation()
                // Replace the user's clock with the system's: it failed for another reason, and limits must still hold.
                try await ErrorRouting.sleep(for: deadline - now())
            }
        }
    }

    /// Returns closures that read a clock's elapsed time, with the instant at which it was that, and the number of
    /// times that the clock was set back.
    private static func elapsedTime<C: Clock<Duration>>(
        by clock: C
    ) -> (time: @Sendable () -> (elapsed: Duration, instant: C.Instant), setBackCount: @Sendable () -> Int) {
        let origin = clock.now
        if clock is SuspendingClock {
            // The system's clocks never run backward.
            let time = { @Sendable in
                let now = clock.now
                return (origin.duration(to: now), now)
            }
            return (time, { 0 })
        }
        let state = Locked((last: origin, elapsed: Duration.zero, count: 0, setBackCount: 0))
        let time = { @Sendable in
            let count = state.withLock { $0.count }
            // Read the clock outside the lock: it might be user code.
            let now = clock.now
            return state.withLock { state in
                let step = state.last.duration(to: now)
                // The step is negative if another thread read the clock later but arrived here first, or if the clock
                // was set back.
                if step < .zero, state.count != count { return (state.elapsed, state.last) }
                if step < .zero { state.setBackCount += 1 }
                state.last = now
                // Clamp the step: a clock that jumps further than any duration in use must not make the sum overflow.
                state.elapsed += max(step, .zero).bounded
                state.count += 1
                return (state.elapsed, now)
            }
        }
        return (time, { state.withLock { $0.setBackCount } })
    }

    /// Returns the end of a time limit that begins now.
    func deadline(after limit: Duration) -> Duration { now() + limit.bounded }
}
