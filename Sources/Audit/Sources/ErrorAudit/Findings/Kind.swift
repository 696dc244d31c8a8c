/// The ways in which code loses an error.
public enum Kind: String, CaseIterable, Sendable, Codable {
    /// A `try?` with a nil that means "it didn't work".
    case optionalTry = "optional-try"
    /// A task with a throwing operation and a value that isn't awaited.
    case task
    /// A `catch` without a statement.
    case emptyCatch = "empty-catch"
    /// A `catch` that only prints, or logs at a level that is disabled in production.
    case printOnly = "print-only"
    /// A `try!`.
    case forcedTry = "forced-try"
    /// A dropped failure of a callback, `Result`, or publisher.
    case droppedResult = "dropped-result"
    /// Child tasks with unread errors.
    case children
    /// A `catch` that returns, assigns, or does something else without a report.
    case substitute
    /// A `catch` that logs and rethrows the error, so that it is reported twice.
    case reportedTwice = "reported-twice"
    /// A comment for this tool without a reason.
    case noReason = "no-reason"

    /// The message of a finding of this kind.
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
        case .reportedTwice: "the error is logged and rethrown, so it is reported twice"
        case .noReason: "the comment for error-audit gives no reason"
        }
    }

    /// Whether `--fix` can rewrite some findings of this kind.
    public var isFixable: Bool {
        switch self {
        case .emptyCatch, .printOnly: true
        case .optionalTry, .task, .forcedTry, .droppedResult, .children, .substitute, .reportedTwice, .noReason: false
        }
    }
}
