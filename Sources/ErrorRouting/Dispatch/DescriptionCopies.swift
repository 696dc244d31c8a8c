/// The copies of a rule's description, one for each thread slot.
///
/// Every outcome names the rule that decided it. If all outcomes named the same object, concurrent dispatches would
/// change one reference count, and the throughput wouldn't grow with the number of cores. Therefore each thread uses
/// its own copy, which the first thread with its slot creates.
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
        let copy = RuleDescription.Storage(shape: original.shape, source: original.source, copying: original)
        return RuleDescription(storage: slots[slot].set(copy).object)
    }
}
