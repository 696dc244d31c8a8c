/// Whoever limits the time of asynchronous actions, and may take a dispatch away.
protocol ActionSupervisor: AnyObject, Sendable {
    /// Runs an asynchronous rule, marked as inside an action of the supervisor's.
    func supervising<Result>(
        _ report: ErrorReport,
        _ operation: () async throws -> Result
    ) async rethrows -> Result

    /// An asynchronous action is about to run. What is given is enough to go on after it in its stead.
    ///
    /// - Returns: Whether it may; if not, the dispatch has been taken away.
    func actionWillBegin(_ rule: Rule, _ progress: DispatchProgress, _ report: ErrorReport) -> Bool

    /// The asynchronous action that was announced has returned.
    ///
    /// - Returns: Whether the dispatch was still wanted then: what the action has thrown is known to nobody else.
    func actionDidEnd() -> Bool

    /// Whether the dispatch is still wanted; if not, it ends here, and its outcome counts for nothing.
    var isCurrent: Bool { get }
}

/// One asynchronous rule's line to the supervisor.
struct ActionWatch {
    let supervisor: any ActionSupervisor
    let rule: Rule
    let progress: DispatchProgress
    let report: ErrorReport

    func actionWillBegin() throws(DispatchSuperseded) {
        if !supervisor.actionWillBegin(rule, progress, report) { throw DispatchSuperseded() }
    }
}

/// Thrown between a match and its action, where the supervisor has taken the dispatch away.
struct DispatchSuperseded: Error {}
