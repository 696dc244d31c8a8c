/// One rule among those that are tried, with its place in the order.
///
/// The rule is not retained: the rule set holds it, and every dispatch holds the set.
@safe struct RuleStep {
    let rule: Unmanaged<Rule>
    let order: Int
    /// Whether an error's type has been compared with the rule; if not, ``isCertain`` is not known.
    private(set) var isJudged: Bool
    /// Whether the error is certain to match: the rule is known to match, and its matcher's output is the error itself.
    private(set) var isCertain: Bool
    /// Whether the rule is synchronous and matches wherever its predicate holds; it hands on the error itself.
    let asksPredicate: Bool
    /// Whether the rule's action may suspend.
    let isAsynchronous: Bool
    /// Whether the rule's action gets the report.
    let needsReport: Bool
    /// Whether the rule can act, once it is known to match, without a report and without suspending.
    let actsAtOnce: Bool
    /// Whether the error is certain to match, and the rule can act without suspending.
    let actsWithReport: Bool
    /// Whether the error is certain to match an asynchronous rule that needs no report.
    let suspendsAlone: Bool

    /// - Parameters:
    ///   - rule: The rule.
    ///   - order: Its place in the order.
    ///   - isCertain: Whether the error is certain to match; nil if the error's type has not been compared.
    init(_ rule: Rule, order: Int, isCertain: Bool?) {
        unsafe self.rule = unsafe Unmanaged.passUnretained(rule)
        self.order = order
        isJudged = isCertain != nil
        self.isCertain = isCertain ?? false
        isAsynchronous = rule.isAsynchronous
        needsReport = rule.needsReport
        asksPredicate = rule.hasPredicate && isCertain != true && !isAsynchronous
        actsAtOnce = (self.isCertain || asksPredicate) && !needsReport && !isAsynchronous
        actsWithReport = self.isCertain && !isAsynchronous
        suspendsAlone = self.isCertain && !needsReport && isAsynchronous
    }

    /// Returns this step for an error that is known to match, or may match if it is not certain.
    func judged(isCertain: Bool) -> RuleStep {
        var result = self
        (result.isJudged, result.isCertain) = (true, isCertain)
        return result
    }

    /// Returns whether an error could match, by the rule's shape alone.
    func verdict(for example: TypeExample) -> TypeVerdict {
        unsafe rule._withUnsafeGuaranteedRef { $0.registration.shape.verdict(for: example) }
    }
}

/// Steps in the order in which they are tried, in memory of their own, so that a dispatch reads them without retaining
/// anything.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
final class RuleSteps: @unchecked Sendable {
    let list: RuleStepList
    let hasAsynchronous: Bool

    init(_ steps: [(rule: Rule, order: Int, isCertain: Bool)]) {
        hasAsynchronous = steps.contains { $0.rule.isAsynchronous }
        let base = UnsafeMutablePointer<RuleStep>.allocate(capacity: steps.count)
        for (index, step) in steps.enumerated() {
            unsafe (base + index).initialize(to: RuleStep(step.rule, order: step.order, isCertain: step.isCertain))
        }
        list = unsafe RuleStepList(next: UnsafePointer(base), end: UnsafePointer(base + steps.count))
    }

    deinit { unsafe list.next.deallocate() }
}

/// The remaining steps of a list.
@safe struct RuleStepList {
    var next: UnsafePointer<RuleStep>
    let end: UnsafePointer<RuleStep>

    /// An empty list: two equal addresses, which are never read.
    static var none: RuleStepList {
        let address = unsafe UnsafePointer<RuleStep>(bitPattern: MemoryLayout<RuleStep>.alignment)!
        return unsafe RuleStepList(next: address, end: address)
    }

    var isEmpty: Bool { unsafe next == end }

    /// The place of the next step; larger than every place if there is none.
    var order: Int { isEmpty ? .max : unsafe next.pointee.order }

    mutating func removeFirst() { unsafe next += 1 }
}
