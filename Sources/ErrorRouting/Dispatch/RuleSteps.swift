/// One rule in a plan, with its place in the order.
///
/// The rule is not retained: whoever holds the plan holds the rules.
@safe struct RuleStep {
    let rule: Unmanaged<Rule>
    let order: Int
    /// Whether the rule is known to match, and to hand the error on as it is.
    let isCertain: Bool
    /// Whether what the rule does may suspend.
    let isAsynchronous: Bool
    /// Whether the rule can act without being asked, and without a report.
    let actsAlone: Bool
    /// And without suspending.
    let actsAtOnce: Bool

    init(_ rule: Rule, order: Int, isCertain: Bool) {
        unsafe self.rule = unsafe Unmanaged.passUnretained(rule)
        self.order = order
        self.isCertain = isCertain
        isAsynchronous = rule.isAsynchronous
        actsAlone = isCertain && !rule.takesReport
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

    /// The rules of a stage that is not looked up: each is tried, and matches whatever comes.
    convenience init(fallbacks rules: [Rule]) {
        self.init(rules.enumerated().map { ($0.element, $0.offset, true) })
    }

    deinit { unsafe list.next.deallocate() }
}

/// What is left of some steps.
@safe struct RuleStepList {
    var next: UnsafePointer<RuleStep>
    let end: UnsafePointer<RuleStep>

    /// No steps: two equal addresses, which nobody reads.
    static var none: RuleStepList { RuleStepList() }

    private init() {
        unsafe next = UnsafePointer(bitPattern: MemoryLayout<RuleStep>.alignment)!
        unsafe end = next
    }

    init(next: UnsafePointer<RuleStep>, end: UnsafePointer<RuleStep>) {
        unsafe self.next = next
        unsafe self.end = end
    }

    var isEmpty: Bool { unsafe next == end }

    /// The place of the next step; after all others where there is none.
    var order: Int { isEmpty ? .max : unsafe next.pointee.order }

    mutating func removeFirst() { unsafe next += 1 }
}
