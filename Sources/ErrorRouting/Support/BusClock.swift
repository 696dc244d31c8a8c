/// A clock that measures times as durations since its own origin, so that the state machine can store plain values.
///
/// For the system's continuous clock, these durations equal the times of ``Moment``. A custom clock must not run
/// backward.
struct BusClock: Sendable {
    /// Returns the current time.
    let now: @Sendable () -> Duration
    /// Sleeps until a time; throws only if the task was cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Whether this is the system's continuous clock, on which threads can wait too.
    ///
    /// It is a stored Boolean because every post reads it: if it were read through a closure, callers would contend for
    /// the closure's reference count.
    let isContinuous: Bool

    init<C: Clock<Duration>>(_ clock: C) {
        isContinuous = clock is ContinuousClock
        if isContinuous {
            let now = { @Sendable in Duration.nanoseconds(Moment().sinceOrigin) }
            self.now = now
            sleep = { try await ErrorRouting.sleep(for: $0 - now()) }
            return
        }
        let origin = clock.now
        // Bound the duration: if a clock jumps further than any duration in use, sums must not overflow.
        let now = { @Sendable in origin.duration(to: clock.now).bounded }
        self.now = now
        sleep = { deadline in
            do {
                // Sleep until an instant, not for a duration: if a clock is advanced after it was read, as tests do, a
                // sleep for the remaining duration would last too long.
                let instant = clock.now
                let left = deadline - origin.duration(to: instant).bounded
                // Sleep for at least one step: a clock might round the deadline down, to an instant that has passed.
                let time = left > .zero ? max(left, clock.minimumResolution) : left
                try await ErrorRouting.sleep(for: time, from: instant, on: clock)
            } catch {
                try Task.checkCancellation()
                // Fall back to the system's clock: the custom clock failed without a cancellation, and limits must
                // still hold.
                try await ErrorRouting.sleep(for: deadline - now())
            }
        }
    }

    /// Returns the time at which a time limit that begins now expires.
    func deadline(after limit: Duration) -> Duration { now() + limit.bounded }
}
