/// A rule's registration and its description, with a copy of the description for each thread slot.
///
/// Every outcome names the rule that decided it. If all outcomes named the same object, concurrent dispatches would
/// change one reference count, and the throughput wouldn't grow with the number of cores. Therefore each thread uses
/// its own copy, which is created on first use.
struct RuleRegistration: ~Copyable, Sendable {
    let shape: MatcherShape
    let source: ErrorReport.Source
    private let original = SetOnce<RuleDescription.Storage>()
    /// The copies, created when a second outcome names the rule.
    private let copies = SetOnce<DescriptionCopies>()

    init(shape: MatcherShape, source: ErrorReport.Source) {
        self.shape = shape
        self.source = source
    }

    /// The original description, for failures and explanations, which are rare.
    var description: RuleDescription {
        RuleDescription(storage: original.value ?? original.set(.init(shape: shape, source: source)).object)
    }

    /// The address of the original description, which identifies the rule; 0 until the description is created.
    @inline(__always)
    var knownIdentity: UInt { original.borrowed?.address ?? 0 }

    /// The calling thread's copy, for outcomes: every handled error needs a copy.
    var threadsOwnDescription: RuleDescription {
        copies.borrowed?.read { $0.threadsOwn } ?? firstDescription()
    }

    /// Returns the original for the first outcome and allocates the copies for the second outcome.
    ///
    /// Most handlers that are created for a request never have a second outcome.
    @inline(never)
    private func firstDescription() -> RuleDescription {
        if original.borrowed == nil { return description }
        return copies.set(DescriptionCopies(of: description.storage)).read { $0.threadsOwn }
    }
}

/// The copies of a description, one for each thread slot; each is created by the first thread that has the slot.
///
/// `@unchecked` because the compiler can't verify that the memory of the slots isn't shared.
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
