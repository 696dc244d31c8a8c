import Dispatch
import Foundation

extension ErrorBus {
    /// The process's bus, for threads and callbacks outside tasks; nil if no bus has become the root.
    public static var root: ErrorBus? { ProcessRoot.bus }

    /// Makes this bus the process's root until its run or its shutdown has returned.
    ///
    /// The newest root counts. When it ends, the root before it takes over again if it still runs and is still retained
    /// elsewhere. Parallel tests can therefore each call an application's `main`. The call does nothing for a bus that
    /// has ended or already is a root.
    public func becomeRoot() {
        if storage.hasEnded { return }
        ProcessRoot.add(self)
        // The bus might have ended since the check above, before it became the root, so remove it.
        if storage.hasEnded { ProcessRoot.remove(self) }
    }

    /// Delivers posted errors until the bus is finished and drained.
    ///
    /// The owner of the bus runs this loop. Actions run in the bus's own task; the caller's actor, cancellation,
    /// priority, and task-local values don't reach them. Cancelling the caller finishes the bus; this returns once
    /// every error posted before is delivered. It doesn't wait for tasks started with `task`; `withErrorBus` does.
    ///
    /// A second call waits for the same end, even if ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` runs
    /// the bus. Inside the bus's own body, tasks, or actions, it would wait for itself; there it writes a line to the
    /// ``LastResort`` and returns at once.
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

    /// Starts the delivery, unless it was started before.
    ///
    /// - Parameter work: The work that the caller runs in; the bus's actions run in it too.
    /// - Returns: Whether it was started now.
    @discardableResult
    func start(within work: [Ambience.Work]) -> Bool {
        unrunWatch.close()
        guard storage.run() else { return false }
        internalTasks.withLock { $0.work = work.filter { $0.bus != number } }
        // If the bus has ended already, the worker stops at once.
        startWorker()
        return true
    }

    /// Ends posting; the bus still delivers the pending reports, and then ``run()`` returns.
    ///
    /// An error posted later counts as dropped and is written to the ``LastResort``. Calling this again changes
    /// nothing.
    public func finish() {
        unrunWatch.close()
        perform(storage.close())
    }

    private func perform(_ action: BusStateMachine.CloseAction) {
        switch action {
        case .nothing: break
        case .wake: wakeUps.signal()
        case .end: end()
        }
    }

    /// Finishes the bus once its tasks have ended and nothing is pending, so that it also waits for tasks started by
    /// the last reports' actions.
    ///
    /// The bus ends even if actions keep posting: once the tasks have ended, it accepts about as many more reports as its
    /// capacity, and none if the caller was cancelled.
    func finishWhenIdle() async {
        // Flush first: a task might be waiting for a held report.
        _ = flushPromise(until: nil)
        await tasks.waitForAll()
        perform(storage.tasksEnded())
        let cancelTimer = configuration.drainTimeLimit.map { limit in
            startTimer(within: limit) { [weak self] in
                guard let self else { return }
                let reason = "it was not delivered within the drain time limit of \(limit)"
                abort { reports in for report in reports { lastResort.write(report, because: reason) } }
            }
        }
        defer { cancelTimer?() }
        while true {
            _ = await flushPromise(until: nil).value
            let delivered = storage.deliveredCount
            await tasks.waitForAll()
            // If nothing was delivered by then, no action has run that could have started another task.
            guard let action = storage.close(ifIdleSince: delivered) else { continue }
            perform(action)
            // Keep the timer running until the bus has ended, even if other code has finished it.
            return await ended.value
        }
    }

