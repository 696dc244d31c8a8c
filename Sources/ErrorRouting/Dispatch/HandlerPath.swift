/// The handlers that an error goes through one after the other, each with its rules as they are compiled already.
///
/// The rules are not retained: the scope that it is made for holds them, or the scopes around that do.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HandlerPath: @unchecked Sendable {
    /// How a dispatch sees a path: it retains neither that nor anything on it.
    @safe struct Steps {
        /// How many handlers there are.
        private let count: Int
        /// Whether any of them has rules for what was not matched, and for whatever happened.
        private let hasOnNoMatch: Bool
        private let hasAlways: Bool
        /// The rule sets in the order in which rules are tried, then the same from the inside out.
        fileprivate let sets: UnsafeMutablePointer<RuleSet.Reference>

        fileprivate init(_ members: [Member]) {
            count = members.count
            hasOnNoMatch = members.contains { $0.rules.has(.onNoMatch) }
            hasAlways = members.contains { $0.rules.has(.always) }
            unsafe sets = .allocate(capacity: 2 * count)
            // From the inside out, what is tried before all that is around it comes first, and what is tried after that
            // comes last: so both ends of the order grow towards its middle.
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

        /// Whether any of them has rules beside those for errors.
        var hasFallbacks: Bool { hasOnNoMatch || hasAlways }

        /// How many handlers have their turn in a stage.
        func count(in stage: RuleSet.Stage) -> Int {
            switch stage {
            case .rules: count
            case .onNoMatch: hasOnNoMatch ? count : 0
            case .always: hasAlways ? count : 0
            }
        }

        /// The program of a stage's handler of a number, for whoever goes on with a dispatch.
        func programInUse(_ index: Int, _ stage: RuleSet.Stage) -> Unmanaged<DispatchProgram> {
            unsafe sets[stage == .onNoMatch ? count + index : index].programInUse
        }

        /// The same, for a dispatch that begins there.
        func program(_ index: Int, _ stage: RuleSet.Stage) -> Unmanaged<DispatchProgram> {
            // What applies if nothing has matched is asked from the inside out, whatever the order of the rules.
            unsafe sets[stage == .onNoMatch ? count + index : index].program
        }
    }

    /// A rule set on the way, and whether it is tried before those around it, or after them.
    struct Member {
        let rules: RuleSet
        let isTriedFirst: Bool
    }

    let steps: Steps

    /// - Parameter members: The rule sets from the inside out; whoever makes the path holds them for as long as it.
    init(_ members: [Member]) {
        steps = Steps(members)
    }

    deinit { unsafe steps.sets.deallocate() }
}
