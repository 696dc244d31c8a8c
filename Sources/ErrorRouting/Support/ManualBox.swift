import Foundation

/// A value in memory that the creator of the box must free.
///
/// A class or an `indirect` case would retain the value for each access, or check that accesses don't overlap.
@safe struct ManualBox<Value> {
    private let address: UnsafeMutablePointer<Value>

    @inline(__always)
    init(_ value: consuming Value) {
        // Don't use `allocate(capacity:)`: it requests an alignment that `malloc` guarantees anyway, which doubles the
        // cost on Linux.
        guard let memory = unsafe malloc(MemoryLayout<Value>.size) else { fatalError("no memory") }
        unsafe address = memory.initializeMemory(as: Value.self, to: value)
    }

    /// Views the box at an address, which must be the ``rawAddress`` of a box for the same type.
    @unsafe @inline(__always)
    init(at rawAddress: UnsafeMutableRawPointer) { unsafe address = rawAddress.assumingMemoryBound(to: Value.self) }

    /// The value, which must not be accessed after ``deallocate()``.
    var value: Value {
        @inline(__always) _read { yield unsafe address.pointee }
        @inline(__always) nonmutating _modify { yield unsafe &address.pointee }
    }

    var rawAddress: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(address) }

    /// Frees the memory; the creator must call it exactly once.
    func deallocate() {
        unsafe address.deinitialize(count: 1)
        unsafe free(address)
    }
}
