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

    /// Whether the rule can act once it is reached, without suspending, and with a report only if there is one.
    @inline(__always)
    func actsAlone(hasReport: Bool) -> Bool {
        match != .asked && !traits.isAsynchronous && (hasReport || !traits.needsReport)
    }

    /// Whether the rule can act without a matcher and without a report, but may suspend.
    var suspendsAlone: Bool { match == .certain && traits.isAsynchronous && !traits.needsReport }

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

    /// The next step's address; the list must not be empty.
    @inline(__always)
    var first: UnsafePointer<RuleStep> { unsafe next }

    @inline(__always)
    mutating func removeFirst() { unsafe next += 1 }

    var count: Int { unsafe end - next }

    func forEach(_ body: (RuleStep) -> Void) {
        var steps = self
        while !steps.isEmpty {
            body(unsafe steps.first.pointee)
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
    /// The static type of the error's content, for steps that name another.
    private let type: ObjectIdentifier?

    @inline(__always)
    init(_ fixed: RuleStepList, _ found: RuleStepList = .none) {
        (self.fixed, self.found, type) = (fixed, found, nil)
    }

    /// - Parameters:
    ///   - steps: Steps that are compared with the error's type when they are reached.
    ///   - type: The static type of the error's content.
    @inline(__always)
    init(_ steps: RuleStepList, for type: any Error.Type) {
        (fixed, found, self.type) = (steps, .none, ObjectIdentifier(type))
        skipOthers()
    }

    /// The address of the next step; nil at the end.
    @inline(__always)
    var first: UnsafePointer<RuleStep>? {
        isFoundNext ? unsafe found.first : fixed.isEmpty ? nil : unsafe fixed.first
    }

    @inline(__always)
    private var isFoundNext: Bool {
        if found.isEmpty { return false }
        return unsafe fixed.isEmpty || found.first.pointee.order < fixed.first.pointee.order
    }

    @inline(__always)
    mutating func removeFirst() {
        if isFoundNext {
            found.removeFirst()
        } else {
            fixed.removeFirst()
            if type != nil { skipOthers() }
        }
    }

    /// Drops the steps that are for errors of another type.
    @inline(__always)
    private mutating func skipOthers() {
        while !fixed.isEmpty, let required = unsafe fixed.first.pointee.requiredType, required != type {
            fixed.removeFirst()
        }
    }

    /// Drops the steps before the first whose predicate holds, or before the first that asks none.
    ///
    /// Matchers are entered once for all of them: to enter costs as much as to ask one.
    @inline(never)
    mutating func dropNotHolding(for error: any Error) {
        let entry = PerThread.enterMatcher()
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        func holds(_ place: UnsafePointer<RuleStep>) -> Bool {
            unsafe entry != nil && place.pointee.rule.read { $0.predicate(error) }
        }
        if found.isEmpty, type == nil {
            // By far most: not asked for the other list at each step.
            while !fixed.isEmpty, unsafe fixed.first.pointee.match == .byPredicate, unsafe !holds(fixed.first) {
                fixed.removeFirst()
            }
        } else {
            while let place = unsafe first, unsafe place.pointee.match == .byPredicate, unsafe !holds(place) {
                removeFirst()
            }
        }
    }
}
