/// The running tasks that were started with `task`.
///
/// The registry stores whether the bus waits for them, and which of them a time limit cut off.
final class TaskRegistry: Sendable {
    /// How a task's operation ended.
    enum Ending {
        /// The operation threw by itself, or because the task's owner or the end of the bus's body cancelled the task.
        case onItsOwn
        /// The operation threw after a time limit had cancelled the task.
        case afterLimit(Duration)
        /// The operation threw after the bus had stopped waiting for the task and posted it as cut off.
        case afterAbandonment
    }

    /// Posts a task as cut off by a limit, without an error.
    typealias CutOff = @Sendable (_ limit: Duration) -> Void

    private struct Entry {
        /// The task; nil while it is being started.
        var task: Task<Void, Never>?
        /// Posts the task as cut off; nil once an error is posted for the task, either the error that its operation
        /// threw or the notice that it is abandoned.
        var postCutOff: CutOff?
        /// The limit at which the bus cancelled the task.
        var limit: Duration?
    }

    private struct State {
        /// The running tasks that the bus waits for, by number.
        var tasks: [UInt64: Entry] = [:]
        /// The numbers of the running tasks that the bus no longer waits for.
        var abandoned: Set<UInt64> = []
        var lastID: UInt64 = 0
        var isCancelled = false
        /// The limit by which tasks that are started from now on are cut off.
        var limit: Duration?
        /// Fulfilled when the bus no longer waits for any task; replaced when a task starts after that.
        var none = Promise<Void>()

        /// Whether all tasks have ended; nil while the bus waits for tasks.
        var haveEnded: Bool? { tasks.isEmpty ? abandoned.isEmpty : nil }
    }

    private let state = Locked(State())

    /// Returns a number for a task that is about to start; the task counts as running from now on.
    ///
    /// The closure posts the task as cut off if the bus stops waiting for it.
    func reserve(_ postCutOff: @escaping CutOff) -> UInt64 {
        state.withLock { state in
            if state.tasks.isEmpty { state.none = Promise() }
            state.lastID += 1
            state.tasks[state.lastID] = Entry(postCutOff: postCutOff, limit: state.limit)
            return state.lastID
        }
    }

    /// Stores the task that was started under a number.
    ///
    /// If the registry's tasks are already cancelled, the task is cancelled too, as in a task group.
    func enter(_ task: Task<Void, Never>, as id: UInt64) {
        let cancel = state.withLock { state in
            // Use optional chaining: the task might already have ended and been removed.
            state.tasks[id]?.task = task
            return state.isCancelled
        }
        if cancel { task.cancel() }
    }

    /// Whether the tasks were cancelled; if so, a task that starts must cancel itself.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether all tasks have ended; nil while the bus waits for tasks.
    var haveEnded: Bool? { state.withLock { $0.haveEnded } }

    /// Returns how a task's operation ended, if it threw; the task then posts the error before it is removed.
    func endingOfThrowingTask(_ id: UInt64) -> Ending {
        let (postCutOff, limit) = state.withLock { ($0.tasks[id]?.postCutOff.take(), $0.tasks[id]?.limit) }
        if postCutOff == nil { return .afterAbandonment }
        return limit.map(Ending.afterLimit) ?? .onItsOwn
    }

    /// Removes a task that has ended.
    func remove(_ id: UInt64) {
        let (entry, none) = state.withLock { state in
            state.abandoned.remove(id)
            return (state.tasks.removeValue(forKey: id), state.tasks.isEmpty ? state.none : nil)
        }
        // Release the entry outside the lock: it might retain a user's poster.
        withExtendedLifetime(entry) {}
        none?.fulfill(())
    }

    /// Cancels the running tasks and every task that is added from now on.
    ///
    /// The time limit is nil if no limit cancels them. A task that is already cancelled doesn't count as cut off by the
    /// limit.
    func cancelAll(at limit: Duration?) {
        let tasks = state.withLock { state in
            if !state.isCancelled { state.limit = limit }
            state.isCancelled = true
            for (id, entry) in state.tasks where entry.task?.isCancelled != true {
                state.tasks[id]?.limit = entry.limit ?? limit
            }
            return state.tasks.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
    }

    /// Stops waiting for the tasks that are running now and posts each of them as cut off by the limit.
    func abandonAll(at limit: Duration) {
        let abandoned = state.withLock { state in
            state.tasks.sorted { $0.key < $1.key }.map { id, entry in
                (id: id, postCutOff: state.tasks[id]?.postCutOff.take(), limit: entry.limit)
            }
        }
        // Post first: code that waits for the tasks might finish the bus.
        for entry in abandoned { entry.postCutOff?(entry.limit ?? limit) }
        let none = state.withLock { state in
            for (id, _, _) in abandoned where state.tasks.removeValue(forKey: id) != nil { state.abandoned.insert(id) }
            return state.tasks.isEmpty ? state.none : nil
        }
        none?.fulfill(())
    }

    /// Waits until the bus no longer waits for any task, including tasks that are started during the wait.
    ///
    /// Returns whether all tasks have ended; false if some were abandoned and are still running.
    @discardableResult
    func waitForAll() async -> Bool {
        while true {
            let (haveEnded, none) = state.withLock { ($0.haveEnded, $0.none) }
            if let haveEnded { return haveEnded }
            await none.value
        }
    }
}
