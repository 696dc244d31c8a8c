/// An action that threw, or that outlived the bus's time limit, as an error of its own.
///
/// A bus delivers it through the handler right after the report in whose handling it arose. Its only underlying error
/// is the one the action threw, so that ``ErrorMatcher/anywhere(_:)`` does not find the original error in it, and a
/// rule for the original does not run twice.
public struct ActionFailure: UnderlyingErrors, CustomStringConvertible {
    /// What the action threw; an ``ActionTimeLimitExceeded`` if it was abandoned.
    public let error: any Error
    /// The report that the action was handling.
    public let report: ErrorReport
    /// The rule whose action it was.
    public let rule: RuleDescription

    /// Describes an action's failure.
    ///
    /// - Parameters:
    ///   - error: What the action threw.
    ///   - report: The report that it was handling.
    ///   - rule: The rule whose action it was.
    public init(error: any Error, report: ErrorReport, rule: RuleDescription) {
        self.error = ErrorBox.unboxed(error)
        self.report = report
        self.rule = rule
    }

    /// The thrown error, alone.
    public var underlyingErrors: [any Error] { [error] }

    /// The failure on one line, with the rule, what its action threw, and what it was handling.
    public var description: String {
        let (thrown, handled) = (ErrorText.literal(error), ErrorText.literal(report.error))
        return "the action of \(rule) failed with \(thrown) while handling \(handled)"
    }
}

/// An action ran longer than ``ErrorBus/Configuration/actionTimeLimit`` and was abandoned.
public struct ActionTimeLimitExceeded: Error, Hashable, CustomStringConvertible {
    /// The limit that it outlived.
    public let limit: Duration

    /// Describes an abandoned action.
    ///
    /// - Parameter limit: The limit that it outlived.
    public init(limit: Duration) {
        self.limit = limit
    }

    /// The limit in words.
    public var description: String { "the action was abandoned: it ran longer than its limit of \(limit)" }
}
