package import Dispatch

/// Sleeps on a clock for a duration of any length.
///
/// Unlike a clock's own `sleep`, this function doesn't crash if the duration exceeds what the clock can represent, such
/// as `.seconds(Int64.max)`: it sleeps for at most 100 years. Also, a cancelled sleep on the continuous clock leaves no
/// timer behind. `Task.sleep` would keep the timer until it fires, so the memory of a service that cancels a long time
/// limit for each request would grow. In exchange, the time for which the system is suspended doesn't count.
///
/// ```swift
/// try await sleep(for: pause, on: clock)
/// ```
///
/// - Parameters:
///   - duration: How long to sleep. If it is zero or negative, the function doesn't wait.
///   - clock: The clock; by default the system's continuous clock.
/// - Throws: `CancellationError` if the task is cancelled. A custom clock's `sleep` might also throw other errors.
public func sleep(for duration: Duration, on clock: any Clock<Duration> = ContinuousClock()) async throws {
    guard clock is ContinuousClock else { return try await clock.sleep(for: max(.zero, duration.bounded)) }
    let end = Promise<Void>()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { end.fulfill(()) }
    timer.schedule(deadline: .after(duration))
    timer.activate()
    defer { timer.cancel() }
    await end.value(ifCancelled: ())
    try Task.checkCancellation()
}

/// Sleeps on a clock until a duration, limited to 100 years, has passed since an instant.
func sleep<C: Clock<Duration>>(for duration: Duration, from start: C.Instant, on clock: C) async throws {
    try await clock.sleep(until: start.advanced(by: max(.zero, duration.bounded)), tolerance: nil)
}

extension DispatchTime {
    /// Returns the time after a duration of at most 100 years.
    package static func after(_ duration: Duration) -> DispatchTime {
        .now() + max(.zero, duration.bounded) / .seconds(1)
    }
}
