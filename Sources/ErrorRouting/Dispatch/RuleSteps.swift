/// One rule among those that are tried, with its place in the order.
///
/// The rule is not retained: the rule set holds it, and every dispatch holds the set.
@safe struct RuleStep {
    /// What is known of whether an error matches.
    enum Match {
        /// The rule is known to match, and its matcher's output is the error itself.
        case certain
        /// The rule is synchronous, needs no report, and matches wherever its predicate holds; its matcher's output is
        /// the error itself.
        case byPredicate
        /// The matcher has to be asked.
        case asked
        /// The error's type has not been compared with the rule, as at a handler's first use.
        case notJudged
    }

    let rule: Unmanaged<Rule>
    let order: Int
    let match: Match
    /// What the rule does with an error that it matches.
    let traits: Rule.Traits
    /// Whether the rule can act once it is reached, without a matcher, a report, or suspending.
    private let isSimple: Bool

    /// - Parameters:
    ///   - rule: The rule.
    ///   - order: Its place in the order.
    ///   - isCertain: Whether the error is certain to match; nil if the error's type has not been compared.
    init(_ rule: Unmanaged<Rule>, order: Int, isCertain: Bool?) {
        let hasPredicate: Bool
        (traits, hasPredicate) = unsafe rule._withUnsafeGuaranteedRef { ($0.traits, $0.hasPredicate) }
        unsafe self.rule = unsafe rule
        self.order = order
        let isPlain = !traits.isAsynchronous && !traits.needsReport
        match =
            isCertain == true
            ? .certain : hasPredicate && isPlain ? .byPredicate : isCertain == nil ? .notJudged : .asked
        isSimple = isPlain && (match == .certain || match == .byPredicate)
    }

    /// Whether the rule can act once it is reached, without suspending, and with a report only if there is one.
    @inline(__always)
    func actsAlone(hasReport: Bool) -> Bool { isSimple || hasReport && match == .certain && !traits.isAsynchronous }

    /// Whether the rule can act without a matcher and without a report, but may suspend.
    var suspendsAlone: Bool { match == .certain && traits.isAsynchronous && !traits.needsReport }

    /// Returns this step for errors whose type has been compared with the rule.
    func judged(isCertain: Bool) -> RuleStep { unsafe RuleStep(rule, order: order, isCertain: isCertain) }

    var shape: MatcherShape { unsafe rule._withUnsafeGuaranteedRef { $0.registration.shape } }

    /// Compares the error's type with the rule; returns nil if no error of the type matches.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - domain: The domain of its type, if it is known.
    func judged(for subject: ErrorSubject, domain: String?) -> RuleStep? {
        let verdict = shape.verdict(for: subject, domain: domain)
        return verdict.mayMatch ? judged(isCertain: verdict.isCertain) : nil
    }
}

/// The remaining steps of a list, which are read without retaining anything.
@safe struct RuleStepList {
    var next: UnsafePointer<RuleStep>
    let end: UnsafePointer<RuleStep>

    /// An empty list: two equal addresses, which are never read.
    static var none: RuleStepList {
        let address = unsafe UnsafePointer<RuleStep>(bitPattern: MemoryLayout<RuleStep>.alignment)!
        return unsafe RuleStepList(next: address, end: address)
    }

    var isEmpty: Bool { unsafe next == end }
}

/// Steps in the order in which they are tried, in memory of their own.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
final class RuleSteps: @unchecked Sendable {
    let list: RuleStepList
    let hasAsynchronous: Bool

    init(_ steps: [RuleStep]) {
        hasAsynchronous = steps.contains { $0.traits.isAsynchronous }
        let base = UnsafeMutablePointer<RuleStep>.allocate(capacity: steps.count)
        for (index, step) in steps.enumerated() { unsafe (base + index).initialize(to: step) }
        list = unsafe RuleStepList(next: UnsafePointer(base), end: UnsafePointer(base + steps.count))
    }

    deinit { unsafe list.next.deallocate() }
}

/// The remaining steps of one stage: a list that needs no look-up, and one that was looked up, merged by their order.
struct RuleStepCursor {
    private var fixed: RuleStepList
    private var found: RuleStepList

    @inline(__always)
    init(_ fixed: RuleStepList, _ found: RuleStepList = .none) {
        (self.fixed, self.found) = (fixed, found)
    }

    /// The address of the next step; nil at the end.
    @inline(__always)
    var first: UnsafePointer<RuleStep>? { isFoundNext ? unsafe found.next : fixed.isEmpty ? nil : unsafe fixed.next }

    @inline(__always)
    private var isFoundNext: Bool {
        if found.isEmpty { return false }
        return unsafe fixed.isEmpty || found.next.pointee.order < fixed.next.pointee.order
    }

    @inline(__always)
    mutating func removeFirst() {
        if isFoundNext { unsafe found.next += 1 } else { unsafe fixed.next += 1 }
    }

    /// Drops the steps before the first whose predicate holds, or before the first that asks none.
    ///
    /// Matchers are entered once for all of them: to enter costs as much as to ask one.
    @inline(never)
    mutating func dropNotHolding(for error: any Error) {
        let entry = PerThread.enterMatcher()
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        func holds(_ place: UnsafePointer<RuleStep>) -> Bool {
            unsafe entry != nil && place.pointee.rule._withUnsafeGuaranteedRef { $0.predicate(error) }
        }
        if found.isEmpty {
            // By far most: not asked for the other list at each step.
            while unsafe fixed.next != fixed.end, unsafe fixed.next.pointee.match == .byPredicate,
                unsafe !holds(fixed.next)
            {
                unsafe fixed.next += 1
            }
        } else {
            while let place = unsafe first, unsafe place.pointee.match == .byPredicate, unsafe !holds(place) {
                removeFirst()
            }
        }
    }
}
