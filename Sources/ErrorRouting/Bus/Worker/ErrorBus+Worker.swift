import Foundation

/// The bus's internal tasks: its worker, its timer, and a running asynchronous action.
extension ErrorBus {
    struct InternalTasks {
        var worker: Task<Void, Never>?
        /// The task of the latest asynchronous action.
        var action: Task<Void, Never>?
        var timer: Timer?
    }

    /// Starts the worker, or the successor of a worker whose task was cancelled.
    ///
    /// `work` is the work that encloses the bus; the bus's actions belong to it too. The task is detached because it
    /// works for all callers: later actions must not inherit task-local values or a priority from the code that runs
    /// the bus.
    func startWorker(within work: [Ambience.Work]) {
        let former = internalTasks.withLock { tasks in
            // Start the task under the lock: its own successor must not be stored before it.
            exchange(&tasks.worker, with: Task.detached { await DeliveryWorker(bus: self, within: work).work() })
        }
        withExtendedLifetime(former) {}
    }

    /// Reads the clock for ``Statistics/deliveryTime``.
    func noteDelivery() { deliveryBegan.set(clock.now().nanoseconds) }

    // MARK: Asynchronous actions

    /// Starts an asynchronous action in its own task, which fulfills the action's promise when it ends.
    func start(_ running: RunningAction) {
        var ambience = Ambience.current
        ambience.work.append(.init(bus: number, action: running.action.report.sequence))
        let former = internalTasks.withLock { tasks in
            exchange(&tasks.action, with: Task.detached { [self, ambience] in await perform(running, in: ambience) })
        }
        withExtendedLifetime(former) {}
    }

    /// Runs an asynchronous action, unless its report was removed by then.
    ///
    /// The action's end has an effect only if the action wasn't abandoned.
    private func perform(_ running: RunningAction, in ambience: Ambience) async {
        // Start the time limit now: until this point, the task might have waited for a thread.
        let limit = running.limit.map { clock.deadline(after: $0) }
        guard storage.apply({ $0.actionStarts(running, until: limit) }) else {
            return running.end.fulfill(.reportRemoved)
        }
        if let limit { setTimer(limit) }
        let end = await Ambience.$current.withValue(ambience) {
            do {
                return ActionEnd.returned(try await running.action.run())
            } catch {
                return .failed(running.action.failure(error))
            }
        }
        if storage.apply({ $0.actionEnds(running, end) }) {
            running.end.fulfill(end)
        } else if case .failed(let failure) = end {
            writeFailureOfAbandonedAction(failure)
        }
    }

    /// Writes the failure of an action that was abandoned or whose report was removed.
    ///
    /// A cancellation is omitted, also if the action threw it just before the bus cancelled the action.
    func writeFailureOfAbandonedAction(_ failure: ActionFailure) {
        if Cancellation.role(of: failure.error) == .failure { lastResort.write(failure) }
    }

    /// Cancels the task of the asynchronous action in progress or, if there is none, the worker's task, which might be
    /// running a synchronous action.
    ///
    /// This uses its own thread, because an action's cancellation handler might be slow and callers must not wait for
    /// it.
    func cancelDelivery(isInAction: Bool) {
        guard let task = internalTasks.withLock({ isInAction ? $0.action : $0.worker }) else { return }
        Thread.detachNewThread { task.cancel() }
    }

    // MARK: The timer

    /// A task that sleeps until the earliest time at which a limit might expire or a flood limit's window might end.
    struct Timer {
        let moment: Duration
        let task: Task<Void, Never>
    }

    /// Sets the timer so that it fires no later than at the given time.
    func setTimer(_ moment: Duration) {
        let (task, former) = internalTasks.withLock { tasks -> (Task<Void, Never>?, Timer?) in
            if let timer = tasks.timer, timer.moment <= moment { return (nil, nil) }
            // Start the task under the lock: a timer that fires before it is stored would look pending forever.
            let task = startTask(at: moment) { [weak self] in self?.timerFires(at: moment) }
            defer { tasks.timer = Timer(moment: moment, task: task) }
            return (task, tasks.timer)
        }
        former?.task.cancel()
        if let task, storage.hasEnded { task.cancel() }
    }

    private func timerFires(at moment: Duration) {
        let former = internalTasks.withLock { tasks in tasks.timer?.moment == moment ? tasks.timer.take() : nil }
        withExtendedLifetime(former) {}
        let now = clock.now()
        switch storage.apply({ $0.timeIsUp(at: now) }) {
        case .nothing: break
        case .wait(let end): setTimer(end)
        case .wake: wakeUps.signal()
        case .abandon(let running, let end):
            // Cancel first: once the promise is fulfilled, the worker might start the next action.
            cancelDelivery(isInAction: true)
            running.end.fulfill(end)
        }
    }
}
