import Synchronization

/// An atomic value on a cache line of its own.
///
/// On a shared line, each write of one thread would evict the line from the caches of threads that use its other
/// values.
@safe struct Padded<Value: AtomicRepresentable & Sendable>: ~Copyable, @unchecked Sendable
where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
    // `@unchecked` because of the pointer: its memory is accessed atomically.
    private let place: UnsafeMutablePointer<Atomic<Value>>

    init(_ value: consuming Value) {
        // Two cache lines, since processors fetch lines in pairs.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        unsafe place = memory.initializeMemory(as: Atomic<Value>.self, to: Atomic(value))
    }

    deinit {
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }

    /// The value, read with acquire ordering: the reader sees what was written before the value was set.
    var value: Value { unsafe place.pointee.load(ordering: .acquiring) }

    /// Sets the value with release ordering.
    func set(_ value: consuming Value) { unsafe place.pointee.store(value, ordering: .releasing) }

    /// Replaces the value if it is the expected one; returns whether it did so, and the value found.
    func replace(_ expected: consuming Value, by desired: consuming Value) -> (isReplaced: Bool, found: Value) {
        let (isReplaced, found) = unsafe place.pointee.compareExchange(
            expected: expected,
            desired: desired,
            successOrdering: .acquiringAndReleasing,
            failureOrdering: .acquiring
        )
        return (isReplaced, found)
    }
}

/// A number on a cache line of its own; of 64 bits on all systems, since it grows forever.
typealias PaddedCounter = Padded<Int64>

/// Numbers that share a cache line of their own, since mostly the same thread writes them; of 64 bits on all systems,
/// since they grow forever.
@safe struct CounterLine: ~Copyable, @unchecked Sendable {
    // `@unchecked` because of the pointer: its memory is accessed atomically.
    private let places: UnsafeMutablePointer<Atomic<Int64>>

    /// How many numbers there are.
    static var size: Int { 8 }

    init() {
        // Two cache lines, since processors fetch lines in pairs.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        unsafe places = memory.bindMemory(to: Atomic<Int64>.self, capacity: Self.size)
        for index in 0..<Self.size { unsafe (places + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe places.deinitialize(count: Self.size)
        unsafe places.deallocate()
    }

    /// Reads a number with acquire ordering, or sets it with release ordering.
    subscript(index: Int) -> Int64 {
        @inline(__always) get { unsafe places[index].load(ordering: .acquiring) }
        @inline(__always) nonmutating set { unsafe places[index].store(newValue, ordering: .releasing) }
    }

    /// Replaces a number if it is the expected one; returns whether it did so.
    @inline(__always)
    func replace(_ expected: Int64, by desired: Int64, at index: Int) -> Bool {
        unsafe places[index].compareExchange(
            expected: expected, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring
        ).exchanged
    }

    /// Sets a number, and returns the previous one.
    func exchange(for value: Int64, at index: Int) -> Int64 {
        unsafe places[index].exchange(value, ordering: .acquiringAndReleasing)
    }
}
