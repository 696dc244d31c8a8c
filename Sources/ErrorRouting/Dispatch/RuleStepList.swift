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
                case .certain, .asked: return first
                case .predicate, .domain: (self, isHolding) = afterPredicates(for: error, of: type)
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
    ///
    /// User code is entered once for all of them: entering costs as much as calling one predicate.
    @inline(never)
    private func afterPredicates(for error: UnboxedError, of type: any Error.Type) -> (Self, isHolding: Bool) {
        var steps = self
        let entry = PerThread.enterUserCode()
        defer { if let entry { PerThread.leaveUserCode(entry) } }
        while !steps.isEmpty, steps.first.certainty == .predicate || steps.first.certainty == .domain {
            if entry != nil, steps.first.isFor(type), steps.first.rule.read({ $0.predicate(error.error) }) {
                return (steps, true)
            }
            steps.removeFirst()
        }
        return (steps, false)
    }
}

/// Steps in the order of evaluation, in the memory of one object; they don't change once they are stored.
@safe final class RuleSteps: ManagedBuffer<Int, RuleStep> {
    /// Returns room for some steps; the caller initializes each of them.
    static func make(count: Int) -> RuleSteps {
        unsafe unsafeDowncast(create(minimumCapacity: count) { _ in count }, to: RuleSteps.self)
    }

    /// Sorts the steps.
    static func make(_ steps: [RuleStep]) -> RuleSteps {
        let (steps, made) = (steps.sorted { $0.order < $1.order }, make(count: steps.count))
        for position in steps.indices { made.initializeElement(at: position, to: steps[position]) }
        return made
    }

    var list: RuleStepList { self[0, header] }

    /// The steps from one position to another.
    subscript(start: Int, end: Int) -> RuleStepList {
        unsafe withUnsafeMutablePointerToElements { steps in unsafe RuleStepList(steps + start, steps + end) }
    }
}