    /// Cancels the tasks and stops accepting reports once body and tasks have ended, because the caller of
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` was cancelled.
    func cancel() {
        tasks.cancelAll(at: nil)
        perform(storage.cancel())
    }

    /// Finishes the bus and returns the reports that it couldn't deliver in time.
    ///
    /// The returned reports count as dropped, even if some of their actions have run. They include the report in
    /// delivery. The bus cancels the action in flight and ignores its result. Cancelling the caller doesn't shorten the
    /// time. Inside one of the bus's own actions, this returns an empty array at once. The time limit stays in force,
    /// and the reports left at its end go to the last resort. Of several calls, the one with the earliest deadline
    /// returns all the reports.
    ///
    /// - Parameter limit: How long to wait for delivery; zero or less removes and returns every report at once.
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
        // If everything is delivered, nothing is left. Below, wait for `left` and not for `ended`: an observer's
        // matcher might delay `ended`.
        Task.detached { [ended] in
            await ended.value
            cancelTimer()
            left.fulfill([])
        }
        return isInside ? [] : await left.value
    }

    /// Removes the undelivered reports and ends the bus, unless its worker must end it.
    ///
    /// - Parameter receive: Receives the reports, or none if the bus had already ended. It runs before anyone is
    ///   notified of the end, because the process might exit soon after.
    func abort(_ receive: ([ErrorReport]) -> Void) {
        let left = storage.abort()
        // Remove it first: anyone notified of the end must be able to make another bus the root.
        ProcessRoot.remove(self)
        for failure in left?.failures ?? [] { lastResort.write(failure) }
        receive(left?.reports ?? [])
        guard let left else { return }
        for (posting, _) in left.postings { posting.promise?.fulfill(HandleOutcome(disposition: .dropped)) }
        // Its worker stops waiting, whatever the action does.
        left.action?.end.fulfill(.takenBack)
        if storage.leftoversWereReceived() { end() }
        cancel(left.action)
    }

    /// Notifies everyone who waits for the end that the bus has ended.
    ///
    /// Idempotent: a shutdown and the worker can both call it.
    func end() {
        ProcessRoot.remove(self)
        observers.finish(statistics)
        wakeUps.end()
        // A flush that still waits came before a shutdown, or during the last notification. It has succeeded unless
        // the shutdown has removed reports.
        let (flushes, isFlushed) = storage.takeFlushes()
        for promise in flushes { promise.fulfill(isFlushed) }
        ended.fulfill(())
        internalTasks.withLock { $0.timer?.task }?.cancel()
        writeDropsAfterEnd()
    }

    /// Waits until every error posted before is delivered and observers have received it; the bus continues.
    ///
    /// Call it in tests, and before a platform freezes or ends the process. The bus also delivers reports that a
    /// ``FloodLimit`` holds back, although their windows haven't ended; the windows continue. This doesn't wait for
    /// errors posted after the call. It returns at once if the caller is cancelled. It also returns at once inside one
    /// of the bus's own actions, because that action would wait for itself.
    ///
    /// ```swift
    /// guard await bus.flush(within: .seconds(2)) else { … }
    /// ```
    ///
    /// - Parameter limit: The longest wait, by the configuration's clock.
    /// - Returns: Whether every error posted before is delivered; false also if a ``shutdown(within:)`` removed reports
    ///   during the wait. True for a bus that has ended, because it holds nothing.
    public func flush(within limit: Duration) async -> Bool {
        if isInsideOwnAction { return false }
        if limit <= .zero { return storage.isIdle }
        let promise = flushPromise(until: clock.deadline(after: limit))
        let isFlushed = await promise.value(ifCancelled: false)
        if !isFlushed { storage.removeFlush(promise) }
        return isFlushed
    }

    /// Returns a promise that is fulfilled once every error posted before is delivered, or with false at the deadline.
    func flushPromise(until deadline: Duration?) -> Promise<Bool> {
        let promise = Promise<Bool>()
        switch storage.flush(promise, until: deadline) {
        case .nothing:
            promise.fulfill(true)
            return promise
        case .wait: break
        case .wakeAndWait: wakeUps.signal()
        }
        if let deadline { setTimer(deadline) }
        return promise
    }

    /// Calls a closure at the end of a time limit; with a limit of zero or less, before this returns.
    ///
    /// With the system's clock, the timer is its own thread: a task needs a thread of the pool, and all of those might
    /// be blocked when a shutdown is needed.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - body: The closure.
    /// - Returns: A closure that cancels the timer.
    func startTimer(within limit: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        if limit <= .zero {
            body()
            return {}
        }
        if clock.isContinuous {
            let isCancelled = DispatchSemaphore(value: 0)
            let deadline = DispatchTime.after(limit)
            Thread.detachNewThread {
                if isCancelled.wait(timeout: deadline) == .timedOut { body() }
            }
            return { isCancelled.signal() }
        }
        let task = startTask(at: clock.deadline(after: limit), body)
        return { task.cancel() }
    }

    /// Starts a task that sleeps until an instant and then calls a closure, unless it is cancelled before.
    ///
    /// The task is detached because it works for all callers. It must not retain a task-local value of its caller,
    /// because a user's clock might continue sleeping after the cancellation. Nor may it pass any to a worker that it
    /// starts.
    func startTask(at moment: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task.detached { [clock] in
            do { try await clock.sleep(moment) } catch { return }
            body()
        }
    }
}
