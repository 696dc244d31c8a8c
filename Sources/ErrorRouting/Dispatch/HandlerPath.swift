/// The rule sets of the handlers that an error goes through, one after the other.
///
/// The rule sets are not retained: the scope that the path is made for, and the scopes around it, hold them.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HandlerPath: @unchecked Sendable {
    /// A path as a dispatch reads it, without retaining the path or anything on it.
    @safe struct Steps {
        /// The number of handlers.
        let count: Int
        /// The stages in which any handler has rules.
        let stages: RuleSet.Stages
        /// The rule sets in the order in which rules are tried, followed by the same sets from the innermost outwards.
        fileprivate let sets: UnsafeMutablePointer<RuleSet.Reference>

        fileprivate init(_ members: [Member]) {
            count = members.count
            stages = members.reduce(into: []) { $0.formUnion($1.rules.stages) }
            unsafe sets = .allocate(capacity: 2 * count)
            // From the innermost outwards, a set that is tried before all outer ones goes to the first free place, and
            // one that is tried after them to the last: so both ends of the order grow towards its middle.
            var (first, last) = (0, count)
            for (index, member) in members.enumerated() {
                let set = member.rules.reference
                if !member.isTriedFirst { last -= 1 }
                unsafe (sets + (member.isTriedFirst ? first : last)).initialize(to: set)
                unsafe (sets + count + index).initialize(to: set)
                if member.isTriedFirst { first += 1 }
            }
            assert(first == last, "each place is filled once")
        }

        /// Returns the program of a handler in a stage.
        func program(_ index: Int, _ stage: RuleSet.Stage) -> Unmanaged<DispatchProgram> {
            // `onNoMatch` rules are tried from the innermost scope outwards, whatever the order of the rules.
            unsafe sets[stage == .onNoMatch ? count + index : index].program
        }
    }

    /// A rule set on the path, and whether it is tried before all outer ones or after them.
    struct Member {
        let rules: RuleSet
        let isTriedFirst: Bool
    }

    let steps: Steps

    /// - Parameter members: The rule sets from the innermost outwards; the caller holds them for as long as the path.
    init(_ members: [Member]) {
        steps = Steps(members)
    }

    deinit { unsafe steps.sets.deallocate() }
}
