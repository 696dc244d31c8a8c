/// A report in delivery; its posting stays in its slot until the worker has continued with the next step.
///
/// Unchecked because of the address: the posting there doesn't change, and only the report's worker empties the slot.
@safe struct Delivery: @unchecked Sendable {
    /// The address of the posting, in a slot of the mailbox.
    let address: UnsafeMutablePointer<Posting>
    /// The report's number in the order of delivery.
    let sequence: UInt64

    /// The posting, read in place; code on every report's path reads ``address`` instead, because that costs less.
    @inline(__always)
    var posting: Posting { _read { yield unsafe address.pointee } }

    /// The initial notes of the report's dispatch.
    @inline(__always)
    var notes: DispatchNotes { unsafe DispatchNotes(of: address, sequence: sequence) }
}
