extension ErrorBus {
    /// The process's root bus, for threads and callbacks outside tasks; nil if no bus is the root.
    public static var root: ErrorBus? { ProcessRoot.bus }

    /// Makes this bus the process's root until its run or its shutdown has returned.
    ///
    /// The newest root is in effect. When it ends, the previous root takes over again if that bus is still running and
    /// other code still retains it. Parallel tests can therefore each call an application's `main`. The call has no
    /// effect on a bus that has ended or already is a root.
    public func becomeRoot() {
        if storage.hasEnded { return }
        ProcessRoot.add(self)
        // Check again and remove the bus: it might have ended after the check above but before it became the root.
        if storage.hasEnded { ProcessRoot.remove(self) }
    }

    /// Delivers posted errors until the bus is finished and drained.
    ///
    /// The owner of the bus runs this loop. Actions run in the bus's own task; the caller's actor, cancellation,
    /// priority, and task-local values don't reach them. Cancelling the caller finishes the bus, and this method
    /// returns once every error posted until then is delivered. It doesn't wait for tasks started with `task`, but
    /// `withErrorBus` does.
    ///
    /// A second call waits until the bus has ended, even if ``withErrorBus(handler:configuration:asRoot:isolation:_:)``
    /// runs the bus. A call inside the bus's own body, tasks, or actions would wait for itself; instead, it writes a
    /// line to the ``LastResort`` and returns immediately.
    public func run() async {
        if !start(within: Ambience.current.work), isInsideOwnWork {
            let line = "error-bus: run() was called within the bus's own body, tasks or actions, and returned at once"
            return lastResort.write(line: line)
        }
        await withTaskCancellationHandler {
            await ended.value
        } onCancel: {
            finish()
        }
    }

    /// Starts the delivery and returns true, unless it was already started.
    ///
    /// `work` is the work that encloses the caller; it also encloses the bus's actions.
    @discardableResult
    func start(within work: [Ambience.Work]) -> Bool {
        guard storage.apply({ $0.run() }) else { return false }
        // A shutdown might end the bus first; the worker then stops immediately.
        startWorker(within: work.filter { $0.bus != number })
        return true
    }

    /// Stops accepting posts; the bus still delivers the pending reports, and then ``run()`` returns.
    ///
    /// An error that is posted later counts as dropped and is written to the ``LastResort``. Further calls have no
    /// effect.
    public func finish() {
        perform(storage.apply { $0.close() })
    }

    private func perform(_ action: BusStateMachine.CloseAction) {
        switch action {
        case .nothing: break
        case .wake: wakeUps.signal()
        case .end: end()
        }
    }

    /// Finishes the bus when its tasks have ended and all reports are delivered.
    ///
    /// The method also waits for tasks that the actions for the last reports start. The bus ends even if actions keep
    /// posting: after the tasks have ended, it accepts about as many more reports as its capacity. If the caller was
    /// cancelled, the bus doesn't accept more reports.
    func finishWhenIdle() async {
        // Flush first: a task might be waiting for a held report.
        _ = flushPromise()
        await tasks.waitForAll()
        storage.apply { $0.tasksEnded() }
        // Check the task after the event: a cancellation before the event hasn't closed the bus.
        if Task.isCancelled { finish() }
        let cancelTimer = configuration.drainTimeLimit.map { limit in
            startTimer(within: limit) { [weak self] in
                guard let self else { return }
                let reason = "it was not delivered within the drain time limit of \(limit)"
                abort { reports in for report in reports { lastResort.write(report, because: reason) } }
            }
        }
        defer { cancelTimer?() }
        while true {
            _ = await flushPromise().value
            let delivered = storage.apply { $0.counts.delivered }
            await tasks.waitForAll()
            // Close the bus only if it was idle: if it delivered no reports during the wait, an action can't have
            // started a task.
            guard let action = storage.apply({ $0.close(ifIdleSince: delivered) }) else { continue }
            perform(action)
            // Keep the timer until the bus has ended, even if other code has finished it: the limit is still in effect.
            await ended.value
            // Wait again: if the bus had closed by itself, its last actions might have started tasks.
            await tasks.waitForAll()
            return
        }
    }

    /// Cancels the tasks, and stops accepting reports once the body and the tasks have ended.
    ///
    /// It is called when the caller of ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` is cancelled.
    func cancel() {
        tasks.cancelAll(at: nil)
        perform(storage.apply { $0.closeAfterTasks() })
    }

