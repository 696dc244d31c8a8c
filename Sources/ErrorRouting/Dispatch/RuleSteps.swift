/// Steps in the order of evaluation, in the memory of one object; they don't change once they are stored.
@safe final class RuleSteps: ManagedBuffer<Int, RuleStep> {
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - put: Passes each step and its position to the closure that it receives.
    static func make(count: Int, _ put: ((RuleStep, _ position: Int) -> Void) -> Void) -> RuleSteps {
        let made = unsafe unsafeDowncast(create(minimumCapacity: count) { _ in count }, to: RuleSteps.self)
        put { step, position in
            assert(0..<count ~= position)
            made.initializeElement(at: position, to: step)
        }
        return made
    }

    /// Sorts the steps.
    static func make(_ steps: [RuleStep]) -> RuleSteps {
        let steps = steps.sorted { $0.order < $1.order }
        return make(count: steps.count) { put in for position in steps.indices { put(steps[position], position) } }
    }

    var list: RuleStepList { self[0, header] }

    /// The steps from one position to another.
    subscript(start: Int, end: Int) -> RuleStepList {
        unsafe withUnsafeMutablePointerToElements { steps in unsafe RuleStepList(steps + start, steps + end) }
    }
}
