import Dispatch
import Foundation

extension ErrorBus {
    /// The process's bus, for threads and callbacks that run in no task; nil if no bus has become the root.
    public static var root: ErrorBus? { ProcessRoot.bus }

    /// Makes this the process's bus until its run or its shutdown has returned.
    ///
    /// The newest root counts. When it ends, the one before it is the root again if it still runs and somebody else
    /// still retains it, so that parallel tests may each call an application's `main`. Does nothing for a bus that has
    /// ended, or that is a root already.
    public func becomeRoot() {
        if storage.hasEnded { return }
        ProcessRoot.add(self)
        // The bus might have ended since the check above, before it became the root, so remove it.
        if storage.hasEnded { ProcessRoot.remove(self) }
    }

    /// Delivers what is posted, until the bus is finished and drained.
    ///
    /// This is the root component's loop. Actions run in a task of the bus's own: neither the caller's actor nor its
    /// cancellation, priority or task-local values reach them. Cancelling the caller finishes the bus; this returns once
    /// everything posted before is delivered. It does not wait for tasks started with `task`; `withErrorBus` does.
    ///
    /// A second call, also for a bus that ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` runs, waits for
    /// the same end. Inside the bus's own body, tasks or actions it would wait for itself: it returns at once there, and
    /// writes a line to the ``LastResort``.
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
    /// - Parameter work: What the caller runs in; the bus's actions run in it too.
    /// - Returns: Whether it was started now.
    @discardableResult
    func start(within work: [Ambience.Work]) -> Bool {
        guard storage.perform({ $0.run() }) else { return false }
        internalTasks.withLock { $0.work = work.filter { $0.bus != number } }
        // If the bus has ended already, the worker stops at once.
        startWorker(0)
        return true
    }

    /// Ends posting: what is pending is still delivered, then ``run()`` returns.
    ///
    /// An error posted later counts as dropped, and is written to the ``LastResort``. Calling this again changes
    /// nothing.
    public func finish() {
        perform(storage.perform { $0.close($1) })
    }

    private func perform(_ action: CloseAction) {
        switch action {
        case .nothing: break
        case .wake: wakeUps.signal()
        case .end: end()
        }
    }

