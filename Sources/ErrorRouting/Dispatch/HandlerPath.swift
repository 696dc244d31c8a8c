/// The handlers that an error goes through one after the other, each with its rules as they are compiled already.
///
/// A path adds one rule set to another path and shares the rest, so that making one costs next to nothing, whatever the
/// number of rules.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HandlerPath: @unchecked Sendable {
    /// How many handlers there are.
    let count: Int
    /// The rule sets in the order in which rules are tried, then the same from the inside out; in memory of their own,
    /// so that a dispatch reads them without retaining anything.
    private let sets: UnsafeMutablePointer<RuleSet>

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
        let tried = unsafe Array(UnsafeBufferPointer(start: sets, count: count))
        let inward = unsafe Array(UnsafeBufferPointer(start: sets + count, count: count))
        return HandlerPath(tried: isTriedFirst ? [inner] + tried : tried + [inner], inward: [inner] + inward)
    }

    private init(tried: [RuleSet], inward: [RuleSet]) {
        count = tried.count
        unsafe sets = .allocate(capacity: 2 * count)
        for (index, set) in (tried + inward).enumerated() { unsafe (sets + index).initialize(to: set) }
    }

    deinit {
        unsafe sets.deinitialize(count: 2 * count)
        unsafe sets.deallocate()
    }

    /// The rule set that has its turn as the one of a number in a stage.
    subscript(index: Int, stage: RuleSet.Stage) -> RuleSet { unsafe sets[place(index, stage)] }

    /// Its program, without a claim to it: it lives as long as this path.
    func program(_ index: Int, _ stage: RuleSet.Stage) -> Unmanaged<DispatchProgram> {
        unsafe sets[place(index, stage)].unretainedProgram
    }

    /// What applies if nothing has matched is asked from the inside out, whatever the order of the rules.
    private func place(_ index: Int, _ stage: RuleSet.Stage) -> Int { stage == .onNoMatch ? count + index : index }
}
