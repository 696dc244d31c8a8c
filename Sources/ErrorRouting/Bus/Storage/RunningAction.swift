/// An asynchronous action that runs in its own task while the worker waits for it.
///
/// The action's task, the bus's timer, and a shutdown race to end it. The state machine decides who is first, and only
/// the first fulfills the promise.
final class RunningAction: Sendable {
    let action: PreparedAction
    /// The action's time limit; nil if it has none.
    let limit: Duration?
    /// How the action ended; the worker waits for it.
    let end = Promise<ActionEnd>()
    private let state = Locked((task: nil as Task<Void, Never>?, isCancelled: false))

    init(_ action: PreparedAction, limit: Duration?) { (self.action, self.limit) = (action, limit) }

    /// The failure of the action if it exceeds its time limit.
    var timeLimitFailure: ActionFailure { action.failure(ActionTimeLimitExceeded(limit: limit ?? .zero)) }

    /// Stores the action's task for a cancellation; if the action is already cancelled, cancels the task immediately.
    func keep(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the action's task.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
