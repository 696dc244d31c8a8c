import Synchronization

/// A counter with its cache line to itself.
///
/// Beside what other threads write to, each of its changes would take that line away from them, and theirs from it.
@safe struct PaddedCounter: ~Copyable, @unchecked Sendable {
    // Unchecked for the address: what is there is read and written atomically.
    private let counter: UnsafeMutablePointer<Atomic<Int>>

    init() {
        // Two lines, since processors fetch lines in pairs.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
        unsafe counter = memory.initializeMemory(as: Atomic<Int>.self, to: Atomic(0))
    }

    deinit {
        unsafe counter.deinitialize(count: 1)
        unsafe counter.deallocate()
    }

    /// The count; whoever reads it sees what was written before it was set.
    var value: Int { unsafe counter.pointee.load(ordering: .acquiring) }

    /// Sets the count.
    ///
    /// For one thread at a time.
    func set(_ value: Int) { unsafe counter.pointee.store(value, ordering: .releasing) }
}
