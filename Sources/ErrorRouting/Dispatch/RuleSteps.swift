/// One rule among those that are tried, with its place in the order.
///
/// The rule is not retained: the rule set holds it, and every dispatch holds the set.
struct RuleStep {
    /// What is known of whether an error matches.
    enum Match {
        /// The rule is known to match, and its matcher's output is the error itself.
        case certain
        /// The rule is synchronous, needs no report, and matches wherever its predicate holds; its matcher's output is
        /// the error itself.
        case byPredicate
        /// The matcher has to be asked.
        case asked
    }

    let rule: Borrowed<Rule>
    /// The type that an error must have; nil if it may be of several, or was compared with the rule already.
    let requiredType: ObjectIdentifier?
    let order: Int
    let match: Match
    /// What the rule does with an error that it matches.
    let traits: Rule.Traits

    /// - Parameters:
    ///   - rule: The rule.
    ///   - order: Its place in the order.
    ///   - isCertain: Whether an error of the required type is certain to match.
    ///   - requiredType: The type that an error must have; nil if it is not to be compared.
    init(_ rule: Borrowed<Rule>, order: Int, isCertain: Bool, of requiredType: ObjectIdentifier? = nil) {
        let hasPredicate: Bool
        (traits, hasPredicate) = rule.read { ($0.traits, $0.hasPredicate) }
        self.rule = rule
        self.requiredType = requiredType
        self.order = order
        let isPlain = !traits.isAsynchronous && !traits.needsReport
        match = isCertain ? .certain : hasPredicate && isPlain ? .byPredicate : .asked
    }

    /// A step of a stage other than the rules, which is for every error.
    init(_ rule: Rule, order: Int) { self.init(Borrowed(rule), order: order, isCertain: true) }

    /// A step that is compared with an error's type when it is reached.
    init(unjudged rule: Rule, order: Int) {
        let shape = rule.registration.shape
        self.init(Borrowed(rule), order: order, isCertain: shape.isOnlyType, of: shape.requiredType)
    }

    /// Returns this step for errors whose type has been compared with the rule.
    func judged(isCertain: Bool) -> RuleStep { RuleStep(rule, order: order, isCertain: isCertain) }

    var shape: MatcherShape { rule.read { $0.registration.shape } }
}

/// The remaining steps of a list, which are read without retaining anything.
@safe struct RuleStepList {
    private var next: UnsafePointer<RuleStep>
    private let end: UnsafePointer<RuleStep>

    /// An empty list: two equal addresses, which are never read.
    static var none: RuleStepList {
        let address = unsafe UnsafePointer<RuleStep>(bitPattern: MemoryLayout<RuleStep>.alignment)!
        return unsafe RuleStepList(address, address)
    }

    fileprivate init(_ next: UnsafePointer<RuleStep>, _ end: UnsafePointer<RuleStep>) {
        unsafe (self.next, self.end) = unsafe (next, end)
    }

    @inline(__always)
    var isEmpty: Bool { unsafe next == end }

    /// The next step; the list must not be empty.
    @inline(__always)
    var first: RuleStep {
        assert(!isEmpty)
        return unsafe next.pointee
    }

    @inline(__always)
    mutating func removeFirst() { unsafe next += 1 }

    var count: Int { unsafe end - next }

    func forEach(_ body: (RuleStep) -> Void) {
        var steps = self
        while !steps.isEmpty {
            body(steps.first)
            steps.removeFirst()
        }
    }
}

/// Steps in memory of their own.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class RuleSteps: @unchecked Sendable {
    private let base: UnsafeMutablePointer<RuleStep>
    private let count: Int

    /// - Parameters:
    ///   - count: The number of steps.
    ///   - make: Passes each of them to the closure that it gets, with its place.
    init(count: Int, _ make: ((RuleStep, _ place: Int) -> Void) -> Void) {
        let base = UnsafeMutablePointer<RuleStep>.allocate(capacity: count)
        make { step, place in
            assert(0..<count ~= place)
            unsafe (base + place).initialize(to: step)
        }
        unsafe (self.base, self.count) = unsafe (base, count)
    }

    convenience init(_ steps: [RuleStep]) {
        self.init(count: steps.count) { put in for (place, step) in steps.enumerated() { put(step, place) } }
    }

    deinit { unsafe base.deallocate() }

    /// All steps, in the order in which they are tried.
    var list: RuleStepList { self[0, count] }

    /// The steps from one place to another.
    subscript(start: Int, end: Int) -> RuleStepList { unsafe RuleStepList(base + start, base + end) }
}

/// The remaining steps of one block: a list that needs no look-up, and one that was looked up, merged by their order.
struct RuleStepCursor {
    private var fixed: RuleStepList
    private var found: RuleStepList

    @inline(__always)
    init(_ fixed: RuleStepList, _ found: RuleStepList = .none) {
        (self.fixed, self.found) = (fixed, found)
    }

    @inline(__always)
    private var isEmpty: Bool { fixed.isEmpty && found.isEmpty }

    /// The next step; there must be one.
    @inline(__always)
    private var first: RuleStep { found.isEmpty ? fixed.first : firstOfBoth }

    private var firstOfBoth: RuleStep { isFoundNext ? found.first : fixed.first }

    private var isFoundNext: Bool { fixed.isEmpty || found.first.order < fixed.first.order }

    @inline(__always)
    private mutating func removeFirst() {
        if found.isEmpty { fixed.removeFirst() } else { removeFirstOfBoth() }
    }

    @inline(never)
    private mutating func removeFirstOfBoth() {
        if isFoundNext { found.removeFirst() } else { fixed.removeFirst() }
    }

    /// Drops the steps up to a place in the order.
    @inline(never)
    mutating func drop(through order: Int) {
        while !isEmpty, first.order <= order { removeFirst() }
    }

    /// Takes the next step that is to be tried: not one that is for errors of another type, and of those with a predicate
    /// one for which it holds.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - type: The static type of its box's content.
    @inline(__always)
    mutating func next(for error: any Error, of type: any Error.Type) -> RuleStep? {
        while !isEmpty {
            let step = first
            if let required = step.requiredType, required != ObjectIdentifier(type) {
                removeFirst()
            } else if step.match == .byPredicate {
                if let holding = firstHolding(for: error) { return holding }
            } else {
                removeFirst()
                return step
            }
        }
        return nil
    }

    /// Drops the steps before the first whose predicate holds, which is taken and returned, or before the first that asks
    /// none.
    ///
    /// Matchers are entered once for all of them: to enter costs as much as to ask one.
    @inline(never)
    private mutating func firstHolding(for error: any Error) -> RuleStep? {
        let entry = PerThread.enterMatcher()
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        while !isEmpty, first.match == .byPredicate {
            let step = first
            removeFirst()
            if entry != nil, step.rule.read({ $0.predicate(error) }) { return step }
        }
        return nil
    }
}
