import Synchronization

/// What the worker and the watchdog do with the bus.
extension ErrorBus {
    /// The tasks that work for the bus.
    struct Staff {
        var worker: (generation: UInt64, task: Task<Void, Never>)?
        var watchdog: Task<Void, Never>?
        /// Wakes the worker when a flood limit's window ends.
        var alarm: Task<Void, Never>?
    }

    func startWorker(_ generation: UInt64) {
        let task = Task { await DeliveryWorker(bus: self, generation: generation).work() }
        let isLate = staff.withLock { staff in
            // It may have been replaced before it was noted down.
            if let worker = staff.worker, worker.generation > generation { return true }
            staff.worker = (generation, task)
            return false
        }
        if isLate || !storage.isCurrent(generation) { task.cancel() }
    }

    func cancelWorker(_ generation: UInt64) {
        let task = staff.withLock { staff in
            staff.worker?.generation == generation ? staff.worker?.task : nil
        }
        task?.cancel()
    }

    /// A worker whose task was cancelled, which only an action can have done, makes room for another: cancellation
    /// shall not reach the actions of later reports, and would end the stream of wake-ups.
    func replaceCancelledWorker(_ generation: UInt64) {
        if let next = storage.replaceWorker(generation) { startWorker(next) }
    }

    /// Looks at the clock for ``Statistics/deliveryTime``.
    func noteDelivery() {
        deliveryBegan.set(clock.now().nanoseconds)
    }

    /// The next wake-up; comes at once if there was one since the last.
    func wakeUp() async {
        for await _ in wakeUps { return }
    }
}
