extension ErrorBus {
    /// Waits for the tasks that were started with `task`, and cancels those that take longer than a time limit.
    ///
    /// For a service that has to stop in time: call it after the other work has ended, and before
    /// ``shutdown(within:)``, so that the last errors of these tasks are delivered like any others. Once the limit has
    /// passed, tasks that are started later are cancelled too. A task that goes on in spite of its cancellation is no
    /// longer waited for once the grace has passed, by ``withErrorBus(handler:configuration:asRoot:isolation:_:)``
    /// either. Cancelling the caller does not shorten the time. If one of these tasks calls this, it waits for itself.
    ///
    /// ```swift
    /// await bus.endTasks(within: .seconds(3))
    /// let left = await bus.shutdown(within: .seconds(5))
    /// ```
    ///
    /// - Parameters:
    ///   - limit: How long the tasks may go on, by the configuration's clock; zero or less cancels them at once.
    ///   - grace: How long this waits for the tasks that it has cancelled.
    /// - Returns: Whether all tasks have ended.
    @discardableResult
    public func endTasks(within limit: Duration, grace: Duration = .seconds(1)) async -> Bool {
        if await tasksEnd(within: limit) { return true }
        tasks.cancelAll()
        if await tasksEnd(within: grace) { return true }
        tasks.forgetAll()
        return false
    }

    private func tasksEnd(within limit: Duration) async -> Bool {
        let end = Promise<Bool>()
        Self.unbound {
            _ = Task { [tasks] in
                await tasks.waitForAll()
                end.fulfill(true)
            }
        }
        let timer = TimeLimitTimer(within: limit, by: clock, outsidePool: true) { end.fulfill(false) }
        defer { timer.cancel() }
        return await end.value
    }
}
