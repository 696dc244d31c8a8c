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
