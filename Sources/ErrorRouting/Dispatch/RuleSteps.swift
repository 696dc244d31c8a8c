import Foundation

/// One rule in a dispatch, with its position in the order.
///
/// The rule isn't retained: the rule set retains it, and every dispatch retains the set.
struct RuleStep {
    /// The degree of certainty that an error matches.
    enum Match {
        /// The rule is known to match, and its matcher's output is the error itself.
        case certain
        /// The rule is synchronous and matches if its predicate returns true; its matcher's output is the error itself.
        case byPredicate
        /// The same as ``byPredicate``, for errors of the required type.
        case byValue
        /// The rule is synchronous and matches only if its predicate returns true. An `NSError` object matches then and
        /// is the matcher's output; for another error, the matcher must be called.
        case byDomain
        /// The matcher must be called and only compares the error, or the error's domain and code. (This isn't used for
        /// an asynchronous rule for several types: only a plan determines which types never reach it.)
        case comparing
        /// The matcher must be called.
        case asked
    }

    let rule: Borrowed<Rule>
    /// The type that an error must have; nil if several types are possible, or if the type was already compared with
    /// the rule.
    private(set) var requiredType: ObjectIdentifier?
    let order: Int
    private(set) var match: Match
    /// The traits of the rule's action.
    let traits: Rule.Traits

    /// Creates a step that is compared with an error's type when a dispatch reaches it.
    init(_ rule: Rule, order: Int) {
        self.rule = Borrowed(rule)
        self.order = order
        (requiredType, match, traits) = (rule.requiredType, rule.match, rule.traits)
    }

    /// Returns this step for errors whose type has been compared with the rule.
    func judged(isCertain: Bool) -> RuleStep {
        var step = self
        step.requiredType = nil
        // The domain was also compared.
        if isCertain { step.match = .certain } else if match == .byDomain { step.match = .asked }
        return step
    }

    /// Whether an error matches and is the matcher's output, given that the predicate, if any, returns true.
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

    /// Whether errors of a type might match; false only if the rule requires another type.
    ///
    /// - Parameter type: The static type of a box's content.
    @inline(__always)
    func isFor(_ type: any Error.Type) -> Bool { requiredType == nil || requiredType == ObjectIdentifier(type) }
}

/// The remaining steps of a list, read without retaining anything.
///
/// Unchecked because the compiler can't verify that the memory doesn't change.
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

    /// Drops the steps before the next one to try and returns that one: a step that isn't for errors of another type,
    /// with a predicate, if any, that returns true.
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

    /// Returns the steps from the first one with a predicate that returns true or, if there is none, from the first one
    /// without a predicate; and says which it is.
    @inline(never)
    private func afterPredicates(for error: any Error) -> (Self, isHolding: Bool) {
        from(for: error, among: { $0.match == .byPredicate }, isTried: { _ in true })
    }

    /// Does the same as ``afterPredicates(for:)`` for values and domains, in a separate loop that costs predicates
    /// nothing.
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
        let entry = PerThread.enterUserCode()
        defer { if let entry { PerThread.leaveUserCode(entry) } }
        while !steps.isEmpty, isOfKind(steps.first) {
            if entry != nil, isTried(steps.first), steps.first.rule.read({ $0.predicate(error) }) {
                return (steps, true)
            }
            steps.removeFirst()
        }
        return (steps, false)
    }
}

/// Steps in the order of evaluation, in the memory of one object; they don't change once they are stored.
@safe final class RuleSteps: ManagedBuffer<Int, RuleStep> {
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - put: Passes each step and its position to the closure that it receives.
    static func make(count: Int, _ put: ((RuleStep, _ place: Int) -> Void) -> Void) -> RuleSteps {
        let made = unsafe unsafeDowncast(create(minimumCapacity: count) { _ in count }, to: RuleSteps.self)
        put { step, place in
            assert(0..<count ~= place)
            made.initializeElement(at: place, to: step)
        }
        return made
    }

    /// Sorts the steps.
    static func make(_ steps: [RuleStep]) -> RuleSteps {
        let steps = steps.sorted { $0.order < $1.order }
        return make(count: steps.count) { put in for place in steps.indices { put(steps[place], place) } }
    }

    var list: RuleStepList { self[0, header] }

    /// The steps from one position to another.
    subscript(start: Int, end: Int) -> RuleStepList {
        unsafe withUnsafeMutablePointerToElements { steps in unsafe RuleStepList(steps + start, steps + end) }
    }
}
