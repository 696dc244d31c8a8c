/// The running tasks started with `task`.
final class TaskRegistry: Sendable {
    private struct State {
        /// The running tasks that the bus waits for, by number; nil for a task that is being started.
        var tasks: [UInt64: Task<Void, Never>?] = [:]
        /// The running tasks that the bus no longer waits for.
        var abandoned: Set<UInt64> = []
        var lastID: UInt64 = 0
        var isCancelled = false
        /// Fulfilled and replaced when there is no task left to wait for.
        var none = Promise<Void>()

        /// Whether all tasks have ended; nil while the bus waits for some.
        var haveEnded: Bool? { tasks.isEmpty ? abandoned.isEmpty : nil }

        mutating func takePromise() -> Promise<Void> {
            defer { none = Promise() }
            return none
        }
    }

    private let state = Locked(State())

    /// Returns a number for a task that is about to start; the task counts as running from now on.
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
            // The task might already have ended.
            if state.tasks[id] != nil { state.tasks[id] = task }
            return state.isCancelled
        }
        if cancel { task.cancel() }
    }

    /// Whether the tasks were cancelled; if so, a task that starts must cancel itself.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether all tasks have ended; nil while the bus waits for some.
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

    /// Cancels the running tasks and every task added from now on.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks.values.compactMap(\.self)
        }
        for task in tasks { task.cancel() }
    }

    /// Stops waiting for the tasks that run now.
    func abandonAll() {
        let none = state.withLock { state in
            state.abandoned.formUnion(state.tasks.keys)
            state.tasks = [:]
            return state.takePromise()
        }
        none.fulfill(())
    }

    /// Waits until there is no task left to wait for, including tasks started during the wait.
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
