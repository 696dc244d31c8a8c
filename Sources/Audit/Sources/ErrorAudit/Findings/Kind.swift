/// The ways in which code loses an error.
public enum Kind: String, CaseIterable, Sendable, Codable {
    /// A `try?` whose nil means "it failed".
    case optionalTry = "optional-try"
    /// A task whose operation throws and whose value isn't awaited.
    case task
    /// A `catch` without statements.
    case emptyCatch = "empty-catch"
    /// A `catch` that only prints the error, or only logs it at a level that is disabled in production.
    case printOnly = "print-only"
    /// A `try!`.
    case forcedTry = "forced-try"
    /// A dropped failure from a callback, `Result`, or publisher.
    case droppedResult = "dropped-result"
    /// Child tasks whose errors aren't read.
    case children
    /// A `catch` that returns, assigns, or does something else without reporting the error.
    case substitute
    /// A `catch` that logs that something failed, but not why.
    case causeLost = "cause-lost"
    /// A framework object that catches errors although they aren't reported.
    case noHook = "no-hook"
    /// A `catch` that logs and rethrows the error, so that it is reported twice.
    case reportedTwice = "reported-twice"
    /// A comment for this tool that doesn't give a reason.
    case noReason = "no-reason"

    /// The score before the code is examined, and the message for a finding.
    private var facts: (base: Int, summary: String) {
        switch self {
        case .optionalTry: (42, "`try?` turns the error into nil")
        case .task: (65, "the task throws, and nobody awaits its value")
        case .emptyCatch: (48, "the `catch` is empty")
        case .printOnly: (60, "the `catch` only prints, or logs at debug level")
        case .forcedTry: (35, "`try!` crashes the process if it fails")
        case .droppedResult: (55, "the failure of the result is dropped")
        case .children: (60, "nobody reads the errors of the child tasks")
        case .substitute: (38, "the `catch` continues without reporting the error")
        case .causeLost: (20, "the log says that something failed, but not why")
        case .noHook: (70, "nothing reports the errors that the framework catches here")
        case .reportedTwice: (20, "the error is logged and rethrown, so it is reported twice")
        case .noReason: (50, "the error-audit comment doesn't give a reason")
        }
    }

    /// The message for a finding of this kind.
    public var summary: String { facts.summary }

    var baseScore: Int { facts.base }

    /// Whether `--fix` can rewrite some findings of this kind.
    public var isFixable: Bool { self == .emptyCatch || self == .printOnly }
}
