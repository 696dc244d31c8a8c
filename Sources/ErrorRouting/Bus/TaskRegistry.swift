/// The tasks that were started with `task` and still run.
final class TaskRegistry: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var lastID: UInt64 = 0
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Starts a task and notes it down until it calls ``remove(_:)`` with the number that it is given.
    ///
    /// Once the tasks were cancelled, later ones are cancelled too, as in a task group.
    func start(_ makeTask: (UInt64) -> Task<Void, Never>) -> Task<Void, Never> {
        let (task, cancel) = state.withLock { state in
            state.lastID += 1
            // Made under the lock, so that it cannot end before it is entered.
            let task = makeTask(state.lastID)
            state.tasks[state.lastID] = task
            return (task, state.isCancelled)
        }
        if cancel { task.cancel() }
        return task
    }

    func remove(_ id: UInt64) {
        state.withLock { $0.tasks[id] = nil }
    }

    func cancelAll() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until none is left, those included that are started meanwhile.
    func waitForAll() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }
}
