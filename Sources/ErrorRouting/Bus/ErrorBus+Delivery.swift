import Synchronization

/// What the worker and the watchdog do with the bus.
extension ErrorBus {
    /// The tasks that work for the bus.
    struct Staff {
        var worker: (generation: UInt64, task: Task<Void, Never>)?
        var watchdog: Task<Void, Never>?
    }

    func startWorker(_ generation: UInt64) {
        let task = Task { await DeliveryWorker(bus: self, generation: generation).work() }
        let isLate = staff.withLock { staff in
            // It may have been replaced before it was noted down.
            if let worker = staff.worker, worker.generation > generation { return true }
            staff.worker = (generation, task)
            return false
        }
        if isLate || !isCurrent(generation) { task.cancel() }
    }

    func cancelWorker(_ generation: UInt64) {
        let task = staff.withLock { staff in
            staff.worker?.generation == generation ? staff.worker?.task : nil
        }
        task?.cancel()
    }

    /// A worker whose task was cancelled, which only an action can have done, makes room for another: cancellation
    /// shall not reach the actions after it, and would end the stream of wake-ups.
    func replaceCancelledWorker(_ generation: UInt64) {
        let next = machine.withLock { machine in
            let next = machine.replaceWorker(generation)
            self.generation.store(machine.generation, ordering: .releasing)
            return next
        }
        if let next { startWorker(next) }
    }

    func next(for generation: UInt64) -> BusStateMachine.NextAnswer {
        let answer = machine.withLock { $0.next(for: generation) }
        switch answer {
        case .end: end()
        case .sleep(let idle): for promise in idle { promise.fulfill(()) }
        case .deliver, .superseded: break
        }
        return answer
    }

    func complete(_ outcome: HandleOutcome, for generation: UInt64) {
        guard
            case .completed(let report, let promise, let unheard) = machine.withLock({
                $0.complete(outcome, for: generation)
            })
        else { return }
        observers.send(report)
        promise?.fulfill(outcome)
        for failure in unheard { failure.writeToStandardError() }
    }

    func isCurrent(_ generation: UInt64) -> Bool {
        self.generation.load(ordering: .acquiring) == generation
    }

    /// The next wake-up; comes at once if there was one since the last.
    func wakeUp() async {
        for await _ in wakeUps { return }
    }

    func actionWillBegin(
        _ rule: Rule,
        _ progress: DispatchProgress,
        _ report: ErrorReport,
        for generation: UInt64
    ) -> Bool {
        let now = actionTimeLimit == nil ? .zero : clock.now()
        let answer = machine.withLock { $0.actionWillBegin(rule, progress, report, at: now, for: generation) }
        if answer == .beginWatched { sendWatchdog() }
        return answer != .superseded
    }

    func actionDidEnd(for generation: UInt64) {
        machine.withLock { $0.actionDidEnd(for: generation) }
    }

    private func sendWatchdog() {
        // Weak, and without the binding to the bus that tasks inherit: the clock need not honour cancellation.
        let watchdog = ErrorBus.$current.withValue(nil) {
            Task { [weak self, clock] in
                while let deadline = self?.watch() { try? await clock.sleep(deadline) }
            }
        }
        staff.withLock { $0.watchdog = watchdog }
        if hasEnded { watchdog.cancel() }
    }

    /// Replaces the worker of an action that is overdue.
    ///
    /// One watchdog at most is out, and it wakes once in a time limit, so actions that keep their limit pay next to
    /// nothing for it. It holds the bus only while it looks: the clock it sleeps on need not honour cancellation.
    ///
    /// - Returns: When to look again; nil if no action runs.
    private func watch() -> Duration? {
        while true {
            let now = clock.now()
            let answer = machine.withLock { machine in
                let answer = machine.watch(at: now)
                generation.store(machine.generation, ordering: .releasing)
                return answer
            }
            switch answer {
            case .goHome:
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
