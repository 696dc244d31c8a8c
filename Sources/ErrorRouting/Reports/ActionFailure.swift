/// The failure of an action that threw an error or exceeded the bus's time limit.
///
/// A bus delivers the failure to its handler right after the report that the action was handling. Its only underlying
/// error is the error that the action threw. So ``ErrorMatcher/anywhere(_:)`` doesn't find the original error in the
/// failure, and a rule for the original error doesn't run twice.
public struct ActionFailure: UnderlyingErrorsProviding, CustomStringConvertible {
    /// The error that the action threw; an ``ActionTimeLimitExceeded`` if the action was abandoned.
    public let error: any Error
    /// The report that the action was handling.
    public let report: ErrorReport
    /// The rule whose action failed.
    public let rule: RuleDescription

    /// Creates the failure of an action.
    ///
    /// - Parameters:
    ///   - error: The error that the action threw.
    ///   - report: The report that the action was handling.
    ///   - rule: The rule whose action failed.
    public init(error: any Error, report: ErrorReport, rule: RuleDescription) {
        self.error = UnboxedError(error).error
        self.report = report
        self.rule = rule
    }

    /// The error that the action threw, and no other error.
    public var underlyingErrors: [any Error] { [error] }

    /// The failure on one line: the rule, the thrown error, and the error that was being handled.
    public var description: String {
        let (thrown, handled) = (ErrorText.literal(error), ErrorText.literal(report.error))
        return "the action of \(rule) failed with \(thrown) while handling \(handled)"
    }
}

extension ErrorReport {
    /// Creates the report of a failed action, with the rule's source location and the scope of the handled report.
    ///
    /// It also has the handled report's log: if an error that was posted during logging has a failing action, the
    /// failure's report must not make the log post another error.
    init(of failure: ActionFailure) {
        let (report, parts) = (failure.report, failure.report.rareParts?.value)
        let own = RareParts(log: parts?.log?.forNotice, table: parts?.table)
        self.init(
            unboxed: UnboxedError(failure), rareParts: own.boxed, source: failure.rule.source, moment: .init(),
            givenMetadata: report.givenMetadata, scope: report.scope, sequence: 0, outcome: .pending)
    }
}

/// The failure of an action that ran longer than ``ErrorBus/Configuration/actionTimeLimit`` and was abandoned.
public struct ActionTimeLimitExceeded: Error, Hashable, CustomStringConvertible {
    /// The exceeded limit.
    public let limit: Duration

    /// Creates the error for an action that was abandoned after a given limit.
    ///
    /// - Parameter limit: The exceeded limit.
    public init(limit: Duration) {
        self.limit = limit
    }

    /// A sentence that states the limit.
    public var description: String { "the action was abandoned: it ran longer than its limit of \(limit)" }
}
