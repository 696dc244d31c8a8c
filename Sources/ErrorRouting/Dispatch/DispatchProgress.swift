/// How far one error's dispatch has come: a plain value, which records the result of each rule.
///
/// Since it is a value, another worker can go on with the dispatch after any rule: the bus has one do so when an action
/// exceeds its time limit.
@safe struct DispatchProgress: Sendable {
    /// The result of one rule.
    enum Answer {
        case notMatched
        case ignored
        case next
        case stop
    }

    /// The current stage; nil at the end.
    private(set) var stage: RuleSet.Stage? = .rules
    /// The number of the current handler of the path, within this stage.
    private(set) var handler = 0
    /// The place of the last rule of this stage and handler that was tried; -1 before the first.
    private(set) var lastOrder = -1
    /// Whether no further rule of this stage is tried.
    private(set) var isStageOver = false
    /// The failures so far; nil if there are none, which costs less to copy than an empty array.
    private var failed: [ActionFailure]?
    var failures: [ActionFailure] { failed ?? [] }
    private var matchedRuleCount = 0
    /// The rule that the outcome names; not retained, since the dispatch's caller holds the rules.
    private var decisive: Unmanaged<Rule>?
    private var isIgnored = false
    /// What matchers have found out about the error, kept where another worker may go on: finding it out is expensive.
    private var kept: Findings?

    private final class Findings: Sendable {
        let subject: ErrorSubject

        init(_ subject: ErrorSubject) { self.subject = subject }
    }

    /// The error with what matchers have found out about it, if that was kept.
    var findings: ErrorSubject? { kept?.subject }

    /// Keeps what matchers have found out about the error, for the worker that goes on from here.
    mutating func keep(_ subject: ErrorSubject) {
        kept = Findings(subject)
    }

    /// Notes that a rule of this stage is being tried: another worker would go on after it.
    mutating func willTry(_ step: RuleStep) {
        lastOrder = step.order
    }

    /// Notes that a rule of this stage is next: whoever goes on from here begins with it.
    mutating func willNotTry(_ step: RuleStep) {
        lastOrder = step.order - 1
    }

    /// Records the result of a rule of this stage.
    mutating func record(_ answer: Answer, at step: RuleStep) {
        lastOrder = step.order
        switch answer {
        case .notMatched:
            return
        case .ignored:
            isIgnored = true
            isStageOver = true
        case .next:
            break
        case .stop:
            isStageOver = true
        }
        unsafe noteMatch(of: step.rule)
    }

    /// Records an error that the action of a rule of this stage has thrown, which counts as a match and as `.next`.
    @inline(never)
    mutating func record(_ error: any Error, at step: RuleStep, _ report: ErrorReport) {
        lastOrder = step.order
        unsafe record(error, of: step.rule.takeUnretainedValue(), report)
    }

    /// Records an error as the failure of the rule that was tried last.
    mutating func record(_ error: any Error, of rule: Rule, _ report: ErrorReport) {
        failed = failures + [ActionFailure(error: error, report: report, rule: rule.registration.description)]
        unsafe noteMatch(of: .passUnretained(rule))
    }

    private mutating func noteMatch(of rule: Unmanaged<Rule>) {
        guard stage == .rules else { return }
        matchedRuleCount += 1
        unsafe decisive = rule
    }

    /// Advances to the next handler or, after the last one or a stop, to the next stage.
    ///
    /// - Parameter count: The number of handlers in the current stage.
    /// - Returns: The stage; nil at the end.
    mutating func advance(handlers count: Int) -> RuleSet.Stage? {
        lastOrder = -1
        if !isStageOver, handler + 1 < count {
            handler += 1
            return stage
        }
        handler = 0
        isStageOver = false
        stage =
            switch stage {
            case .rules: matchedRuleCount == 0 ? .onNoMatch : .always
            case .onNoMatch: .always
            case .always, nil: nil
            }
        return stage
    }

    /// The error's disposition so far.
    var disposition: HandleOutcome.Disposition {
        matchedRuleCount == 0 ? .unmatched : isIgnored ? .ignored : .handled
    }

    /// The outcome so far; final after the last rule.
    @inline(__always)
    var outcome: HandleOutcome {
        HandleOutcome(
            disposition: disposition,
            matchedRuleCount: matchedRuleCount,
            rule: unsafe decisive?._withUnsafeGuaranteedRef { $0.registration.threadsOwnDescription },
            failures: failures
        )
    }
}
