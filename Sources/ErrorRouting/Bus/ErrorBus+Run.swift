import Synchronization

extension ErrorBus {
    /// Delivers what is posted, until the bus is finished and drained.
    ///
    /// The root component's loop. Actions run in a task of the bus's own: neither the caller's actor nor its
    /// cancellation reaches them. Cancelling the caller finishes the bus; this returns once everything posted before is
    /// delivered. A bus runs once: calling this while it runs (as it does in
    /// ``withErrorBus(handler:configuration:_:)``), or after it has returned, is a programming error. It does not wait
    /// for tasks started with `task`; `withErrorBus` does.
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
        if machine.runPhase == .notStarted, machine.statistics(intake.counts).pending == 0, intake.end() {
            machine.hasEnded = true
            return .end
        }
        return intake.rouse() ? .wake : .nothing
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
    /// What a flood limit holds is let go meanwhile.
    func finishWhenIdle() async {
        let isAsleep = machine.withLock { machine in
            machine.isWindingUp = true
            return intake.rouse()
        }
        if isAsleep { waker.yield() }
        while true {
            let idle = Promise<Void>()
            let isIdle = machine.withLock { machine in
                if machine.hasEnded || machine.statistics(intake.counts).pending == 0 { return true }
                machine.idleWaiters.append(idle)
                return false
            }
            if isIdle { idle.fulfill(()) }
            await idle.value
            let posted = statistics.posted
            await tasks.waitForAll()
            // Unless something was posted meanwhile, no action has run that could have started another task.
            let answer = machine.withLock { machine -> FinishAnswer? in
                let state = intake.state
                if state.isClosed { return .nothing }
                let statistics = machine.statistics(intake.counts)
                guard statistics.pending == 0, statistics.posted == posted, intake.close(ifStill: state) else {
                    return nil
                }
                return closed(true, &machine)
            }
            if let answer { return perform(answer) }
        }
    }

    /// Finishes the bus, and takes back what it could not deliver in time.
    ///
    /// What is taken back, the report in flight included, counts as dropped; the action in flight is cancelled, and
    /// whatever it still does changes nothing. Cancelling the caller does not shorten the time. Called inside one of
    /// the bus's own actions it does not wait for itself: it answers at once with nothing, the time limit stays in
    /// force, and what is left then is written to standard error. Of several calls, the one whose time is up first
    /// takes everything back.
    ///
    /// - Parameter limit: How long to wait for delivery; zero or less takes everything back at once.
    /// - Returns: The reports that were not delivered, in the order in which they would have been.
    public func shutdown(within limit: Duration) async -> [ErrorReport] {
        finish()
        let isInside = isInsideOwnAction
        let left = Promise<[ErrorReport]>()
        let deadline = clock.deadline(after: limit)
        // Weak, and without the binding to the bus that tasks inherit: the clock need not honour cancellation.
        let timer = ErrorBus.$current.withValue(nil) {
            Task { [weak self, clock] in
                if limit > .zero {
                    do { try await clock.sleep(deadline) } catch { return }
                }
                self?.takeBack { reports in
                    left.fulfill(reports)
                    guard isInside else { return }
                    for report in reports {
                        StandardError.write(report, because: "the bus was shut down before it was delivered")
                    }
                }
            }
        }
        if isInside {
            Task { [ended] in
                await ended.value
                timer.cancel()
            }
            return []
        }
        await ended.value
        timer.cancel()
        // Unless the timer has taken something back, everything was delivered.
        left.fulfill([])
        return await left.value
    }

    private func takeBack(_ receive: ([ErrorReport]) -> Void) {
        let left = takeLeftovers()
        for failure in left.failures { failure.writeToStandardError() }
        // Before the end is told to anyone: the process may be over soon after.
        receive(left.reports.map { $0.report() })
        for pending in left.reports { pending.promise?.fulfill(HandleOutcome(disposition: .dropped)) }
        if machine.withLock({ $0.leftoversWereReceived() }) { end() }
    }

    /// Ends the bus, and answers what was not delivered.
    func takeLeftovers() -> BusStateMachine.Leftovers {
        let (left, worker) = machine.withLock { machine in
            let worker = machine.generation
            let left = machine.takeBack(intake.shut()) { intake.takeDrops(for: $0) }
            generation.store(machine.generation, ordering: .releasing)
            return (left, worker)
        }
        cancelWorker(worker)
        return left
    }

    /// Everyone who waits for the end hears of it.
    ///
    /// Idempotent: a shutdown may meet the loop's own end.
    func end() {
        resignRoot()
        observers.finish()
        waker.finish()
        for task in staff.withLock({ [$0.watchdog, $0.alarm] }) { task?.cancel() }
        for promise in machine.withLock({ $0.takeIdleWaiters() }) { promise.fulfill(()) }
        ended.fulfill(())
    }
}
