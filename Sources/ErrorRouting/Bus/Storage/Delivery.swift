/// A report in delivery; its posting stays in its slot until the worker has continued with the next step.
///
/// Unchecked because of the address: the posting there doesn't change, and only the report's worker frees the slot.
@safe struct Delivery: @unchecked Sendable {
    /// The address of the posting, in a slot of the mailbox or in its own memory.
    let address: UnsafeMutablePointer<Posting>
    /// The number of the mailbox's slot; -1 for a posting in its own memory.
    let number: Int64
    /// The report's number in the order of delivery.
    let sequence: UInt64

    /// Creates the delivery of a report in a slot of the mailbox.
    @inline(__always)
    init(_ address: UnsafeMutablePointer<Posting>, inSlot number: Int64, sequence: UInt64) {
        (unsafe self.address, self.number, self.sequence) = unsafe (address, number, sequence)
    }

    /// Creates the delivery of a notice or a formerly held report, which is in no slot of the mailbox.
    init(_ posting: consuming Posting, sequence: UInt64) {
        unsafe self.address = .allocate(capacity: 1)
        unsafe self.address.initialize(to: posting)
        (number, self.sequence) = (-1, sequence)
    }

    /// The posting, read in place; code on every report's path reads ``address`` instead, because that costs less.
    @inline(__always)
    var posting: Posting { unsafeAddress { unsafe UnsafePointer(address) } }

    /// The initial notes of the report's dispatch.
    @inline(__always)
    var notes: DispatchNotes { unsafe DispatchNotes(of: address, sequence: sequence) }

    /// Frees the slot and returns the posting.
    @inline(__always)
    func take(from mailbox: borrowing Mailbox<Posting>) -> Posting {
        if number >= 0 { return unsafe mailbox.take(address) }
        defer { unsafe address.deallocate() }
        return unsafe address.move()
    }

    /// Frees the posting's own memory; does nothing for a slot of the mailbox.
    func discard() {
        guard number < 0 else { return }
        unsafe address.deinitialize(count: 1)
        unsafe address.deallocate()
    }
}
