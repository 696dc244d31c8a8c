/// Limiting an action's time.
extension BusStateMachine {
    enum WatchAnswer {
        /// No action runs: the watchdog stops, and the next action starts another.
        case stop
        case sleep(until: Duration)
        /// The action is abandoned; a worker of this generation takes over after it.
        case replaceWorker(generation: UInt64)
    }

    enum BeginAnswer {
        case begin
        /// It begins, and a watchdog has to be sent out.
        case beginWatched
        /// Another worker has taken over, or the report was taken back: it must not begin.
        case superseded
    }

    /// An asynchronous action is about to begin.
    mutating func actionWillBegin(
        _ rule: Rule,
        _ progress: DispatchProgress,
        _ report: ErrorReport,
        at now: Duration,
        for generation: UInt64
    ) -> BeginAnswer {
        guard generation == self.generation, delivering != nil else { return .superseded }
        action = RunningAction(rule: rule, progress: progress, report: report, began: now)
        guard actionTimeLimit != nil, !watchdogIsOut else { return .begin }
        watchdogIsOut = true
        return .beginWatched
    }

    mutating func actionDidEnd(for generation: UInt64) {
        guard generation == self.generation else { return }
        action = nil
    }

    /// The watchdog looks at the action in flight.
    mutating func watch(at now: Duration) -> WatchAnswer {
        guard let actionTimeLimit, !hasEnded, let action else {
            watchdogIsOut = false
            return .stop
        }
        let deadline = action.began + min(actionTimeLimit, BusClock.forever)
        guard now >= deadline else { return .sleep(until: deadline) }
        let failure = ActionFailure(
            error: ActionTimeLimitExceeded(limit: actionTimeLimit),
            report: action.report,
            rule: action.rule.registration.description
        )
        var progress = action.progress
        unsafe progress.record(failure, of: Unmanaged.passUnretained(action.rule))
        self.progress = progress
        self.action = nil
        generation += 1
        return .replaceWorker(generation: generation)
    }

    /// Tells the worker of a generation to stop, and returns the next one's generation.
    mutating func replaceWorker(_ generation: UInt64) -> UInt64? {
        guard generation == self.generation, !hasEnded else { return nil }
        self.generation += 1
        return self.generation
    }
}
