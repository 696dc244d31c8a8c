/// A report in delivery: its posting stays in its slot until the worker has gone on to what comes next.
///
/// Unchecked because of the address: the posting there does not change, and only the report's worker frees the slot.
@safe struct Delivery: @unchecked Sendable {
    /// Where the posting lies: in a slot of the mailbox, or in memory of its own.
    let address: UnsafeMutablePointer<Posting>
    /// The number of the mailbox's slot; -1 for memory of its own.
    let number: Int64
    /// The report's number in the order of delivery.
    let sequence: UInt64

    /// The report in a slot of the mailbox.
    @inline(__always)
    init(_ address: UnsafeMutablePointer<Posting>, inSlot number: Int64, sequence: UInt64) {
        (unsafe self.address, self.number, self.sequence) = unsafe (address, number, sequence)
    }

    /// A notice, or a report that a flood limit held: such a report is in no slot of the mailbox.
    init(_ posting: consuming Posting, sequence: UInt64) {
        unsafe self.address = .allocate(capacity: 1)
        unsafe self.address.initialize(to: posting)
        (number, self.sequence) = (-1, sequence)
    }

    /// The posting, read where it lies; where each report comes by, ``address`` is read, because that costs less.
    @inline(__always)
    var posting: Posting { unsafeAddress { unsafe UnsafePointer(address) } }

    /// What a dispatch knows of the report at its beginning.
    @inline(__always)
    var notes: DispatchNotes { unsafe DispatchNotes(of: address, sequence: sequence) }

    /// Frees the slot, and returns the posting.
    @inline(__always)
    func take(from mailbox: borrowing Mailbox<Posting>) -> Posting {
        if number >= 0 { return unsafe mailbox.take(address) }
        defer { unsafe address.deallocate() }
        return unsafe address.move()
    }

    /// Frees memory of its own; does nothing with a slot of the mailbox.
    func discard() {
        guard number < 0 else { return }
        unsafe address.deinitialize(count: 1)
        unsafe address.deallocate()
    }
}
