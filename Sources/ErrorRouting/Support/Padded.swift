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

    /// Sets a value in the place of the one that is expected; returns whether it did, and what it found.
    func replace(_ expected: consuming Value, by desired: consuming Value) -> (isReplaced: Bool, found: Value) {
        let (isReplaced, found) = unsafe place.pointee.compareExchange(
            expected: expected,
            desired: desired,
            successOrdering: .acquiringAndReleasing,
            failureOrdering: .acquiring
        )
        return (isReplaced, found)
    }

    /// Sets the value, and returns the one before.
    func exchange(for value: consuming Value) -> Value {
        unsafe place.pointee.exchange(value, ordering: .acquiringAndReleasing)
    }
}

/// A count, or a number of a place, with its cache line to itself; of 64 bits on all systems, since it grows for ever.
typealias PaddedCounter = Padded<Int64>

/// Counts that have a cache line to themselves together, since one thread is the one that writes to them; of 64 bits on
/// all systems, since they grow for ever.
@safe struct CounterLine: ~Copyable, @unchecked Sendable {
    // Unchecked for the address: what is there is read and written atomically.
    private let places: UnsafeMutablePointer<Atomic<Int64>>

    /// How many there are room for.
    static var size: Int { 8 }

    init() {
        // Two lines, since processors fetch lines in pairs.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        unsafe places = memory.bindMemory(to: Atomic<Int64>.self, capacity: Self.size)
        for index in 0..<Self.size { unsafe (places + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe places.deinitialize(count: Self.size)
        unsafe places.deallocate()
    }

    /// A count; whoever reads it sees what was written before it was set.
    subscript(index: Int) -> Int64 {
        @inline(__always) get { unsafe places[index].load(ordering: .acquiring) }
        @inline(__always) nonmutating set { unsafe places[index].store(newValue, ordering: .releasing) }
    }

    /// Sets a count in the place of the one that is expected, if it is that.
    @inline(__always)
    func replace(_ expected: Int64, by desired: Int64, at index: Int) -> Bool {
        unsafe places[index].compareExchange(
            expected: expected, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring
        ).exchanged
    }

    /// Sets a count, and returns the one before.
    func exchange(for value: Int64, at index: Int) -> Int64 {
        unsafe places[index].exchange(value, ordering: .acquiringAndReleasing)
    }
}
