/// How far one error has come through a rule set: a plain value, which says what to try next and is told the answer.
///
/// Because it is a value, a dispatch can be taken up by someone else after any rule: the bus does so when an action
/// outlives its time limit.
struct DispatchProgress: Sendable {
    /// What became of one rule.
    enum Answer {
        case notMatched
        case ignored
        case next
        case stop
        case failed(ActionFailure)
    }

    private(set) var stage: RuleSet.Stage? = .rules
    /// How many rules of the stage are still untried; nil before the stage's first.
    private var untried: Int?
    private var matchedRuleCount = 0
    private var decisive: Rule?
    private var isIgnored = false
    private var failures: [ActionFailure] = []

    /// The rule to try next, or nil at the end.
    mutating func next(in rules: RuleSet) -> Rule? {
        while let stage {
            let list = rules[stage]
            let untried = untried ?? list.count
            if untried > 0 {
                self.untried = untried - 1
                return list[untried - 1]
            }
            advance()
        }
        return nil
    }

    /// Takes what became of the rule that ``next(in:)`` gave last.
    mutating func record(_ answer: Answer, of rule: Rule) {
        switch answer {
        case .notMatched:
            return
        case .ignored:
            noteMatch(of: rule)
            isIgnored = true
            advance()
        case .next:
            noteMatch(of: rule)
        case .stop:
            noteMatch(of: rule)
            advance()
        case .failed(let failure):
            // An action that throws has matched, and lets the next rule try.
            noteMatch(of: rule)
            failures.append(failure)
        }
    }

    /// What can be said so far.
    ///
    /// Complete after the last rule.
    var outcome: HandleOutcome {
        HandleOutcome(
            disposition: matchedRuleCount == 0 ? .unmatched : isIgnored ? .ignored : .handled,
            matchedRuleCount: matchedRuleCount,
            rule: decisive?.description,
            failures: failures
        )
    }

    private mutating func noteMatch(of rule: Rule) {
        guard stage == .rules else { return }
        matchedRuleCount += 1
        decisive = rule
    }

    private mutating func advance() {
        untried = nil
        stage =
            switch stage {
            case .rules: matchedRuleCount == 0 ? .onNoMatch : .always
            case .onNoMatch: .always
            case .always, nil: nil
            }
    }
}
