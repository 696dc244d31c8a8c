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
    timer.schedule(deadline: .after(duration))
    timer.activate()
    defer { timer.cancel() }
    await end.value(ifCancelled: ())
    try Task.checkCancellation()
}

extension DispatchTime {
    /// Returns the time after a duration of at most 100 years.
    static func after(_ duration: Duration) -> DispatchTime {
        .now() + max(.zero, min(duration, BusClock.forever)) / .seconds(1)
    }
}
