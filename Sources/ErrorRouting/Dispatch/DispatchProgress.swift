/// How far one error has come through a program: a plain value, which is told what became of each rule.
///
/// Because it is a value, a dispatch can be taken up by someone else after any rule: the bus does so when an action
/// outlives its time limit.
@safe struct DispatchProgress: Sendable {
    /// What became of one rule.
    enum Answer {
        case notMatched
        case ignored
        case next
        case stop
    }

    /// Where the dispatch is; nil at its end.
    private(set) var stage: RuleSet.Stage? = .rules
    /// Which of several handlers has its turn in this stage.
    private(set) var handler = 0
    /// The place of the rule of this stage and handler that was tried last.
    private(set) var lastOrder = -1
    /// Whether no further rule of this stage is tried.
    private(set) var isStageOver = false
    private(set) var failures: [ActionFailure] = []
    private var matchedRuleCount = 0
    /// Not retained: whoever dispatches holds the rules.
    private var decisive: Unmanaged<Rule>?
    private var isIgnored = false
    /// What matchers have found out about the error, where someone else may go on: it is dear, and done once.
    private var kept: Findings?

    private final class Findings: Sendable {
        let subject: ErrorSubject

        init(_ subject: ErrorSubject) { self.subject = subject }
    }

    /// The error with what was found out about it, if that was kept.
    var findings: ErrorSubject? { kept?.subject }

    /// Keeps what was found out about the error, for whoever goes on from here.
    mutating func keep(_ subject: ErrorSubject) {
        kept = Findings(subject)
    }

    /// A rule of this stage has its turn: whoever goes on from here begins behind it.
    mutating func willTry(_ step: RuleStep) {
        lastOrder = step.order
    }

    /// A rule of this stage has its turn, and is left to whoever goes on from here.
    mutating func willNotTry(_ step: RuleStep) {
        lastOrder = step.order - 1
    }

    /// Takes what became of a rule of this stage.
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

    /// Takes what the action of a rule of this stage has thrown: it has matched, and lets the next rule try.
    @inline(never)
    mutating func record(_ error: any Error, at step: RuleStep, _ report: ErrorReport) {
        lastOrder = step.order
        unsafe record(error, of: step.rule.takeUnretainedValue(), report)
    }

    /// Takes the failure of the rule that was tried last.
    mutating func record(_ error: any Error, of rule: Rule, _ report: ErrorReport) {
        failures.append(ActionFailure(error: error, report: report, rule: rule.registration.description))
        unsafe noteMatch(of: .passUnretained(rule))
    }

    private mutating func noteMatch(of rule: Unmanaged<Rule>) {
        guard stage == .rules else { return }
        matchedRuleCount += 1
        unsafe decisive = rule
    }

    /// Goes on to the next handler or, behind the last one, to the next stage, and returns it; nil at the end.
    ///
    /// - Parameter count: How many handlers there are.
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

    /// The end that the error came to, as far as can be said.
    var disposition: HandleOutcome.Disposition {
        matchedRuleCount == 0 ? .unmatched : isIgnored ? .ignored : .handled
    }

    /// What can be said so far.
    ///
    /// Complete after the last rule.
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
