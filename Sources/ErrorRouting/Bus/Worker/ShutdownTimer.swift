import Dispatch
import Foundation

/// Calls a closure when the time of a shutdown is up, unless it is cancelled before.
///
/// By the system's clock that happens on a thread of its own: tasks wait for a thread of the pool, and all of those may
/// be blocked, which is what a shutdown has to get past. By another clock it is a task, since only tasks sleep by it.
struct ShutdownTimer: Sendable {
    let cancel: @Sendable () -> Void

    /// Begins to wait; where there is no time at all the closure has been called when this returns.
    init(within limit: Duration, by clock: BusClock, _ body: @escaping @Sendable () -> Void) {
        if limit <= .zero {
            body()
            cancel = {}
        } else if clock.isContinuous {
            let isCancelled = DispatchSemaphore(value: 0)
            let nanoseconds = min(limit, BusClock.forever).nanoseconds
            // An `Int` has 32 bits on some systems, which is two seconds.
            let interval =
                Int(exactly: nanoseconds).map { DispatchTimeInterval.nanoseconds($0) }
                ?? .milliseconds(Int(clamping: nanoseconds / 1_000_000))
            let deadline = DispatchTime.now() + interval
            Thread.detachNewThread {
                if isCancelled.wait(timeout: deadline) == .timedOut { body() }
            }
            cancel = { isCancelled.signal() }
        } else {
            let deadline = clock.deadline(after: limit)
            // Without the bindings that tasks inherit: the clock need not honour cancellation.
            let task = ErrorBus.unbound {
                Task {
                    do { try await clock.sleep(deadline) } catch { return }
                    body()
                }
            }
            cancel = { task.cancel() }
        }
    }
}
