import Synchronization

/// An atomic value on its own cache line.
///
/// If threads wrote values on a shared line, each write would evict the line from the caches of threads that use the
/// other values.
@safe struct Padded<Value: AtomicRepresentable & Sendable>: ~Copyable, @unchecked Sendable
where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
    // `@unchecked` because of the pointer: its memory is accessed atomically.
    private let storage: UnsafeMutablePointer<Atomic<Value>>

    init(_ value: consuming Value) {
        // Allocate two cache lines: processors fetch lines in pairs.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        unsafe storage = memory.initializeMemory(as: Atomic<Value>.self, to: Atomic(value))
    }

    deinit {
        unsafe storage.deinitialize(count: 1)
        unsafe storage.deallocate()
    }

    /// The value, read with acquire ordering: the reader sees all writes before the value was set.
    var value: Value { unsafe storage.pointee.load(ordering: .acquiring) }

    /// Sets the value with release ordering.
    func set(_ value: consuming Value) { unsafe storage.pointee.store(value, ordering: .releasing) }

    /// Replaces the value if it equals `expected`; returns whether it was replaced, and the previous value.
    func replace(_ expected: consuming Value, by desired: consuming Value) -> (isReplaced: Bool, found: Value) {
        let (isReplaced, found) = unsafe storage.pointee.compareExchange(
            expected: expected,
            desired: desired,
            successOrdering: .acquiringAndReleasing,
            failureOrdering: .acquiring
        )
        return (isReplaced, found)
    }
}

/// A number on its own cache line; it is 64 bits wide on all systems, because it only grows.
typealias PaddedCounter = Padded<Int64>
