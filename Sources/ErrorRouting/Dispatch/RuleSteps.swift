import Foundation

/// One rule among those that are tried, with its place in the order.
///
/// The rule is not retained: the rule set holds it, and every dispatch holds the set.
struct RuleStep {
    /// What is known of whether an error matches.
    enum Match {
        /// The rule is known to match, and its matcher's output is the error itself.
        case certain
        /// The rule is synchronous, and matches wherever its predicate holds; its matcher's output is the error itself.
        case byPredicate
        /// As ``byPredicate``, for errors of the required type.
        case byValue
        /// The rule is synchronous, and matches only where its predicate holds: an `NSError` object matches then, and is the
        /// matcher's output; for another error the matcher has to be asked.
        case byDomain
        /// The matcher has to be asked, and only compares the error, or the error's domain and code. (Not of an asynchronous
        /// rule for several types: only a plan tells which types never reach it.)
        case comparing
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
        // The domain was compared too.
        if isCertain { step.match = .certain } else if match == .byDomain { step.match = .asked }
        return step
    }

    /// Whether an error matches, and is the matcher's output, once its predicate, if there is one, holds.
    ///
    /// - Parameter type: The static type of the content of the error's box.
    @inline(__always)
    func isKnown(of type: any Error.Type) -> Bool {
        switch match {
        case .certain, .byPredicate, .byValue: true
        case .byDomain: Self.isNSError(type)
        case .comparing, .asked: false
        }
    }

    @inline(never)
    private static func isNSError(_ type: any Error.Type) -> Bool { type == NSError.self }

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
                let isHolding: Bool
                switch first.match {
                case .certain, .comparing, .asked: return first
                case .byPredicate: (self, isHolding) = afterPredicates(for: error)
                case .byValue, .byDomain: (self, isHolding) = afterComparisons(for: error, of: type)
                }
                if isHolding { return first }
            } else {
                removeFirst()
            }
        }
        return nil
    }

    /// Returns the steps from the first whose predicate holds, otherwise from the first that has none; and which it is.
    @inline(never)
    private func afterPredicates(for error: any Error) -> (Self, isHolding: Bool) {
        from(for: error, among: { $0.match == .byPredicate }, isTried: { _ in true })
    }

    /// As ``afterPredicates(for:)``, for values and domains: in a loop of its own, which no predicate pays for.
    @inline(never)
    private func afterComparisons(for error: any Error, of type: any Error.Type) -> (Self, isHolding: Bool) {
        from(for: error, among: { $0.match == .byValue || $0.match == .byDomain }, isTried: { $0.isFor(type) })
    }

    /// Matchers are entered once for all steps: entering costs as much as calling one predicate.
    @inline(__always)
    private func from(
        for error: any Error, among isOfKind: (RuleStep) -> Bool, isTried: (RuleStep) -> Bool
    ) -> (Self, isHolding: Bool) {
        var steps = self
        let entry = PerThread.enterMatcher()
        defer { if let entry { PerThread.leaveMatcher(entry) } }
        while !steps.isEmpty, isOfKind(steps.first) {
            if entry != nil, isTried(steps.first), steps.first.rule.read({ $0.predicate(error) }) {
                return (steps, true)
            }
            steps.removeFirst()
        }
        return (steps, false)
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
