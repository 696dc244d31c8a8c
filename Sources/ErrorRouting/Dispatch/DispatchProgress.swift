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
    /// The number of the current block of the path, within this stage.
    private(set) var block = 0
    /// The place of the last rule of this stage and block that whoever goes on from here leaves out; -1 for none.
    ///
    /// Set only where somebody may go on from here: before and at an asynchronous rule.
    private(set) var lastOrder = -1
    /// Whether no further rule of this stage is tried.
    private(set) var isStageOver = false
    private var matchedRuleCount = 0
    /// The rule that the outcome names; not retained, since the dispatch's caller holds the rules.
    private(set) var decisive: Borrowed<Rule>?
    private var isIgnored = false
    /// What most dispatches have none of, so that there is one word to copy and destroy.
    private var extras: Extras?

    private final class Extras: Sendable {
        let failures: [ActionFailure]
        /// What matchers have found out about the error, kept where another worker may go on: finding it out is
        /// expensive.
        let findings: ErrorSubject?

        init(_ failures: [ActionFailure], _ findings: ErrorSubject?) {
            (self.failures, self.findings) = (failures, findings)
        }
    }

    /// The failures so far.
    var failures: [ActionFailure] { extras?.failures ?? [] }
    var hasFailures: Bool { extras.map { !$0.failures.isEmpty } ?? false }
    /// The error with what matchers have found out about it, if that was kept.
    var findings: ErrorSubject? { extras?.findings }

    /// Keeps what matchers have found out about the error, for the worker that goes on from here.
    mutating func keep(_ subject: ErrorSubject) { extras = Extras(failures, subject) }

    /// Notes that whoever goes on from here begins after a place in this stage.
    mutating func goOn(after order: Int) { lastOrder = order }

    /// Records the result of a rule of this stage.
    @inline(__always)
    mutating func record(_ answer: Answer, at step: RuleStep) {
        switch answer {
        case .notMatched: return
        case .ignored: (isIgnored, isStageOver) = (true, true)
        case .next: break
        case .stop: isStageOver = true
        }
        noteMatch(of: step.rule)
    }

    /// Records an error that the action of a rule of this stage has thrown, which counts as a match and as `.next`.
    mutating func record(_ error: any Error, of rule: Rule, _ report: ErrorReport) {
        let failure = ActionFailure(error: error, report: report, rule: rule.registration.description)
        extras = Extras(failures + [failure], findings)
        noteMatch(of: Borrowed(rule))
    }

    @inline(__always)
    private mutating func noteMatch(of rule: Borrowed<Rule>) {
        guard stage == .rules else { return }
        matchedRuleCount += 1
        decisive = rule
    }

    /// Advances to the next block of a path or, after the last one or a stop, to the next stage; returns whether there
    /// is one.
    @inline(__always)
    mutating func advance(on path: BlockPath) -> Bool {
        lastOrder = -1
        if !isStageOver, block + 1 < path.count {
            block += 1
            return true
        }
        if stage == .rules, matchedRuleCount == 0, path.stages.contains(.onNoMatch) {
            stage = .onNoMatch
        } else if stage != .always, path.stages.contains(.always) {
            stage = .always
        } else {
            return false
        }
        (block, isStageOver) = (0, false)
        return true
    }

    /// The error's disposition so far.
    var disposition: HandleOutcome.Disposition {
        matchedRuleCount == 0 ? .unmatched : isIgnored ? .ignored : .handled
    }

    /// The outcome so far; final after the last rule.
    var outcome: HandleOutcome {
        var progress = self
        return progress.takeOutcome()
    }

    /// Returns the outcome of a dispatch that is over.
    @inline(__always)
    mutating func takeOutcome() -> HandleOutcome {
        HandleOutcome(
            matchedRuleCount == 0 ? .unmatched : isIgnored ? .ignored : .handled, matchedRuleCount,
            decisive?.read { $0.registration.threadsOwnDescription }, failed: extras == nil ? nil : takeFailures())
    }

    @inline(never)
    private mutating func takeFailures() -> [ActionFailure]? {
        defer { extras = nil }
        return hasFailures ? failures : nil
    }
}
