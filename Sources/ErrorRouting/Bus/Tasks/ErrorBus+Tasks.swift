extension ErrorBus {
    /// Waits for the tasks started with `task` and cancels those that exceed a time limit.
    ///
    /// Use it in a service that must stop in time. Call it after the other work has ended and before
    /// ``shutdown(within:)``, so that the last errors of these tasks are delivered like any others. After the limit,
    /// tasks that are started later are cancelled too.
    ///
    /// An error that a task throws after this method has cancelled it is posted in a ``TaskCutOff``, even if the error
    /// is a cancellation, because the task's work is missing. A task that hasn't ended when the wait is over is also
    /// posted as a ``TaskCutOff``, without an underlying error; an error that it throws later is written to the
    /// ``LastResort``. Tasks that return by then aren't posted, nor is an error of a task that its owner has cancelled
    /// before. If an action starts a task for a ``TaskCutOff`` and that task is cut off too, it is written to the last
    /// resort.
    ///
    /// After the wait, tasks that ignore their cancellation are abandoned: later calls of this method immediately
    /// return false, and ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` doesn't wait for them. Cancelling
    /// the caller doesn't shorten the time. Don't call this method from one of the bus's tasks, because the task would
    /// wait for itself.
    ///
    /// ```swift
    /// await bus.cancelTasks(after: .seconds(3))
    /// let left = await bus.shutdown(within: .seconds(5))
    /// ```
    ///
    /// - Parameters:
    ///   - limit: How long the tasks can continue, measured with the configuration's clock. If it isn't positive, the
    ///     tasks are cancelled immediately, as are tasks that are started later.
    ///   - grace: The maximum time to wait for the cancelled tasks.
    /// - Returns: Whether all tasks have ended.
    @discardableResult
    public func cancelTasks(after limit: Duration, waitingUpTo grace: Duration = .seconds(1)) async -> Bool {
        if limit > .zero, let haveEnded = await tasksEnd(within: limit) { return haveEnded }
        tasks.cancelAll(at: max(limit, .zero))
        if let haveEnded = await tasksEnd(within: grace) { return haveEnded }
        tasks.abandonAll(at: max(limit, .zero))
        return false
    }

    /// Whether this code runs in an action for a report about a task that was cut off, while tasks are cancelled.
    ///
    /// A task that starts there is cut off too. If it were posted, its report could start another task, and so on.
    var isHandlingCutOff: Bool {
        ownWork.contains { $0.part != .bodyOrTask } && tasks.isCancelled
            && storage.apply({ $0.errorInDelivery })?.error is TaskCutOff
    }

    /// Returns whether all tasks have ended; nil if some are still running at the limit.
    private func tasksEnd(within limit: Duration) async -> Bool? {
        if let haveEnded = tasks.haveEnded { return haveEnded }
        let end = Promise<Bool?>()
        Task.detached { [tasks] in end.fulfill(await tasks.waitForAll()) }
        let cancelTimer = startTimer(within: limit) { end.fulfill(nil) }
        defer { cancelTimer() }
        return await end.value
    }
}
