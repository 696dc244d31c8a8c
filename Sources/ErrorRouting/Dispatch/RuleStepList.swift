/// The remaining steps of a list, which is read without retaining objects.
///
/// `@unchecked` because the compiler can't verify that the memory doesn't change.
@safe struct RuleStepList: Sequence, IteratorProtocol, @unchecked Sendable {
    private var position: UnsafePointer<RuleStep>
    private let end: UnsafePointer<RuleStep>

    init(_ position: UnsafePointer<RuleStep>, _ end: UnsafePointer<RuleStep>) {
        unsafe (self.position, self.end) = unsafe (position, end)
    }

    var count: Int { unsafe end - position }

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

    /// The step that was removed last; a step must have been removed.
    var lastRemoved: RuleStep { unsafe (position - 1).pointee }

    @inline(__always)
    mutating func next() -> RuleStep? {
        if isEmpty { return nil }
        defer { removeFirst() }
        return first
    }

    /// Removes and returns the next step to try, and removes the steps before it; nil if the list contains no such step.
    ///
    /// The step's rule doesn't require another type and, if it has a predicate, the predicate returns true for the
    /// error. The type is the static type of the content of the error's box.
    @inline(__always)
    mutating func next(for error: UnboxedError, of type: any Error.Type) -> RuleStep? {
        while !isEmpty {
            if first.isFor(type) {
                let isHolding: Bool
                switch first.test {
                case .certain, .closure: return next()
                case .predicate, .domain: (self, isHolding) = afterPredicates(for: error, of: type)
                }
                if isHolding { return next() }
            } else {
                removeFirst()
            }
        }
        return nil
    }

    /// Evaluates predicates up to a step whose predicate returns true, or up to a step without a predicate.
    ///
    /// Returns the steps from that step on, and whether its predicate returned true. User code is entered once for all
    /// predicates, because entering it costs as much as calling one predicate.
    @inline(never)
    private func afterPredicates(for error: UnboxedError, of type: any Error.Type) -> (Self, isHolding: Bool) {
        var steps = self
        let entry = PerThread.enterUserCode()
        defer { if let entry { PerThread.leaveUserCode(entry) } }
        while !steps.isEmpty, steps.first.test == .predicate || steps.first.test == .domain {
            if entry != nil, steps.first.isFor(type), steps.first.rule.read({ $0.predicate(error.error) }) {
                return (steps, true)
            }
            steps.removeFirst()
        }
        return (steps, false)
    }
}

extension FixedArray where Element == RuleStep {
    private func list(from start: Int) -> RuleStepList { unsafe RuleStepList(address(start), address(count)) }

    /// Adds the steps of a stage's rules, given in order, and returns their list, which the array must outlive.
    ///
    /// If there are such rules, the stage is added to `stages`.
    mutating func append(
        _ rules: [RuleSet.Entry], of stage: RuleStage, _ stages: inout RuleSet.Stages
    ) -> RuleStepList {
        let start = count
        // Use an index: each element of a sequence would be retained.
        for index in rules.indices where rules[index].stage == stage {
            let step = RuleStep(rules[index].rule, order: count)
            append(step)
            stages.insert(.init(stage))
            if step.traits.isAsynchronous { stages.insert(.init(stage, isAsynchronous: true)) }
        }
        return list(from: start)
    }

    /// Adds steps in the order of their rules and returns their list, which the array must outlive.
    mutating func append(_ steps: [RuleStep]) -> RuleStepList {
        let start = count
        for step in steps.sorted(by: { $0.order < $1.order }) { append(step) }
        return list(from: start)
    }
}
