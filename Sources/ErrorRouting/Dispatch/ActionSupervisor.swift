/// Runs asynchronous actions within a time limit and can remove the report from a dispatch in progress.
///
/// Such a dispatch stops, and its outcome is discarded.
protocol ActionSupervisor: AnyObject, Sendable {
    /// Whether the report was removed from the dispatch, so that no further rule begins.
    var isReportRemoved: Bool { get }

    /// Records that a synchronous action has failed, immediately after the failure.
    func actionDidFail(_ failure: ActionFailure)

    /// Runs an asynchronous action in its own task and waits until the action ends or is abandoned.
    func perform(_ action: PreparedAction) async -> ActionEnd
}

/// An asynchronous action with its inputs.
struct PreparedAction: Sendable {
    typealias Closure = @Sendable () async throws -> HandleStrategy

    let rule: Rule
    let report: ErrorReport
    let run: Closure

    /// Returns the failure of this action for a given error.
    func failure(_ error: any Error) -> ActionFailure {
        ActionFailure(error: error, report: report, rule: rule.description)
    }
}

/// How an asynchronous action ended, as determined by its supervisor.
enum ActionEnd: Sendable {
    case returned(HandleStrategy)
    /// The action threw an error or exceeded its time limit; the supervisor has recorded the failure.
    case failed(ActionFailure)
    /// The report was removed from the dispatch.
    case reportRemoved
}
