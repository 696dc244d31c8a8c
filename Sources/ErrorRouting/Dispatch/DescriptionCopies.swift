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
