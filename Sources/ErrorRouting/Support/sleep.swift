import Dispatch

/// Sleeps by the system's clock; throws if the task is cancelled.
///
/// `Task.sleep` keeps its timer until the time is over, even if the task was cancelled long before: the memory of a
/// service that cancels a long time limit for each request would grow. This function leaves no timer behind.
///
/// - Parameter duration: The time to sleep.
package func sleep(for duration: Duration) async throws {
    let end = Promise<Void>()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { end.fulfill(()) }
    timer.schedule(deadline: .now() + DispatchTimeInterval(duration))
    timer.activate()
    defer { timer.cancel() }
    await end.value(ifCancelled: ())
    try Task.checkCancellation()
}

extension DispatchTimeInterval {
    /// Converts a duration, at most 100 years.
    init(_ duration: Duration) {
        let nanoseconds = min(duration, BusClock.forever).nanoseconds
        // Fall back to milliseconds: `Int` has 32 bits on some systems, which is two seconds in nanoseconds.
        self =
            Int(exactly: nanoseconds).map { .nanoseconds($0) } ?? .milliseconds(Int(clamping: nanoseconds / 1_000_000))
    }
}
