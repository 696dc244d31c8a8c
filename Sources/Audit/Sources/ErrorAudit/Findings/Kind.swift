/// The ways in which code loses an error.
public enum Kind: String, CaseIterable, Sendable, Codable {
    /// A `try?` whose nil stands for "it did not work".
    case optionalTry = "optional-try"
    /// A task whose operation throws and whose value nobody awaits.
    case task
    /// A `catch` without a statement.
    case emptyCatch = "empty-catch"
    /// A `catch` that only prints, or logs at a level that is off in production.
    case printOnly = "print-only"
    /// A `try!`.
    case forcedTry = "forced-try"
    /// A callback, `Result` or publisher whose failure is dropped.
    case droppedResult = "dropped-result"
    /// Child tasks whose errors nobody reads.
    case children
    /// A `catch` that returns, assigns or does something else instead, without a report.
    case substitute
    /// A `catch` that logs the error and throws it on, so that it is reported twice.
    case reportedTwice = "reported-twice"
    /// A comment for this tool that gives no reason.
    case noReason = "no-reason"

    /// What a finding of this kind says, for people.
    public var summary: String {
        switch self {
        case .optionalTry: "`try?` turns the error into nil"
        case .task: "the task throws, and nobody awaits its value"
        case .emptyCatch: "the `catch` is empty"
        case .printOnly: "the `catch` only prints, or logs at debug level"
        case .forcedTry: "`try!` ends the process"
        case .droppedResult: "the failure of the result is dropped"
        case .children: "nobody reads the errors of the child tasks"
        case .substitute: "the `catch` carries on without a report"
        case .reportedTwice: "the error is logged and thrown on, so it is reported twice"
        case .noReason: "the comment for error-audit gives no reason"
        }
    }

    /// Whether `--fix` can rewrite some findings of this kind.
    public var isFixable: Bool {
        switch self {
        case .optionalTry, .task, .emptyCatch, .printOnly: true
        case .forcedTry, .droppedResult, .children, .substitute, .reportedTwice, .noReason: false
        }
    }
}
