/// The tasks that were started with `task` and still run.
final class TaskRegistry: Sendable {
    private struct State {
        /// The numbers of tasks that run; nil where the task is just being started.
        var tasks: [UInt64: Task<Void, Never>?] = [:]
        var lastID: UInt64 = 0
        var isCancelled = false
        /// Fulfilled when the last of the tasks has ended.
        var none = Promise<Void>()
    }

    private let state = Locked(State())

    /// A number for a task that is about to be started.
    func reserve() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.tasks[state.lastID] = .some(nil)
            return state.lastID
        }
    }

    /// Notes down the task that was started under a number.
    ///
    /// Once the tasks were cancelled, later ones are cancelled too, as in a task group.
    func enter(_ task: Task<Void, Never>, as id: UInt64) {
        let cancel = state.withLock { state in
            // It may be over already.
            if state.tasks[id] != nil { state.tasks[id] = task }
            return state.isCancelled
        }
        if cancel { task.cancel() }
    }

    /// Whether the tasks were cancelled: then one that starts has to cancel itself.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func remove(_ id: UInt64) {
        let none = state.withLock { state -> Promise<Void>? in
            state.tasks[id] = nil
            guard state.tasks.isEmpty else { return nil }
            defer { state.none = Promise() }
            return state.none
        }
        none?.fulfill(())
    }

    func cancelAll() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks.values.compactMap(\.self)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until none is left, those included that are started meanwhile.
    func waitForAll() async {
        while let none = state.withLock({ $0.tasks.isEmpty ? nil : $0.none }) { await none.value }
    }
}
