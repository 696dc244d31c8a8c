/// One rule in a plan, with its place in the order.
///
/// The rule is not retained: the program that holds the plan holds the rules.
@safe struct RuleStep {
    let rule: Unmanaged<Rule>
    let order: Int
    /// Whether the error is certain to match: the rule is known to match, and its matcher's output is the error itself.
    let isCertain: Bool
    /// Whether the rule's action may suspend.
    let isAsynchronous: Bool
    /// Whether the rule can act without asking its matcher, and without a report.
    let actsAlone: Bool
    /// Whether the rule can act like that, and without suspending.
    let actsAtOnce: Bool

    init(_ rule: Rule, order: Int, isCertain: Bool) {
        unsafe self.rule = unsafe Unmanaged.passUnretained(rule)
        self.order = order
        self.isCertain = isCertain
        isAsynchronous = rule.isAsynchronous
        actsAlone = isCertain && !rule.needsReport
        actsAtOnce = actsAlone && !rule.isAsynchronous
    }
}

/// Steps in the order in which they are tried, in memory of their own, so that a dispatch reads them without retaining
/// anything.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
final class RuleSteps: @unchecked Sendable {
    let rules: [Rule]
    let list: RuleStepList
    let hasAsynchronous: Bool

    init(_ steps: [(rule: Rule, order: Int, isCertain: Bool)]) {
        rules = steps.map(\.rule)
        hasAsynchronous = rules.contains { $0.isAsynchronous }
        let base = UnsafeMutablePointer<RuleStep>.allocate(capacity: steps.count)
        for (index, step) in steps.enumerated() {
            unsafe (base + index).initialize(to: RuleStep(step.rule, order: step.order, isCertain: step.isCertain))
        }
        list = unsafe RuleStepList(next: UnsafePointer(base), end: UnsafePointer(base + steps.count))
    }

    /// Makes the steps of `onNoMatch` or `always` rules, which match every error.
    convenience init(fallbacks rules: [Rule]) {
        self.init(rules.enumerated().map { ($0.element, $0.offset, true) })
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
