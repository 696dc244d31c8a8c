/// An object that runs asynchronous actions within a time limit and that can take a dispatch's report back; such a
/// dispatch stops, and its outcome is discarded.
protocol ActionSupervisor: AnyObject, Sendable {
    /// Whether the report was taken back, so that no further rule begins.
    var isTakenBack: Bool { get }

    /// Records that a synchronous action has failed, as soon as it has.
    func actionDidFail(_ failure: ActionFailure)

    /// Runs an asynchronous action in a task of its own and waits until it ends or is abandoned.
    func run(_ action: PreparedAction) async -> ActionEnd
}

/// An asynchronous action with its inputs.
struct PreparedAction: Sendable {
    let rule: Rule
    let report: ErrorReport
    let run: @Sendable () async throws -> HandleStrategy

    /// Returns the action's failure with an error.
    func failure(_ error: any Error) -> ActionFailure {
        ActionFailure(error: error, report: report, rule: rule.registration.description)
    }
}

/// The end of an asynchronous action, as its supervisor sees it.
enum ActionEnd: Sendable {
    case returned(HandleStrategy)
    /// The action has thrown, or it has exceeded its time limit; the supervisor has recorded the failure.
    case failed(ActionFailure)
    /// The report was taken back.
    case takenBack
}
