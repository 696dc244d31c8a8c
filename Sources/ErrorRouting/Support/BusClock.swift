/// A clock with times as durations since its own origin, so that the state machine can store them as plain values; for
/// the system's continuous clock, they equal the times of ``Moment``.
///
/// A user's clock must not run backward.
struct BusClock: Sendable {
    /// Returns the current time.
    let now: @Sendable () -> Duration
    /// Sleeps until an instant; throws only if the task was cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// Whether this is the system's continuous clock, which threads can also use for waiting.
    ///
    /// It is stored because every caller reads it; with a closure, callers would contend for its reference count.
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
        // Bound it: a clock that jumps further than any duration in use must not make a sum overflow.
        let now = { @Sendable in origin.duration(to: clock.now).bounded }
        self.now = now
        sleep = { deadline in
            do {
                // Sleep until an instant: a clock that is advanced after it was read, as in a test, would make a sleep
                // for the rest too long.
                let instant = clock.now
                let left = deadline - origin.duration(to: instant).bounded
                try await ErrorRouting.sleep(for: left, from: instant, on: clock)
            } catch {
                try Task.checkCancellation()
                // Replace the user's clock with the system's: it failed for another reason, and limits must still hold.
                try await ErrorRouting.sleep(for: deadline - now())
            }
        }
    }

    /// Returns the end of a time limit that begins now.
    func deadline(after limit: Duration) -> Duration { now() + limit.bounded }
}

extension Duration {
    /// The longest duration in use, 100 years.
    ///
    /// Clocks trap on durations that they can't express in nanoseconds.
    package static let longest = Duration.seconds(100 * 365 * 86_400)

    /// The duration, at most ``longest`` in either direction.
    ///
    /// Any duration can come from a caller, an error, or a clock. Sums of bounded durations don't overflow, and
    /// clocks can express them.
    package var bounded: Duration { min(max(self, .zero - Self.longest), Self.longest) }

    /// The duration in whole nanoseconds, clamped to the range of `Int64` (292 years).
    var nanoseconds: Int64 {
        // Check the range first: reading `components` traps if the seconds alone don't fit.
        if self >= .nanoseconds(Int64.max) { return .max }
        if self <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
