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

    /// What a worker does next.
    enum Work {
        /// From the beginning, or from where another worker has come.
        case deliver(PendingReport, from: DispatchProgress?)
        case sleep
        case goHome
    }

    /// What the worker of a generation does next.
    func next(for generation: UInt64) -> Work {
        work(machine.withLock { decide(for: generation, at: .unknown, &$0) }, for: generation)
    }

    /// The worker of a generation has brought a report to its end.
    ///
    /// - Parameters:
    ///   - pending: The report, which lives until this returns, so that it does not end under the lock.
    ///   - progress: How far it came.
    ///   - generation: The worker's.
    /// - Returns: What the worker does next.
    func complete(_ pending: PendingReport, _ progress: DispatchProgress, for generation: UInt64) -> Work {
        let isObserved = !observers.isEmpty
        // With nobody to tell, one lock is enough for both, the end of this report and the next one's beginning.
        let (announcement, decision) = machine.withLock { machine -> ([ActionFailure]?, Decision?) in
            switch machine.complete(progress, for: generation, isObserved: isObserved) {
            case .announce(let unheard): return (unheard, nil)
            case .completed, .superseded: return (nil, decide(for: generation, at: .unknown, &machine))
            }
        }
        if let decision { return work(decision, for: generation) }
        let outcome = progress.outcome
        if isObserved { observers.send(pending.report(outcome)) }
        pending.promise?.fulfill(outcome)
        for failure in announcement ?? [] { failure.writeToStandardError() }
        return next(for: generation)
    }

    /// The same in the common case, where nobody has to be told and the next report is in hand; else answers nil, and
    /// nothing is done.
    func goOn(from pending: PendingReport, _ progress: DispatchProgress, for generation: UInt64) -> PendingReport? {
        guard observers.isEmpty, pending.promise == nil else { return nil }
        return machine.withLock { machine in
            guard let next = machine.goOn(progress, for: generation) else { return nil }
            intake.release(machine.counters.released)
            return next
        }
    }

    private enum Decision {
        case deliver(PendingReport, from: DispatchProgress?)
        case suppressed(PendingReport)
        /// A flood limit holds reports; ask again with the moment.
        case readClock
        /// Sleep until woken; tell those who wait until nothing is pending, and set an alarm.
        case sleep([Promise<Void>], alarm: Duration?)
        case end
        case superseded
    }

    /// Does what a decision asks for, up to the worker's part.
    private func work(_ decision: Decision, for generation: UInt64) -> Work {
        var (decision, moment) = (decision, BusStateMachine.FloodMoment.unknown)
        while true {
            switch decision {
            case .deliver(let pending, let progress):
                return .deliver(pending, from: progress)
            case .suppressed(let pending):
                pending.promise?.fulfill(HandleOutcome(disposition: .suppressed))
            case .readClock:
                moment = .moment(clock.now())
            case .sleep(let idle, let alarm):
                if let alarm { setAlarm(alarm) }
                for promise in idle { promise.fulfill(()) }
                return .sleep
            case .end:
                end()
                return .goHome
            case .superseded:
                return .goHome
            }
            decision = machine.withLock { decide(for: generation, at: moment, &$0) }
        }
    }

    /// Asks the machine, and where that has nothing in hand the intake.
    private func decide(
        for generation: UInt64,
        at moment: BusStateMachine.FloodMoment,
        _ machine: inout BusStateMachine
    ) -> Decision {
        var moment = moment
        while true {
            let answer = machine.next(for: generation, at: moment) { intake.takeDrops(for: $0) }
            intake.release(machine.counters.released)
            switch answer {
            case .deliver(let pending, let progress): return .deliver(pending, from: progress)
            case .suppressed(let pending): return .suppressed(pending)
            case .end: return .end
            case .superseded: return .superseded
            case .idle, .holding: break
            }
            let batch = intake.takeAll()
            if !batch.isEmpty {
                machine.batch = batch
                continue
            }
            if case .holding = answer {
                if moment == .unknown, !intake.state.isClosed, !machine.isWindingUp { return .readClock }
                if intake.state.isClosed || machine.isWindingUp {
                    moment = .end
                    continue
                }
            }
            if intake.end() {
                machine.hasEnded = true
                return .end
            }
            guard intake.sleep() else { continue }
            let isIdle = machine.statistics(intake.counts).pending == 0
            return .sleep(isIdle ? machine.takeIdleWaiters() : [], alarm: machine.nextAlarm())
        }
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

/// The flood limit's alarm.
extension ErrorBus {
    private func setAlarm(_ moment: Duration) {
        // Weak, and without the binding to the bus that tasks inherit: the clock need not honour cancellation.
        let alarm = ErrorBus.$current.withValue(nil) {
            Task { [weak self, clock] in
                try? await clock.sleep(moment)
                self?.alarmRings()
            }
        }
        staff.withLock { $0.alarm = alarm }
        if hasEnded { alarm.cancel() }
    }

    private func alarmRings() {
        let isAsleep = machine.withLock { machine in
            machine.alarm = nil
            return intake.rouse()
        }
        if isAsleep { waker.yield() }
    }
}
