/// A clock with its instants as durations since it was set up, so that the state machine can hold them as plain values.
struct BusClock: Sendable {
    let now: @Sendable () -> Duration
    /// Sleeps until a moment; throws only if the task was cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// What counts as forever, 100 years.
    ///
    /// Clocks trap on durations that they cannot count in nanoseconds.
    static let forever = Duration.seconds(100 * 365 * 86_400)

    init(_ clock: some Clock<Duration>) {
        let origin = clock.now
        now = { origin.duration(to: clock.now) }
        sleep = { deadline in
            do {
                try await clock.sleep(until: origin.advanced(by: deadline), tolerance: nil)
            } catch {
                try Task.checkCancellation()
                // A clock that fails for a reason of its own must not let limits pass at once, or never.
                let rest = deadline - origin.duration(to: clock.now)
                try await ContinuousClock().sleep(for: max(rest, .zero))
            }
        }
    }

    /// The moment at which a time limit is up that begins now.
    func deadline(after limit: Duration) -> Duration { now() + min(limit, Self.forever) }
}

extension Duration {
    /// The whole nanoseconds in it, up to 292 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : product.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
