/// The bus's timer: one task, which sleeps until the earliest moment at which something may have taken too long, or a
/// flood limit's window ends.
extension ErrorBus {
    struct Timer {
        let moment: Duration
        /// How often the clock had been set back by then; after the next time this timer fires too late.
        let setBackCount: Int
        let task: Task<Void, Never>
    }

    /// Lets the timer fire at a moment, at the latest.
    func setTimer(_ moment: Duration) {
        let setBackCount = clock.setBackCount()
        func isSet(_ timer: Timer?) -> Bool {
            timer.map { $0.moment <= moment && $0.setBackCount == setBackCount } ?? false
        }
        let (task, former) = internalTasks.withLock { tasks -> (Task<Void, Never>?, Timer?) in
            if isSet(tasks.timer) { return (nil, nil) }
            // Started under the lock: one that fired before it was known here would count as set for ever.
            let task = startTask(at: moment) { [weak self] in self?.timerFires(at: moment) }
            defer { tasks.timer = Timer(moment: moment, setBackCount: setBackCount, task: task) }
            return (task, tasks.timer)
        }
        former?.task.cancel()
        if hasEnded { task?.cancel() }
    }

    private func timerFires(at moment: Duration) {
        let former = internalTasks.withLock { tasks in tasks.timer?.moment == moment ? tasks.timer.take() : nil }
        withExtendedLifetime(former) {}
        let now = clock.now()
        let action = storage.perform { $0.timeIsUp(at: now, $1) }
        if action.wakes { waker.yield() }
        for promise in action.timedOut { promise.fulfill(false) }
        if let generation = action.replacement {
            cancelWorker(generation - 1)
            startWorker(generation)
        }
        if let next = action.next { setTimer(next) }
    }
}
