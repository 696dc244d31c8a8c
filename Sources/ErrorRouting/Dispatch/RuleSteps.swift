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
