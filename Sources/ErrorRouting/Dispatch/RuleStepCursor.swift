import Foundation

/// The steps of one dispatch: those that the type alone gives, and those that were looked up, merged by their order.
struct RuleStepCursor {
    private var fixed: RuleStepList
    private var values = RuleStepList.none
    private var domains = RuleStepList.none
    private var isMerging = false

    init(_ steps: RuleSteps) {
        fixed = steps.list
    }

    init(_ list: RuleStepList) {
        fixed = list
    }

    /// Without a claim to the plan, which dispatches of the type would all write to.
    @inline(__always)
    init(_ plan: Unmanaged<TypePlan>, for subject: inout ErrorSubject) {
        let (steps, looksUp) = unsafe plan._withUnsafeGuaranteedRef { ($0.fixedSteps, $0.looksUp) }
        fixed = steps
        guard looksUp else { return }
        let (index, domain, domains) = unsafe plan._withUnsafeGuaranteedRef {
            unsafe ($0.values, $0.domain, $0.domains)
        }
        if let index = unsafe index, let entry = PerThread.enterMatcher() {
            values = unsafe index._withUnsafeGuaranteedRef { $0.steps(for: subject) }
            PerThread.leaveMatcher(entry)
        }
        if let index = unsafe domains {
            let error = subject.nsError()
            // A subclass may have a code that dispatches the error.
            let isPlain = subject.isExactly(NSError.self)
            let entry = isPlain ? nil : PerThread.enterMatcher()
            if isPlain || entry != nil {
                self.domains = unsafe index._withUnsafeGuaranteedRef {
                    $0.steps(domain: error.domain, code: error.code)
                }
            }
            if let entry { PerThread.leaveMatcher(entry) }
        } else if let steps = unsafe domain {
            self.domains = unsafe steps._withUnsafeGuaranteedRef { $0.steps(for: &subject) }
        }
        isMerging = !values.isEmpty || !self.domains.isEmpty
    }

    mutating func next() -> RuleStep? {
        if isMerging { return nextMerged() }
        return fixed.isEmpty ? nil : fixed.popFirst()
    }

    private mutating func nextMerged() -> RuleStep? {
        let first = min(fixed.order, values.order, domains.order)
        if first == .max { return nil }
        if fixed.order == first { return fixed.popFirst() }
        return values.order == first ? values.popFirst() : domains.popFirst()
    }
}
