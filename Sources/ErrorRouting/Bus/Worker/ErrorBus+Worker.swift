import Synchronization

/// Starting, replacing and waking the worker.
extension ErrorBus {
    /// The tasks that work for the bus.
    struct InternalTasks {
        var worker: (generation: UInt64, task: Task<Void, Never>)?
        var timer: Timer?
    }

    /// Starts the worker of a generation.
    func startWorker(_ generation: UInt64) {
        let task = Task { await DeliveryWorker(bus: self, generation: generation).work() }
        // This worker may have been replaced before its task is stored here.
        let former = internalTasks.withLock { tasks in
            guard tasks.worker.map({ $0.generation < generation }) ?? true else { return nil as Task<Void, Never>? }
            defer { tasks.worker = (generation, task) }
            return tasks.worker?.task
        }
        withExtendedLifetime(former) {}
        if !storage.isCurrent(generation) { task.cancel() }
    }

    /// Replaces a worker whose task was cancelled by one of its actions; does nothing if the bus has replaced or
    /// stopped it.
    ///
    /// The cancellation must not reach the actions of later reports, and would end the stream of wake-ups.
    func replaceCancelledWorker(_ generation: UInt64) {
        if let next = storage.perform({ $0.replaceWorker(generation) }) {
            startWorker(next)
        } else if case .stop(_, let unfreed?) = storage.perform({ $0.stop(for: generation) }) {
            // A shutdown has taken back the report that the worker was about to begin with.
            _ = unfreed.take(from: storage.intake.mailbox)
        }
    }

    /// Reads the clock for ``Statistics/deliveryTime``.
    func noteDelivery() { deliveryBegan.set(clock.now().nanoseconds) }

    /// Cancels the worker of a generation, if that is the current one.
    func cancelWorker(_ generation: UInt64) {
        internalTasks.withLock { $0.worker.flatMap { $0.generation == generation ? $0.task : nil } }?.cancel()
    }

    /// Waits for the next wake-up; returns at once if there was one since the last call.
    func wakeUp() async {
        for await _ in wakeUps { return }
    }
}
