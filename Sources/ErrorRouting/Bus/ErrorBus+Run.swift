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
        switch storage.run() {
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
        storage.runReturned()
    }

    /// Ends posting: what is pending is still delivered, then ``run()`` returns.
    ///
    /// An error posted later is counted as dropped, and written to standard error. Finishing twice is the same as once.
    public func finish() {
        perform(storage.close())
    }

    private func perform(_ action: BusStorage.CloseAction) {
        switch action {
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
        if storage.windUp() { waker.yield() }
        await tasks.waitForAll()
        storage.tasksEnded()
        let timer = drainTimeLimit.map { limit in
            ShutdownTimer(within: limit, by: clock) { [weak self] in self?.giveUp(after: limit) }
        }
        defer { timer?.cancel() }
        while true {
            let idle = Promise<Void>()
            if storage.waitUntilIdle(idle) { idle.fulfill(()) }
            await idle.value
            let posted = storage.counts.posted
            await tasks.waitForAll()
            // Unless something was posted meanwhile, no action has run that could have started another task.
            guard let action = storage.close(ifIdleSince: posted) else { continue }
            perform(action)
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
        storage.hurry()
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
        let (left, worker) = storage.takeBack()
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
        if storage.leftoversWereReceived() { end() }
        // At last, since what an action does when it is cancelled may take its time.
        cancelWorker(worker)
    }

    /// Everyone who waits for the end hears of it.
    ///
    /// Idempotent: a shutdown may meet the loop's own end.
    func end() {
        resignRoot()
        observers.finish(statistics)
        waker.finish()
        for task in staff.withLock({ [$0.watchdog, $0.alarm] }) { task?.cancel() }
        let (idle, flushes) = storage.takeWaiters()
        for promise in idle { promise.fulfill(()) }
        for promise in flushes { promise.fulfill(false) }
        ended.fulfill(())
    }
}
