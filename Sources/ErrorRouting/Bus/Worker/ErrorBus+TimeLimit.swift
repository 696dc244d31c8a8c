import Synchronization

/// Limiting the time of asynchronous actions.
extension ErrorBus {
    func actionWillBegin(
        _ rule: Rule,
        _ progress: DispatchProgress,
        _ report: ErrorReport,
        for generation: UInt64
    ) -> Bool {
        let now = configuration.actionTimeLimit == nil ? .zero : clock.now()
        let answer = storage.actionWillBegin(rule, progress, report, at: now, for: generation)
        if answer == .beginWatched { sendWatchdog() }
        return answer != .superseded
    }

    private func sendWatchdog() {
        // Weak, and without the bindings that tasks inherit: the clock need not honour cancellation.
        let watchdog = Self.unbound {
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
