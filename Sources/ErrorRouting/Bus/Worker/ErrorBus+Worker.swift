import Synchronization

/// Starting, replacing and waking the worker.
extension ErrorBus {
    /// The tasks that work for the bus.
    struct Staff {
        /// What wakes the worker when a flood limit's window ends.
        struct Alarm {
            let moment: Duration
            /// How often the clock had been set back by then; after the next time this alarm rings too late.
            let setBackCount: Int
            let task: Task<Void, Never>
        }

        var worker: (generation: UInt64, task: Task<Void, Never>)?
        var watchdog: Task<Void, Never>?
        var alarm: Alarm?
    }

    /// Starts the worker of a generation.
    func startWorker(_ generation: UInt64) {
        let task = Task { await DeliveryWorker(bus: self, generation: generation).work() }
        // This worker may have been replaced before its task is stored here.
        let former = staff.withLock { staff in
            guard staff.worker.map({ $0.generation < generation }) ?? true else { return nil as Task<Void, Never>? }
            defer { staff.worker = (generation, task) }
            return staff.worker?.task
        }
        withExtendedLifetime(former) {}
        if !storage.isCurrent(generation) { task.cancel() }
    }

    /// Replaces a worker whose task was cancelled by one of its actions; does nothing if the bus has replaced or
    /// stopped it.
    ///
    /// The cancellation must not reach the actions of later reports, and would end the stream of wake-ups.
    func replaceCancelledWorker(_ generation: UInt64) {
        if let next = storage.replaceWorker(generation) { startWorker(next) }
    }

    /// Reads the clock for ``Statistics/deliveryTime``.
    func noteDelivery() { deliveryBegan.set(clock.now().nanoseconds) }

    /// Waits for the next wake-up; returns at once if there was one since the last call.
    func wakeUp() async {
        for await _ in wakeUps { return }
    }
}
