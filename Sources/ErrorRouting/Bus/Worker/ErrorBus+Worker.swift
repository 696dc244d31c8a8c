import Foundation

/// The bus's worker, and the tasks of asynchronous actions.
extension ErrorBus {
    /// The tasks that the bus starts for itself; a running action owns its own task.
    struct InternalTasks {
        var worker: Task<Void, Never>?
        var alarm: Alarm?
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
        ambience.work.append(.init(bus: number, part: .asynchronousAction(for: running.action.report.sequence)))
        running.start { [self, ambience] in await perform(running, in: ambience) }
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
        if let limit { setAlarm(limit) }
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

    /// Cancels the worker's task, which might be running a synchronous action.
    func cancelWorker() { internalTasks.withLock { $0.worker }?.cancelOnOwnThread() }
}

extension Task {
    /// Cancels the task on a thread of its own: a cancellation handler might be slow, and callers must not wait for it.
    func cancelOnOwnThread() { Thread.detachNewThread { cancel() } }
}
