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

    @inline(__always)
    init(_ plan: TypePlan, for subject: inout ErrorSubject) {
        fixed = plan.fixedSteps
        guard plan.looksUp else { return }
        if let index = unsafe plan.values {
            values = unsafe index._withUnsafeGuaranteedRef { $0.steps(for: subject.error) }
        }
        if let index = unsafe plan.domains {
            let error = subject.nsError()
            domains = unsafe index._withUnsafeGuaranteedRef { $0.steps(domain: error.domain, code: error.code) }
        } else if let steps = unsafe plan.domain {
            domains = unsafe steps._withUnsafeGuaranteedRef { $0.steps(for: &subject) }
        }
        isMerging = !values.isEmpty || !domains.isEmpty
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
