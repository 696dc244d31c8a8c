import Synchronization

/// An atomic value with its cache line to itself.
///
/// Beside what other threads read or write, each of its changes would take that line away from them, and theirs from
/// it.
@safe struct Padded<Value: AtomicRepresentable & Sendable>: ~Copyable, @unchecked Sendable
where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
    // Unchecked for the address: what is there is read and written atomically.
    private let place: UnsafeMutablePointer<Atomic<Value>>

    init(_ value: consuming Value) {
        // Two lines, since processors fetch lines in pairs.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        unsafe place = memory.initializeMemory(as: Atomic<Value>.self, to: Atomic(value))
    }

    deinit {
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }

    /// The value; whoever reads it sees what was written before it was set.
    var value: Value { unsafe place.pointee.load(ordering: .acquiring) }

    /// Sets the value.
    func set(_ value: consuming Value) { unsafe place.pointee.store(value, ordering: .releasing) }

    /// Sets a value in the place of the one that is expected; answers whether it did, and what it found.
    func replace(_ expected: consuming Value, by desired: consuming Value) -> (isReplaced: Bool, found: Value) {
        let (isReplaced, found) = unsafe place.pointee.compareExchange(
            expected: expected,
            desired: desired,
            successOrdering: .acquiringAndReleasing,
            failureOrdering: .acquiring
        )
        return (isReplaced, found)
    }

    /// Sets the value, and answers the one before.
    func exchange(for value: consuming Value) -> Value {
        unsafe place.pointee.exchange(value, ordering: .acquiringAndReleasing)
    }
}

/// A count, or a number of a place, with its cache line to itself; of 64 bits on all systems, since it grows for ever.
struct PaddedCounter: ~Copyable, Sendable {
    private let padded: Padded<Int64>

    init(_ value: Int64 = 0) { padded = Padded(value) }

    /// The count; whoever reads it sees what was written before it was set.
    var value: Int64 { padded.value }

    /// Sets the count.
    func set(_ value: Int64) { padded.set(value) }

    /// Sets a count in the place of the one that is expected, if it is that.
    func replace(_ expected: Int64, by desired: Int64) -> Bool {
        padded.replace(expected, by: desired).isReplaced
    }

    /// Sets the count, and answers the one before.
    func exchange(for value: Int64) -> Int64 { padded.exchange(for: value) }
}
