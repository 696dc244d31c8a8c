import Synchronization

extension ErrorBus {
    /// Delivers what is posted, until the bus is finished and drained.
    ///
    /// The root component's loop. Actions run in a task of the bus's own: neither the caller's actor nor its
    /// cancellation reaches them. Cancelling the caller finishes the bus; this returns once everything posted before is
    /// delivered. A bus runs once: calling this while it runs (as it does in
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)``), or after it has returned, is a programming error.
    /// It does not wait for tasks started with `task`; `withErrorBus` does.
    public func run() async {
        switch machine.withLock({ $0.run() }) {
        case .start(let generation):
            startWorker(generation)
            await withTaskCancellationHandler {
                await ended.value
            } onCancel: {
                finish()
            }
        case .alreadyEnded:
            break
        case .runsAlready:
            fatalError("ErrorBus.run() was called while the bus runs already")
        case .ranBefore:
            fatalError("ErrorBus.run() was called again after it had returned; a bus runs once")
        }
        machine.withLock { $0.runReturned() }
    }

    /// Ends posting: what is pending is still delivered, then ``run()`` returns.
    ///
    /// An error posted later is counted as dropped, and written to standard error. Finishing twice is the same as once.
    public func finish() {
        perform(machine.withLock { closed(intake.close(), &$0) })
    }

    private enum FinishAnswer {
        case nothing
        case wake
        /// It has nothing to deliver and no one to deliver it, so it ends here.
        case end
    }

    /// What follows when posting has been ended, or was already.
    private func closed(_ isFirst: Bool, _ machine: inout BusStateMachine) -> FinishAnswer {
        guard isFirst else { return .nothing }
        if machine.runPhase == .notStarted, counted(machine).pending == 0, intake.end() {
            machine.hasEnded = true
            return .end
        }
        return isAsleep(machine) ? .wake : .nothing
    }

    private func perform(_ answer: FinishAnswer) {
        switch answer {
        case .nothing: break
        case .wake: waker.yield()
        case .end: end()
        }
    }

    /// Finishes the bus once its tasks have ended and nothing is pending, so that what the actions of the last reports
    /// start is waited for too.
    ///
    /// What a flood limit holds is let go meanwhile. Where actions go on and on posting it ends all the same: from the
    /// tasks' end no more reports are accepted than the bus has room for, and none where it has been hurried.
    func finishWhenIdle() async {
        let wakes = machine.withLock { machine in
            machine.isWindingUp = true
            return isAsleep(machine)
        }
        if wakes { waker.yield() }
        await tasks.waitForAll()
        machine.withLock { machine in
            intake.accept(atMost: machine.isHurried ? 0 : machine.capacity)
            machine.isLimited = true
        }
        let timer = drainTimeLimit.map { limit in
            ShutdownTimer(within: limit, by: clock) { [weak self] in self?.giveUp(after: limit) }
        }
        defer { timer?.cancel() }
        while true {
            let idle = Promise<Void>()
            let isIdle = machine.withLock { machine in
                if machine.hasEnded || counted(machine).pending == 0 { return true }
                machine.idleWaiters.append(idle)
                return false
            }
            if isIdle { idle.fulfill(()) }
            await idle.value
            let posted = machine.withLock { counted($0).posted }
            await tasks.waitForAll()
            // Unless something was posted meanwhile, no action has run that could have started another task.
            let answer = machine.withLock { machine -> FinishAnswer? in
                let state = intake.state
                if state.isClosed { return .nothing }
                let counts = counted(machine)
                guard counts.pending == 0, counts.posted == posted, intake.close(ifStill: state) else {
                    return nil
                }
                return closed(true, &machine)
            }
            guard let answer else { continue }
            perform(answer)
            // The time limit holds until the end, whoever has finished the bus.
            return await ended.value
        }
    }

    /// The time to drain is up: what is left is dropped, and goes to the last resort.
    private func giveUp(after limit: Duration) {
        takeBack { reports in
            for report in reports {
                lastResort.write(report, because: "it was not delivered within the drain time limit of \(limit)")
            }
        }
    }

    /// The caller of ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` was cancelled: once body and tasks
    /// have ended no more is accepted.
    func hurry() {
        tasks.cancelAll()
        machine.withLock { machine in
            machine.isHurried = true
            if machine.isLimited { intake.accept(atMost: 0) }
        }
    }

    /// Finishes the bus, and takes back what it could not deliver in time.
    ///
    /// What is taken back, the report in flight included, counts as dropped, also if some of its actions have run; the
    /// action in flight is cancelled, and whatever it still does changes nothing. Cancelling the caller does not
    /// shorten the time. Called inside one of the bus's own actions it does not wait for itself: it returns at once
    /// with nothing, the time limit stays in force, and what is left then goes to the last resort. Of several calls,
    /// the one whose time is up first takes everything back.
    ///
    /// - Parameter limit: How long to wait for delivery; zero or less takes everything back at once.
    /// - Returns: The reports that were not delivered, in the order in which they would have been.
    public func shutdown(within limit: Duration) async -> [ErrorReport] {
        finish()
        let isInside = isInsideOwnAction
        let left = Promise<[ErrorReport]>()
        let timer = ShutdownTimer(within: limit, by: clock) { [weak self] in
            self?.takeBack { reports in
                left.fulfill(reports)
                guard isInside else { return }
                for report in reports {
                    self?.lastResort.write(report, because: "the bus was shut down before it was delivered")
                }
            }
        }
        // Where everything is delivered nothing is left. Not the end itself is waited for here, which an observer's
        // matcher may hold up.
        Self.unbound {
            _ = Task { [ended] in
                await ended.value
                timer.cancel()
                left.fulfill([])
            }
        }
        if isInside { return [] }
        let reports = await left.value
        timer.cancel()
        return reports
    }

    private func takeBack(_ receive: ([ErrorReport]) -> Void) {
        let (left, worker) = takeLeftovers()
        // Before anyone hears of the end: the root is free then for the next.
        resignRoot()
        guard let left else {
            // Whoever has ended the bus tells of it, another shutdown say, when what it took is in its caller's hands.
            return receive([])
        }
        for failure in left.failures { lastResort.write(failure) }
        // Before the end is told to anyone: the process may be over soon after.
        receive(left.reports.map { $0.report() })
        for pending in left.reports { pending.posting.promise?.fulfill(HandleOutcome(disposition: .dropped)) }
        if machine.withLock({ $0.leftoversWereReceived() }) { end() }
        // At last, since what an action does when it is cancelled may take its time.
        cancelWorker(worker)
    }

    /// Ends the bus, and returns what was not delivered, nil if it has ended already, and which worker was at it.
    func takeLeftovers() -> (BusStateMachine.Leftovers?, worker: UInt64) {
        machine.withLock { machine in
            let worker = machine.generation
            if machine.hasEnded { return (nil, worker) }
            if let number = lane.withdraw() {
                machine.laneClosed(at: number)
                // A copy, since the worker still looks at what lies there.
                _ = unsafe machine.deliverFromLane(intake.mailbox.element(at: number).pointee)
            }
            let left = machine.takeBack(shutIntake(&machine))
            intake.release(machine.counters.released)
            generation.store(machine.generation, ordering: .releasing)
            return (left, worker)
        }
    }

    /// What is still in the intake, which takes no more.
    private func shutIntake(_ machine: inout BusStateMachine) -> [PendingReport] {
        var rest: [PendingReport] = []
        let end = intake.shut()
        for number in machine.nextNumber...max(end, machine.nextNumber) {
            if intake.hasNotice(before: number), let notice = intake.takeNotice() {
                machine.tell(intake.takeDrops(for: notice), by: notice)
                rest.append(notice)
            }
            // A place that is not filled yet is refused to its poster.
            if number < end, let posting = intake.mailbox.shut(number) { rest.append(PendingReport(posting)) }
        }
        return rest
    }

    /// Everyone who waits for the end hears of it.
    ///
    /// Idempotent: a shutdown may meet the loop's own end.
    func end() {
        resignRoot()
        observers.finish(statistics)
        waker.finish()
        for task in staff.withLock({ [$0.watchdog, $0.alarm] }) { task?.cancel() }
        let (idle, flushes) = machine.withLock { ($0.takeIdleWaiters(), $0.takeFlushes(before: .max)) }
        for promise in idle { promise.fulfill(()) }
        for promise in flushes { promise.fulfill(false) }
        ended.fulfill(())
    }
}
