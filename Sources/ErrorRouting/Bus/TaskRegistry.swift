/// The running tasks that were started with `task`.
final class TaskRegistry: Sendable {
    private struct State {
        /// The running tasks that are waited for, by number; nil for one that is just being started.
        var tasks: [UInt64: Task<Void, Never>?] = [:]
        /// The running tasks that are no longer waited for.
        var abandoned: Set<UInt64> = []
        var lastID: UInt64 = 0
        var isCancelled = false
        /// Fulfilled when no task is waited for any longer, and replaced then.
        var none = Promise<Void>()

        /// Whether all tasks have ended; nil while some are waited for.
        var haveEnded: Bool? { tasks.isEmpty ? abandoned.isEmpty : nil }

        mutating func takePromise() -> Promise<Void> {
            defer { none = Promise() }
            return none
        }
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

    /// Whether all tasks have ended; nil while some are waited for.
    var haveEnded: Bool? { state.withLock { $0.haveEnded } }

    /// Removes a task that has ended.
    func remove(_ id: UInt64) {
        let none = state.withLock { state -> Promise<Void>? in
            state.abandoned.remove(id)
            guard state.tasks.removeValue(forKey: id) != nil, state.tasks.isEmpty else { return nil }
            return state.takePromise()
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

    /// Lets nobody wait any longer for the tasks that run now.
    func abandonAll() {
        let none = state.withLock { state in
            state.abandoned.formUnion(state.tasks.keys)
            state.tasks = [:]
            return state.takePromise()
        }
        none.fulfill(())
    }

    /// Waits until no task is waited for any longer, those included that are started meanwhile.
    ///
    /// - Returns: Whether all tasks have ended; false if some were abandoned and still run.
    @discardableResult
    func waitForAll() async -> Bool {
        while true {
            let (haveEnded, none) = state.withLock { ($0.haveEnded, $0.none) }
            if let haveEnded { return haveEnded }
            await none.value
        }
    }
}
