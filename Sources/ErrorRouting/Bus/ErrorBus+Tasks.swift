extension ErrorBus {
    /// Waits for the tasks started with `task` and cancels those that exceed a time limit.
    ///
    /// Use it in a service that must stop in time. Call it after the other work has ended and before
    /// ``shutdown(within:)``, so that the last errors of these tasks are delivered like any others. After the limit,
    /// tasks started later are cancelled too.
    ///
    /// What a task throws after this has cancelled it is posted as a ``TaskCutOff``, even a cancellation: its work is
    /// missing. A task that hasn't ended after the wait is posted as one too, without an underlying error. What it
    /// throws later is written to the ``LastResort``. A task that returns, or that its owner has cancelled before,
    /// isn't posted. A task that an action starts for a ``TaskCutOff``, and that is cut off too, is written to the
    /// last resort.
    ///
    /// Once the wait for the cancelled tasks is over, nothing waits any longer for a task that continues despite its
    /// cancellation: neither another call of this, which immediately returns false, nor
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)``. Cancelling the caller doesn't shorten the time. If
    /// one of these tasks calls this, it waits for itself.
    ///
    /// ```swift
    /// await bus.cancelTasks(after: .seconds(3))
    /// let left = await bus.shutdown(within: .seconds(5))
    /// ```
    ///
    /// - Parameters:
    ///   - limit: How long the tasks may continue, by the configuration's clock; zero or less cancels them, and those
    ///     started later, at once.
    ///   - grace: How long to wait for the cancelled tasks, at most.
    /// - Returns: Whether all tasks have ended.
    @discardableResult
    public func cancelTasks(after limit: Duration, waitingUpTo grace: Duration = .seconds(1)) async -> Bool {
        if limit > .zero, let haveEnded = await tasksEnd(within: limit) { return haveEnded }
        tasks.cancelAll(at: max(limit, .zero))
        if let haveEnded = await tasksEnd(within: grace) { return haveEnded }
        tasks.abandonAll(at: max(limit, .zero))
        return false
    }

    /// Whether this is called in an action for a report of a task that a limit cut off, with the tasks cancelled.
    ///
    /// A task that starts there is cut off too. If it were posted, its report could start a task again, and so on.
    var isHandlingCutOff: Bool {
        Ambience.current.deliverer == number && tasks.isCancelled
            && storage.errorInDelivery?.error is TaskCutOff
    }

    /// Writes a task that was cut off, and that was started for another such task.
    func writeFurther(_ cutOff: TaskCutOff, _ metadata: [String: String]) {
        lastResort.write(
            ErrorReport(error: cutOff, source: cutOff.source, metadata: metadata),
            because: "its task was started for a task that was cut off")
    }

    /// Writes the error of a task that the bus no longer waits for, and that was posted as cut off.
    func writeLate(_ error: any Error, _ metadata: [String: String], _ source: ErrorReport.Source) {
        lastResort.write(
            ErrorReport(error: error, source: source, metadata: metadata),
            because: "its task was cut off before, and the bus no longer waited for it")
    }

    /// Returns whether all tasks have ended; nil if this must still wait for some at the limit.
    private func tasksEnd(within limit: Duration) async -> Bool? {
        if let haveEnded = tasks.haveEnded { return haveEnded }
        let end = Promise<Bool?>()
        Task.detached { [tasks] in end.fulfill(await tasks.waitForAll()) }
        let cancelTimer = startTimer(within: limit) { end.fulfill(nil) }
        defer { cancelTimer() }
        return await end.value
    }
}
