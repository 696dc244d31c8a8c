/// An asynchronous action that runs in its own task while the worker waits for it.
///
/// The action's task, the bus's alarm, and a shutdown race to end it. The state machine decides who is first, and only
/// the first fulfills the promise.
final class RunningAction: Sendable {
    let action: PreparedAction
    /// The action's time limit; nil if it has none.
    let limit: Duration?
    /// How the action ended; the worker waits for it.
    let end = Promise<ActionEnd>()
    private let task = Locked<Task<Void, Never>?>(nil)

    init(_ action: PreparedAction, limit: Duration?) { (self.action, self.limit) = (action, limit) }

    /// Starts the task of the action.
    ///
    /// The task is detached because it works for all callers.
    func start(_ operation: @escaping @Sendable () async -> Void) {
        // Start the task under the lock: a cancellation must find it.
        task.withLock { $0 = Task.detached { await operation() } }
    }

    /// Cancels the task of the action, which was started.
    func cancel() { task.withLock { $0 }?.cancelOnOwnThread() }

    /// The failure of the action if it exceeds its time limit.
    var timeLimitFailure: ActionFailure { action.failure(ActionTimeLimitExceeded(limit: limit ?? .zero)) }
}
