import Dispatch
import Foundation

/// What the bus does at a time of its clock: it ends the waits of callers, and it applies time limits and flood limits.
extension ErrorBus {
    // MARK: Callers' limits

    /// Calls a closure when a time limit expires; if the limit isn't positive, calls it before returning.
    ///
    /// With the system's clock, the timer has its own thread. A task would need a thread from the thread pool, where
    /// all threads might be blocked when a shutdown is needed. Returns a closure that cancels the timer.
    func startTimer(within limit: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        if limit <= .zero {
            body()
            return {}
        }
        if clock.isContinuous {
            let isCancelled = DispatchSemaphore(value: 0)
            let deadline = DispatchTime.after(limit)
            Thread.detachNewThread {
                if isCancelled.wait(timeout: deadline) == .timedOut { body() }
            }
            return { isCancelled.signal() }
        }
        let task = startTask(at: clock.deadline(after: limit), body)
        return { task.cancel() }
    }

    /// Starts a task that sleeps until a time and then calls a closure, unless the task is cancelled during the sleep.
    ///
    /// The task is detached because it works for all callers. It must not retain task-local values of its caller,
    /// because a custom clock might continue sleeping after the cancellation. It also must not pass such values to a
    /// worker that it starts.
    func startTask(at moment: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task.detached { [clock] in
            do { try await clock.sleep(moment) } catch { return }
            body()
        }
    }

    // MARK: The alarm: the timer of the state machine

    /// A task that sleeps until the earliest time at which a limit might expire or a flood limit's window might end.
    struct Alarm {
        let moment: Duration
        let task: Task<Void, Never>
    }

    /// Sets the alarm so that it fires no later than at the given time.
    func setAlarm(_ moment: Duration) {
        let (task, former) = internalTasks.withLock { tasks -> (Task<Void, Never>?, Alarm?) in
            if let alarm = tasks.alarm, alarm.moment <= moment { return (nil, nil) }
            // Start the task under the lock: an alarm that fires before it is stored would look pending forever.
            let task = startTask(at: moment) { [weak self] in self?.alarmFires(at: moment) }
            defer { tasks.alarm = Alarm(moment: moment, task: task) }
            return (task, tasks.alarm)
        }
        former?.task.cancel()
        if let task, storage.hasEnded { task.cancel() }
    }

    private func alarmFires(at moment: Duration) {
        let former = internalTasks.withLock { tasks in tasks.alarm?.moment == moment ? tasks.alarm.take() : nil }
        withExtendedLifetime(former) {}
        let now = clock.now()
        switch storage.apply({ $0.timeIsUp(at: now) }) {
        case .nothing: break
        case .wait(let end): setAlarm(end)
        case .wake: wakeUps.signal()
        case .abandon(let running, let end):
            running.cancel()
            running.end.fulfill(end)
        }
    }
}
