/// The handlers that an error goes through one after the other, each with its rules as they are compiled already.
///
/// A path adds one rule set to another path and shares the rest, so that making one costs next to nothing, whatever the
/// number of rules.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HandlerPath: @unchecked Sendable {
    /// How a dispatch sees a path: without a claim to it, or to anything on it.
    @safe struct Steps {
        /// How many handlers there are.
        private let count: Int
        /// Whether any of them has rules for what was not matched, and for whatever happened.
        private let hasOnNoMatch: Bool
        private let hasAlways: Bool
        /// The rule sets in the order in which rules are tried, then the same from the inside out.
        fileprivate let sets: UnsafeMutablePointer<RuleSet.Reference>

        fileprivate init(_ tried: [RuleSet], _ sets: UnsafeMutablePointer<RuleSet.Reference>) {
            count = tried.count
            hasOnNoMatch = tried.contains { $0.has(.onNoMatch) }
            hasAlways = tried.contains { $0.has(.always) }
            unsafe self.sets = sets
        }

        /// How many handlers have their turn in a stage.
        func count(in stage: RuleSet.Stage) -> Int {
            switch stage {
            case .rules: count
            case .onNoMatch: hasOnNoMatch ? count : 0
            case .always: hasAlways ? count : 0
            }
        }

        /// The program that has its turn as the one of a number in a stage.
        func program(_ index: Int, _ stage: RuleSet.Stage) -> Unmanaged<DispatchProgram> {
            // What applies if nothing has matched is asked from the inside out, whatever the order of the rules.
            unsafe sets[stage == .onNoMatch ? count + index : index].program
        }
    }

    let steps: Steps
    /// Holds the rule sets, in the order in which rules are tried.
    private let tried: [RuleSet]
    private let inward: [RuleSet]

    /// The path of one rule set.
    convenience init(_ root: RuleSet) {
        self.init(tried: [root], inward: [root])
    }

    /// A path with one more rule set, inside all the others.
    ///
    /// - Parameters:
    ///   - inner: The rules to add.
    ///   - isTriedFirst: Whether they are tried before the others, or after them.
    func adding(_ inner: RuleSet, isTriedFirst: Bool) -> HandlerPath {
        HandlerPath(tried: isTriedFirst ? [inner] + tried : tried + [inner], inward: [inner] + inward)
    }

    private init(tried: [RuleSet], inward: [RuleSet]) {
        self.tried = tried
        self.inward = inward
        let sets = UnsafeMutablePointer<RuleSet.Reference>.allocate(capacity: 2 * tried.count)
        for (index, set) in tried.enumerated() { unsafe (sets + index).initialize(to: set.reference) }
        for (index, set) in inward.enumerated() { unsafe (sets + tried.count + index).initialize(to: set.reference) }
        steps = unsafe Steps(tried, sets)
    }

    deinit { unsafe steps.sets.deallocate() }
}
