/// The remaining steps of a list, read without retaining anything.
///
/// Unchecked because the compiler can't verify that the memory doesn't change.
@safe struct RuleStepList: Sequence, IteratorProtocol, @unchecked Sendable {
    private var position: UnsafePointer<RuleStep>
    private let end: UnsafePointer<RuleStep>

    init(_ position: UnsafePointer<RuleStep>, _ end: UnsafePointer<RuleStep>) {
        unsafe (self.position, self.end) = unsafe (position, end)
    }

    @inline(__always)
    var isEmpty: Bool { unsafe position == end }

    /// The next step; the list must not be empty.
    @inline(__always)
    var first: RuleStep {
        assert(!isEmpty)
        return unsafe position.pointee
    }

    @inline(__always)
    mutating func removeFirst() { unsafe position += 1 }

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
    mutating func next(for error: UnboxedError, of type: any Error.Type) -> RuleStep? {
        while !isEmpty {
            if first.isFor(type) {
                let isHolding: Bool
                switch first.certainty {
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
    /// without a predicate; also returns which of the two it is.
    @inline(never)
    private func afterPredicates(for error: UnboxedError) -> (Self, isHolding: Bool) {
        from(for: error, among: { $0.certainty == .byPredicate }, isTried: { _ in true })
    }

    /// Does the same as ``afterPredicates(for:)`` for values and domains, in a separate loop that costs predicates
    /// nothing.
    @inline(never)
    private func afterComparisons(for error: UnboxedError, of type: any Error.Type) -> (Self, isHolding: Bool) {
        from(for: error, among: { $0.certainty == .byValue || $0.certainty == .byDomain }, isTried: { $0.isFor(type) })
    }

    /// Matchers are entered once for all steps: entering costs as much as calling one predicate.
    @inline(__always)
    private func from(
        for error: UnboxedError, among isOfKind: (RuleStep) -> Bool, isTried: (RuleStep) -> Bool
    ) -> (Self, isHolding: Bool) {
        var steps = self
        let entry = PerThread.enterUserCode()
        defer { if let entry { PerThread.leaveUserCode(entry) } }
        while !steps.isEmpty, isOfKind(steps.first) {
            if entry != nil, isTried(steps.first), steps.first.rule.read({ $0.predicate(error.error) }) {
                return (steps, true)
            }
            steps.removeFirst()
        }
        return (steps, false)
    }
}