    /// Finishes the bus and returns the reports that it couldn't deliver in time.
    ///
    /// The returned reports count as dropped, even if some of their actions have run. They include the report in
    /// delivery: the bus cancels the action in progress and ignores its result. Cancelling the caller doesn't shorten
    /// the time.
    ///
    /// Inside one of the bus's own actions, this method immediately returns an empty array. The time limit still
    /// applies, and reports left when it expires go to the last resort. If there are several calls, the call with the
    /// earliest deadline returns all reports.
    ///
    /// - Parameter limit: How long to wait for delivery. If it isn't positive, every report is removed and returned
    ///   immediately.
    /// - Returns: The undelivered reports, in the order of delivery.
    public func shutdown(within limit: Duration) async -> [ErrorReport] {
        finish()
        let isInside = isInsideOwnAction
        let left = Promise<[ErrorReport]>()
        let cancelTimer = startTimer(within: limit) { [weak self] in
            guard let self else { return }
            abort { reports in
                if !isInside { configuration.witness?.tookBack(reports) }
                left.fulfill(reports)
                for report in isInside ? reports : [] {
                    lastResort.write(report, because: "the bus was shut down before it was delivered")
                }
            }
        }
        // Return an empty array once the bus has ended. Wait below for `left` and not for `ended`: an observer's
        // matcher might delay `ended`.
        Task.detached { [ended] in
            await ended.value
            cancelTimer()
            left.fulfill([])
        }
        return isInside ? [] : await left.value
    }

    /// Removes the undelivered reports and ends the bus unless its worker must end it.
    ///
    /// The closure receives the reports, or an empty array if the bus had already ended. It runs before anyone is
    /// notified of the end, because the process might exit soon after that.
    func abort(_ receive: ([ErrorReport]) -> Void) {
        let left = storage.apply { $0.abort() }
        // Remove the root first: code that is notified of the end must be able to make another bus the root.
        ProcessRoot.remove(self)
        for failure in left?.failures ?? [] { lastResort.write(failure) }
        receive(left?.reports ?? [])
        guard let left else { return }
        for posting in left.postings { posting.promise?.fulfill(HandleOutcome(disposition: .dropped)) }
        // Fulfill the promise: the worker must stop waiting, regardless of what the action does.
        left.action?.end.fulfill(.reportRemoved)
        if storage.apply({ $0.leftoversWereReceived() }) { end() }
        if let action = left.action { action.cancel() } else if left.sequence > 0 { cancelWorker() }
    }

    /// Notifies everyone who waits for the bus's end.
    ///
    /// The last party that is at work after the end calls it once; see ``BusStateMachine/Parties``.
    func end() {
        ProcessRoot.remove(self)
        finishObservers()
        wakeUps.end()
        // Fulfill the remaining flushes: they were added before a shutdown, or during the last notification. They have
        // succeeded unless the shutdown removed reports.
        let (flushes, isFlushed) = storage.apply { $0.takeFlushesAtEnd() }
        for promise in flushes { promise.fulfill(isFlushed) }
        ended.fulfill(())
        internalTasks.withLock { $0.alarm?.task }?.cancel()
    }

    /// Waits until every error posted so far is delivered and observers have received it; the bus continues.
    ///
    /// Call this method in tests, and before a platform freezes or terminates the process. The bus also delivers
    /// reports that a ``FloodLimit`` holds back, even if their windows haven't ended; the windows continue. The method
    /// doesn't wait for errors posted after the call. It returns immediately if the caller is cancelled. It also
    /// returns immediately inside one of the bus's own actions, because that action would wait for itself.
    ///
    /// ```swift
    /// guard await bus.flush(within: .seconds(2)) else { … }
    /// ```
    ///
    /// - Parameter limit: The longest wait, measured with the configuration's clock.
    /// - Returns: Whether every error posted before the call is delivered; false also if a ``shutdown(within:)``
    ///   removed reports during the wait. The result is true for a bus that has ended, because it doesn't hold any
    ///   reports.
    public func flush(within limit: Duration) async -> Bool {
        if isInsideOwnAction { return false }
        if limit <= .zero { return storage.apply { $0.isIdle } }
        let deadline = clock.deadline(after: limit)
        let promise = flushPromise()
        if let isFlushed = promise.valueIfFulfilled { return isFlushed }
        let timer = startTask(at: deadline) { promise.fulfill(false) }
        defer { timer.cancel() }
        let isFlushed = await promise.value(ifCancelled: false)
        if !isFlushed { storage.apply { $0.removeFlush(promise) } }
        return isFlushed
    }

    /// Returns a promise that is fulfilled with true once every error posted so far is delivered.
    func flushPromise() -> Promise<Bool> {
        let promise = Promise<Bool>()
        switch storage.apply({ $0.flush(promise) }) {
        case .nothing: promise.fulfill(true)
        case .wait: break
        case .wakeAndWait: wakeUps.signal()
        }
        return promise
    }
}
