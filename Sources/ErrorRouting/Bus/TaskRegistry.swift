/// The running tasks that were started with `task`.
final class TaskRegistry: Sendable {
    private struct State {
        /// The running tasks by number; nil for one that is just being started.
        var tasks: [UInt64: Task<Void, Never>?] = [:]
        var lastID: UInt64 = 0
        var isCancelled = false
        /// Fulfilled when the last of the tasks has ended, and replaced then.
        var none = Promise<Void>()
    }

    private let state = Locked(State())

    /// Returns a number for a task that is about to be started; from now on the task counts as running.
    func reserve() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.tasks[state.lastID] = .some(nil)
            return state.lastID
        }
    }

    /// Adds the task that was started under a number.
    ///
    /// Cancels the task if the others were cancelled before, as a task group does.
    func enter(_ task: Task<Void, Never>, as id: UInt64) {
        let cancel = state.withLock { state in
            // The task may have ended already.
            if state.tasks[id] != nil { state.tasks[id] = task }
            return state.isCancelled
        }
        if cancel { task.cancel() }
    }

    /// Whether the tasks were cancelled; then a task that starts has to cancel itself.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Removes a task that has ended.
    func remove(_ id: UInt64) {
        let none = state.withLock { state -> Promise<Void>? in
            state.tasks[id] = nil
            guard state.tasks.isEmpty else { return nil }
            defer { state.none = Promise() }
            return state.none
        }
        none?.fulfill(())
    }

    /// Cancels the running tasks, and from now on every task that is added.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks.values.compactMap(\.self)
        }
        for task in tasks { task.cancel() }
    }

    /// Forgets the running tasks, so that nobody waits for them any longer.
    func forgetAll() {
        let none = state.withLock { state in
            state.tasks = [:]
            defer { state.none = Promise() }
            return state.none
        }
        none.fulfill(())
    }

    /// Waits until no task runs, including tasks that are started meanwhile.
    func waitForAll() async {
        while let none = state.withLock({ $0.tasks.isEmpty ? nil : $0.none }) { await none.value }
    }
}
