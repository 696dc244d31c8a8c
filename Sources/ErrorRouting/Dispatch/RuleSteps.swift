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
    private(set) var requiredType: ObjectIdentifier?
    let order: Int
    private(set) var match: Match
    /// What the rule does with an error that it matches.
    let traits: Rule.Traits

    /// A step that is compared with an error's type when it is reached.
    init(_ rule: Rule, order: Int) {
        self.rule = Borrowed(rule)
        self.order = order
        (requiredType, match, traits) = (rule.requiredType, rule.match, rule.traits)
    }

    /// Returns this step for errors whose type has been compared with the rule.
    func judged(isCertain: Bool) -> RuleStep {
        var step = self
        step.requiredType = nil
        if isCertain { step.match = .certain }
        return step
    }

    var shape: MatcherShape { rule.read { $0.registration.shape } }

    /// Whether errors of a type may match: false only if the rule requires another type.
    ///
    /// - Parameter type: The static type of a box's content.
    @inline(__always)
    func isFor(_ type: any Error.Type) -> Bool { requiredType == nil || requiredType == ObjectIdentifier(type) }
}

/// The remaining steps of a list, which are read without retaining anything.
///
/// Unchecked, since the compiler cannot know that the memory does not change.
@safe struct RuleStepList: Sequence, IteratorProtocol, @unchecked Sendable {
    private var place: UnsafePointer<RuleStep>
    private let end: UnsafePointer<RuleStep>

    fileprivate init(_ place: UnsafePointer<RuleStep>, _ end: UnsafePointer<RuleStep>) {
        unsafe (self.place, self.end) = unsafe (place, end)
    }

    @inline(__always)
    var isEmpty: Bool { unsafe place == end }

    /// The next step; the list must not be empty.
    @inline(__always)
    var first: RuleStep {
        assert(!isEmpty)
        return unsafe place.pointee
    }

    @inline(__always)
    mutating func removeFirst() { unsafe place += 1 }

    @inline(__always)
    mutating func next() -> RuleStep? {
        if isEmpty { return nil }
        defer { removeFirst() }
        return first
    }

    /// Drops the steps before the next that is to be tried, and returns that: a step that is not for errors of another
    /// type, and whose predicate holds if it has one.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - type: The static type of its box's content.
    @inline(__always)
    mutating func next(for error: any Error, of type: any Error.Type) -> RuleStep? {
        while !isEmpty {
            if first.isFor(type) {
                if first.match != .byPredicate { return first }
                self = firstHolding(for: error)
                if !isEmpty, first.match == .byPredicate { return first }
            } else {
                removeFirst()
            }
        }
        return nil
    }

    /// Returns the steps from the first whose predicate holds, or from the first that asks none.
    ///
    /// Matchers are entered once for all of them: to enter costs as much as to ask one.
    @inline(never)
    private func firstHolding(for error: any Error) -> RuleStepList {
        var steps = self
        let entry = PerThread.enterMatcher()
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        while !steps.isEmpty, steps.first.match == .byPredicate {
            if entry != nil, steps.first.rule.read({ $0.predicate(error) }) { return steps }
            steps.removeFirst()
        }
        return steps
    }
}

/// Steps in the order in which they are tried, in the memory of one object; they do not change once they are put.
@safe final class RuleSteps: ManagedBuffer<Int, RuleStep> {
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - put: Passes each of them to the closure that it gets, with its place.
    static func make(count: Int, _ put: ((RuleStep, _ place: Int) -> Void) -> Void) -> RuleSteps {
        let made = unsafe unsafeDowncast(create(minimumCapacity: count) { _ in count }, to: RuleSteps.self)
        unsafe made.withUnsafeMutablePointerToElements { steps in
            put { step, place in
                assert(0..<count ~= place)
                unsafe (steps + place).initialize(to: step)
            }
        }
        return made
    }

    /// Sorts the steps.
    static func make(_ steps: [RuleStep]) -> RuleSteps {
        let steps = steps.sorted { $0.order < $1.order }
        return make(count: steps.count) { put in for place in steps.indices { put(steps[place], place) } }
    }

    var list: RuleStepList { self[0, header] }

    /// The steps from one place to another.
    subscript(start: Int, end: Int) -> RuleStepList {
        unsafe withUnsafeMutablePointerToElements { steps in unsafe RuleStepList(steps + start, steps + end) }
    }
}
