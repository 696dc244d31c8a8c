/// A report in delivery: its posting stays in its slot until the worker has gone on to what comes next.
///
/// Unchecked because of the address: the posting there does not change, and only the report's worker frees the slot.
@safe struct Delivery: @unchecked Sendable {
    /// Where the posting lies: in a slot of the mailbox, or in memory of its own.
    let posting: UnsafeMutablePointer<Posting>
    /// The number of the mailbox's slot; -1 for memory of its own.
    let number: Int64
    /// The report's number in the order of delivery.
    let sequence: UInt64

    /// The report in a slot of the mailbox.
    @inline(__always)
    init(_ posting: UnsafeMutablePointer<Posting>, inSlot number: Int64, sequence: UInt64) {
        (unsafe self.posting, self.number, self.sequence) = unsafe (posting, number, sequence)
    }

    /// A notice, or a report that a flood limit held: such a report is in no slot of the mailbox.
    init(_ posting: consuming Posting, sequence: UInt64) {
        unsafe self.posting = .allocate(capacity: 1)
        unsafe self.posting.initialize(to: posting)
        (number, self.sequence) = (-1, sequence)
    }

    /// Frees the slot, and returns the posting.
    @inline(__always)
    func take(from mailbox: borrowing Mailbox<Posting>) -> Posting {
        if number >= 0 { return unsafe mailbox.take(posting) }
        defer { unsafe posting.deallocate() }
        return unsafe posting.move()
    }

    /// Frees memory of its own; does nothing with a slot of the mailbox.
    func discard() {
        guard number < 0 else { return }
        unsafe posting.deinitialize(count: 1)
        unsafe posting.deallocate()
    }
}
