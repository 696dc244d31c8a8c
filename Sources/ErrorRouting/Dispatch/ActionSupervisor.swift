/// An object that limits the time of asynchronous actions and can supersede a dispatch, which then stops; its outcome
/// is discarded.
protocol ActionSupervisor: AnyObject, Sendable {
    /// Runs an operation that is marked as being inside one of the supervisor's actions.
    func supervising<Result>(
        _ report: ErrorReport,
        _ operation: () async throws -> Result
    ) async rethrows -> Result

    /// Records that an asynchronous action is about to begin.
    ///
    /// - Returns: Whether the action may begin; false if the dispatch was superseded.
    func actionWillBegin(_ action: SupervisedAction) -> Bool

    /// Records that the asynchronous action has returned or thrown.
    ///
    /// - Returns: Whether the dispatch was still current; if not, the action's result is discarded.
    func actionDidEnd() -> Bool

    /// Records that an action has failed, so that the failure is known if the dispatch is superseded during a later
    /// action.
    func actionDidFail(_ progress: DispatchProgress)

    /// Whether the dispatch is still current; false if it was superseded.
    var isCurrent: Bool { get }

    /// Whether the task of the dispatch was cancelled, by an action or because the dispatch was superseded; if so, no
    /// asynchronous action may begin in it.
    var isTaskCancelled: Bool { get }
}

/// An asynchronous action of a report, with everything that another worker needs to continue after it.
struct SupervisedAction {
    let rule: Rule
    let progress: DispatchProgress
    let report: ErrorReport
}
