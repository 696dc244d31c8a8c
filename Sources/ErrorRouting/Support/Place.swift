import Foundation

/// A place in memory for one value, which its owner fills and empties in turn, and reads in between.
///
/// An optional or a class would retain the value for each access, or check that accesses don't overlap.
@safe struct Place<Value: ~Copyable> {
    private let address: UnsafeMutablePointer<Value>

    /// Uses memory that outlives the place; a value is in it only between ``fill(with:)`` and ``take()``.
    @unsafe @inline(__always)
    init(at rawAddress: UnsafeMutableRawPointer) { unsafe address = rawAddress.assumingMemoryBound(to: Value.self) }

    /// Allocates memory that contains a value; the owner must call ``destroy()``.
    @inline(__always)
    init(_ value: consuming Value) {
        self = .allocate()
        fill(with: value)
    }

    /// Allocates empty memory; the owner must call ``deallocate()``.
    @inline(__always)
    static func allocate() -> Place {
        // Don't use `allocate(capacity:)`: it requests an alignment that `malloc` guarantees anyway, which doubles the
        // cost on Linux.
        guard let memory = unsafe malloc(MemoryLayout<Value>.size) else { fatalError("no memory") }
        return unsafe Place(at: memory)
    }

    var rawAddress: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(address) }

    /// The value, which must not be accessed while the place is empty.
    var value: Value {
        @inline(__always) _read { yield unsafe address.pointee }
        @inline(__always) nonmutating _modify { yield unsafe &address.pointee }
    }

    @inline(__always)
    func fill(with value: consuming Value) { unsafe address.initialize(to: value) }

    @inline(__always)
    func take() -> Value { unsafe address.move() }

    /// Frees the memory, which must be empty.
    func deallocate() { unsafe free(address) }

    /// Destroys the value and frees the memory.
    func destroy() {
        unsafe address.deinitialize(count: 1)
        deallocate()
    }
}

// `@unchecked` because of the address: like a value that is copied, the place's value may be read from any thread.
extension Place: @unchecked Sendable where Value: Sendable & ~Copyable {}
