import Dispatch
import Foundation

/// The time limit of asynchronous actions.
extension ErrorBus {
    func actionWillBegin(_ action: SupervisedAction, for generation: UInt64) -> Bool {
        let now = configuration.actionTimeLimit == nil ? .zero : clock.now()
        let answer = storage.actionWillBegin(action, at: now, for: generation)
        if answer == .beginWatched { sendWatchdog() }
        return answer != .superseded
    }

    private func sendWatchdog() {
        // Weak, and without the task-locals that tasks inherit: the clock's sleep may outlast its cancellation.
        let watchdog = Self.unbound {
            Task { [weak self, clock] in
                while let deadline = self?.watch() { try? await clock.sleep(deadline) }
            }
        }
        let former = staff.withLock { staff in
            defer { staff.watchdog = watchdog }
            return staff.watchdog
        }
        withExtendedLifetime(former) {}
        if hasEnded { watchdog.cancel() }
    }

    /// Replaces the worker of an action that is overdue.
    ///
    /// There is at most one watchdog, and it wakes once in a time limit, so that it costs next to nothing.
    ///
    /// - Returns: When to call this again; nil if no action runs.
    private func watch() -> Duration? {
        while true {
            switch storage.watch(at: clock.now()) {
            case .stop:
                return nil
            case .sleep(let deadline):
                return deadline
            case .replaceWorker(let generation):
                cancelWorker(generation - 1)
                startWorker(generation)
            }
        }
    }
}

/// Calls a closure when a time limit is over, unless the timer is cancelled before.
struct TimeLimitTimer: Sendable {
    let cancel: @Sendable () -> Void

    /// Starts the timer; with a limit of zero or less, calls the closure before it returns.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - clock: The clock.
    ///   - outsidePool: Whether the timer is a thread of its own, if the clock is the system's: a task needs a thread
    ///     of the pool, and all of those may be blocked when a shutdown is needed. Else it is a task.
    ///   - body: The closure.
    init(within limit: Duration, by clock: BusClock, outsidePool: Bool, _ body: @escaping @Sendable () -> Void) {
        if limit <= .zero {
            body()
            cancel = {}
        } else if outsidePool, clock.isContinuous {
            let isCancelled = DispatchSemaphore(value: 0)
            let nanoseconds = min(limit, BusClock.forever).nanoseconds
            // `Int` has 32 bits on some systems, which is two seconds in nanoseconds.
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
            // Without the task-locals that tasks inherit: the clock's sleep may outlast its cancellation.
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
