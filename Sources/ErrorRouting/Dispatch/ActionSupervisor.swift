/// Whoever limits the time of asynchronous actions.
protocol ActionSupervisor: AnyObject, Sendable {
    /// An asynchronous action is about to run. What is given is enough to go on after it in its stead.
    func actionWillBegin(_ rule: Rule, _ progress: DispatchProgress, _ report: ErrorReport)

    /// The asynchronous action that was announced has returned.
    func actionDidEnd()

    /// Whether the dispatch is still wanted; if not, it ends here, and its outcome counts for nothing.
    var isCurrent: Bool { get }
}

/// One asynchronous rule's line to the supervisor.
struct ActionWatch {
    let supervisor: any ActionSupervisor
    let rule: Rule
    let progress: DispatchProgress
    let report: ErrorReport

    func actionWillBegin() { supervisor.actionWillBegin(rule, progress, report) }
}