    /// Finishes the bus once its tasks have ended and nothing is pending, so that tasks which the actions of the last
    /// reports start are waited for too.
    ///
    /// The bus ends even if actions keep posting: once the tasks have ended, it accepts at most as many more reports as
    /// its capacity, and none if the caller was cancelled.
    func finishWhenIdle() async {
        // A task may wait for what a flood limit holds.
        _ = flushPromise(until: nil)
        await tasks.waitForAll()
        storage.perform { $0.tasksEnded($1) }
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
            let delivered = storage.perform { $0.counts.delivered }
            await tasks.waitForAll()
            // If nothing was delivered meanwhile, no action has run, and so none can have started another task.
            guard let action = storage.perform({ $0.close(ifIdleSince: delivered, $1) }) else { continue }
            perform(action)
            // Keeps the timer running until the bus has ended, also if somebody else has finished it.
            return await ended.value
        }
    }

    /// Cancels the tasks, and accepts no more reports once body and tasks have ended: the caller of
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` was cancelled.
    func cancel() {
        tasks.cancelAll()
        storage.perform { $0.cancel($1) }
    }

    /// Finishes the bus, and takes back what it could not deliver in time.
    ///
    /// The reports taken back, the one in delivery included, count as dropped, even if some of their actions have run.
    /// The action in flight is cancelled, and whatever it still does changes nothing. Cancelling the caller does not
    /// shorten the time. Called inside one of the bus's own actions, this returns an empty array at once; the time
    /// limit stays in force, and what is left then goes to the last resort. Of several calls, the one whose time is up
    /// first takes everything back.
    ///
    /// - Parameter limit: How long to wait for delivery; zero or less takes everything back at once.
    /// - Returns: The reports that were not delivered, in the order in which they would have been.
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
        // If everything is delivered, nothing is left. Below, this waits for `left` and not for `ended`, which an
        // observer's matcher may hold up.
        Task.detached { [ended] in
            await ended.value
            cancelTimer()
            left.fulfill([])
        }
        return isInside ? [] : await left.value
    }

    /// Takes back what was not delivered, and ends the bus, unless its worker has to.
    ///
    /// - Parameter receive: Gets the reports before anybody learns that the bus has ended, since the process may exit
    ///   soon after; none if the bus had ended already.
    func abort(_ receive: ([ErrorReport]) -> Void) {
        let left = storage.perform { $0.abort($1) }
        // First, so that another bus can become the root as soon as anybody learns that this one has ended.
        ProcessRoot.remove(self)
        for failure in left?.failures ?? [] { lastResort.write(failure) }
        receive(left?.reports ?? [])
        guard let left else { return }
        for (posting, _) in left.postings { posting.promise?.fulfill(HandleOutcome(disposition: .dropped)) }
        if storage.perform({ $0.leftoversWereReceived() }) { end() }
        cancelWorker(left.worker)
    }

    /// Notifies everyone who waits for the end that the bus has ended.
    ///
    /// Idempotent: a shutdown and the worker may both call it.
    func end() {
        ProcessRoot.remove(self)
        observers.finish(statistics)
        wakeUps.end()
        internalTasks.withLock { $0.timer?.task }?.cancel()
        for promise in storage.perform({ $0.takeFlushes { _ in true } }) { promise.fulfill(false) }
        ended.fulfill(())
        writeDropsAfterEnd()
    }

    /// Waits until everything posted before is delivered and its observers have received it; the bus goes on.
    ///
    /// For a platform that is about to freeze or end the process, and for tests. Reports that a ``FloodLimit`` holds
    /// are delivered too, although their windows have not ended; the windows go on. Errors posted meanwhile are not
    /// waited for. Returns at once if the caller is cancelled, and inside one of the bus's own actions, because that
    /// action would wait for itself.
    ///
    /// ```swift
    /// guard await bus.flush(within: .seconds(2)) else { … }
    /// ```
    ///
    /// - Parameter limit: How long to wait at most, by the configuration's clock.
    /// - Returns: Whether everything posted before is delivered; false also if a ``shutdown(within:)`` took back some
    ///   of it meanwhile. True for a bus that has ended, because it holds nothing.
    public func flush(within limit: Duration) async -> Bool {
        if isInsideOwnAction { return false }
        if limit <= .zero { return storage.perform { $0.isIdle($1) } }
        let promise = flushPromise(until: clock.deadline(after: limit))
        let isFlushed = await promise.value(ifCancelled: false)
        if !isFlushed { _ = storage.perform { machine in machine.takeFlushes { $0.promise === promise } } }
        return isFlushed
    }

    /// Returns a promise that is fulfilled once everything posted before is delivered, or at the deadline with false.
    func flushPromise(until deadline: Duration?) -> Promise<Bool> {
        let promise = Promise<Bool>()
        switch storage.perform({ $0.flush(promise, until: deadline, $1) }) {
        case .nothing:
            promise.fulfill(true)
            return promise
        case .wait: break
        case .wakeAndWait: wakeUps.signal()
        }
        if let deadline { setTimer(deadline) }
        return promise
    }

    /// Calls a closure when a time limit is over; with a limit of zero or less, before this returns.
    ///
    /// By the system's clock the timer is a thread of its own: a task needs a thread of the pool, and all of those may
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
            let deadline = DispatchTime.now() + DispatchTimeInterval(limit)
            Thread.detachNewThread {
                if isCancelled.wait(timeout: deadline) == .timedOut { body() }
            }
            return { isCancelled.signal() }
        }
        let task = startTask(at: clock.deadline(after: limit), body)
        return { task.cancel() }
    }

    /// Starts a task that sleeps until a moment, and then calls a closure, unless it is cancelled before.
    ///
    /// Detached, because it works for all: it must retain no task-local value of its caller, since a user's clock may
    /// sleep on after the cancellation, nor pass any on to a worker that it starts.
    func startTask(at moment: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task.detached { [clock] in
            do { try await clock.sleep(moment) } catch { return }
            body()
        }
    }
}
