extension ErrorBus {
    /// Waits for the tasks that were started with `task`, and cancels those that take longer than a time limit.
    ///
    /// For a service that has to stop in time: call it after the other work has ended, and before
    /// ``shutdown(within:)``, so that the last errors of these tasks are delivered like any others. If the limit
    /// passes, tasks that are started later are cancelled too. A task that goes on in spite of its cancellation is no
    /// longer waited for once the grace has passed: not by another caller of this, who gets false at once, nor by
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)``. Cancelling the caller does not shorten the time. If
    /// one of these tasks calls this, it waits for itself.
    ///
    /// ```swift
    /// await bus.endTasks(within: .seconds(3))
    /// let left = await bus.shutdown(within: .seconds(5))
    /// ```
    ///
    /// - Parameters:
    ///   - limit: How long the tasks may go on, by the configuration's clock; zero or less cancels them, and those
    ///     that are started later, at once.
    ///   - grace: How long this waits for the tasks that it has cancelled.
    /// - Returns: Whether all tasks have ended.
    @discardableResult
    public func endTasks(within limit: Duration, grace: Duration = .seconds(1)) async -> Bool {
        if limit > .zero, let haveEnded = await tasksEnd(within: limit) { return haveEnded }
        tasks.cancelAll()
        if let haveEnded = await tasksEnd(within: grace) { return haveEnded }
        tasks.abandonAll()
        return false
    }

    /// Returns whether all tasks have ended; nil if some are still waited for at the limit.
    private func tasksEnd(within limit: Duration) async -> Bool? {
        if let haveEnded = tasks.haveEnded { return haveEnded }
        let end = Promise<Bool?>()
        Task.detached { [tasks] in end.fulfill(await tasks.waitForAll()) }
        let cancelTimer = startTimer(within: limit) { end.fulfill(nil) }
        defer { cancelTimer() }
        return await end.value
    }
}
