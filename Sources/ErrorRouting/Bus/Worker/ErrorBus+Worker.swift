import Foundation

/// The tasks that work for the bus: its worker and its timer.
extension ErrorBus {
    /// The tasks that work for the bus.
    struct InternalTasks {
        var worker: (generation: UInt64, task: Task<Void, Never>)?
        /// The work in which the bus was run; its actions run in it too.
        var work: [Ambience.Work] = []
        var timer: Timer?
    }

    /// Starts the worker of a generation.
    ///
    /// The task is detached because it works for all callers. Later actions must not have the task-local values or the
    /// priority of the code that runs the bus, or of the code that set the timer that starts a new worker.
    func startWorker(_ generation: UInt64) {
        let task = Task.detached { await DeliveryWorker(bus: self, generation: generation).work() }
        // Keep a newer worker's task: this worker might have been replaced before its task is stored here.
        let former = internalTasks.withLock { tasks in
            guard tasks.worker.map({ $0.generation < generation }) ?? true else { return nil as Task<Void, Never>? }
            defer { tasks.worker = (generation, task) }
            return tasks.worker?.task
        }
        withExtendedLifetime(former) {}
        if !storage.isCurrent(generation) { task.cancel() }
    }

    /// Replaces a worker after one of its actions cancelled its task; does nothing if the bus has replaced or stopped
    /// the worker.
    ///
    /// The cancellation must not reach the actions of later reports. It would also end the stream of wake-ups.
    func replaceCancelledWorker(_ generation: UInt64) {
        if let next = storage.perform({ $0.replaceWorker(generation) }) { startWorker(next) }
    }

    /// Reads the clock for ``Statistics/deliveryTime``.
    func noteDelivery() { deliveryBegan.set(clock.now().nanoseconds) }

    /// Cancels the worker of a generation if that is the current one.
    ///
    /// This uses its own thread, because an action's cancellation handler might be slow and no caller waits for it.
    func cancelWorker(_ generation: UInt64) {
        let worker = internalTasks.withLock { $0.worker.flatMap { $0.generation == generation ? $0.task : nil } }
        guard let worker else { return }
        Thread.detachNewThread { worker.cancel() }
    }

    // MARK: The timer

    /// A task that sleeps until the earliest time at which a limit might be exceeded or a flood limit's window ends.
    struct Timer {
        let moment: Duration
        /// The number of times that the clock had been set back by then; after the next time, this timer fires too
        /// late.
        let setBackCount: Int
        let task: Task<Void, Never>
    }

    /// Sets the timer to fire at the given time at the latest.
    func setTimer(_ moment: Duration) {
        let setBackCount = clock.setBackCount()
        let (task, former) = internalTasks.withLock { tasks -> (Task<Void, Never>?, Timer?) in
            if let timer = tasks.timer, timer.moment <= moment, timer.setBackCount == setBackCount { return (nil, nil) }
            // Start the task under the lock: a timer that fires before it is stored would look pending forever.
            let task = startTask(at: moment) { [weak self] in self?.timerFires(at: moment) }
            defer { tasks.timer = Timer(moment: moment, setBackCount: setBackCount, task: task) }
            return (task, tasks.timer)
        }
        former?.task.cancel()
        // Until everyone is notified of the end, a flush might wait for its deadline.
        if storage.hasEnded, ended.valueIfFulfilled != nil { task?.cancel() }
    }

    private func timerFires(at moment: Duration) {
        let former = internalTasks.withLock { tasks in tasks.timer?.moment == moment ? tasks.timer.take() : nil }
        withExtendedLifetime(former) {}
        let now = clock.now()
        let action = storage.perform { $0.timeIsUp(at: now, $1) }
        if action.wakes { wakeUps.signal() }
        for promise in action.timedOut { promise.fulfill(false) }
        if let generation = action.replacement {
            cancelWorker(generation - 1)
            startWorker(generation)
        }
        if let next = action.next { setTimer(next) }
    }
}
