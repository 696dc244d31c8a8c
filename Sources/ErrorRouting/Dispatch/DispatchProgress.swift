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

    /// The current stage.
    private(set) var stage = RuleSet.Stage.rules
    /// The number of the current handler of the path, within this stage.
    private(set) var handler = 0
    /// The place of the last rule of this stage and handler that whoever goes on from here leaves out; -1 for none.
    ///
    /// Set only where somebody may go on from here: before and at an asynchronous rule.
    private(set) var lastOrder = -1
    /// Whether no further rule of this stage is tried.
    private(set) var isStageOver = false
    /// The failures so far; nil if there are none, which costs less to copy than an empty array.
    private var failed: [ActionFailure]?
    var failures: [ActionFailure] { failed ?? [] }
    var hasFailures: Bool { failed != nil }
    private var matchedRuleCount = 0
    /// The rule that the outcome names; not retained, since the dispatch's caller holds the rules.
    private(set) var decisive: Unmanaged<Rule>?
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

    /// Notes that whoever goes on from here begins after a place in this stage.
    mutating func goOn(after order: Int) { lastOrder = order }

    /// Notes that no other rule of this stage is for the error.
    mutating func endStage() { isStageOver = true }

    /// Records the result of a rule of this stage.
    @inline(__always)
    mutating func record(_ answer: Answer, at step: RuleStep) {
        switch answer {
        case .notMatched: return
        case .ignored: (isIgnored, isStageOver) = (true, true)
        case .next: break
        case .stop: isStageOver = true
        }
        unsafe noteMatch(of: step.rule)
    }

    /// Records an error that the action of a rule of this stage has thrown, which counts as a match and as `.next`.
    mutating func record(_ error: any Error, of rule: Rule, _ report: ErrorReport) {
        failed = failures + [ActionFailure(error: error, report: report, rule: rule.registration.description)]
        unsafe noteMatch(of: .passUnretained(rule))
    }

    @inline(__always)
    private mutating func noteMatch(of rule: Unmanaged<Rule>) {
        guard stage == .rules else { return }
        matchedRuleCount += 1
        unsafe decisive = rule
    }

    /// Advances to the next handler or, after the last one or a stop, to the next stage.
    ///
    /// - Parameters:
    ///   - count: The number of handlers.
    ///   - stages: The stages in which any handler has rules.
    /// - Returns: Whether there is one.
    @inline(__always)
    mutating func advance(handlers count: Int, among stages: RuleSet.Stages = [.onNoMatch, .always]) -> Bool {
        lastOrder = -1
        if !isStageOver, handler + 1 < count {
            handler += 1
            return true
        }
        if stage == .rules, matchedRuleCount == 0, stages.contains(.onNoMatch) {
            stage = .onNoMatch
        } else if stage != .always, stages.contains(.always) {
            stage = .always
        } else {
            return false
        }
        (handler, isStageOver) = (0, false)
        return true
    }

    /// Whether any rule for the error has matched.
    var hasMatch: Bool { matchedRuleCount > 0 }

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
