/// A rule's registration and its description, with one copy for each thread slot.
///
/// Every outcome names the rule that decided it. If all outcomes named one object, concurrent dispatches would change
/// the same reference count, and their throughput wouldn't grow with the cores. Therefore each thread uses its own
/// copy, created on first need.
struct RuleRegistration: ~Copyable, Sendable {
    let shape: MatcherShape
    let source: ErrorReport.Source
    private let original = SetOnce<RuleDescription.Storage>()
    /// Set once a second outcome names the rule.
    private let copies = SetOnce<DescriptionCopies>()

    init(shape: MatcherShape, source: ErrorReport.Source) {
        self.shape = shape
        self.source = source
    }

    /// The original, for failures and explanations, which are rare.
    var description: RuleDescription {
        RuleDescription(storage: original.value ?? original.set(.init(shape: shape, source: source)).object)
    }

    /// The calling thread's copy, for outcomes; every error has one.
    var threadsOwnDescription: RuleDescription {
        copies.borrowed?.read { $0.threadsOwn } ?? firstDescription()
    }

    /// Returns the original for the first outcome, because most handlers created for a request have no second one;
    /// allocates room for copies at the second.
    @inline(never)
    private func firstDescription() -> RuleDescription {
        if original.borrowed == nil { return description }
        return copies.set(DescriptionCopies(of: description.storage)).read { $0.threadsOwn }
    }
}

/// The copies of a description, each created by the first thread that has its slot.
///
/// Unchecked because the compiler can't verify that the memory of the slots isn't shared.
final class DescriptionCopies: @unchecked Sendable {
    private let original: RuleDescription.Storage
    private let slots: FixedArray<SetOnce<RuleDescription.Storage>>

    init(of original: RuleDescription.Storage) {
        self.original = original
        var slots = FixedArray<SetOnce<RuleDescription.Storage>>(capacity: PerThread.count)
        for _ in 0..<PerThread.count { slots.append(SetOnce()) }
        self.slots = slots
    }

    var threadsOwn: RuleDescription {
        let slot = PerThread.slot
        if let copy = slots[slot].value { return RuleDescription(storage: copy) }
        let copy = RuleDescription.Storage(copying: original)
        return RuleDescription(storage: slots[slot].set(copy).object)
    }
}
