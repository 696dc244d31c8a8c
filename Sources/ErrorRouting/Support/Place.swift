/// A place in memory for one value, which its owner fills and empties in turn, and reads in between.
///
/// An optional in a class would be copied by each access, which counts references, or checked for overlapping ones.
@safe struct Place<Value: ~Copyable> {
    private let address: UnsafeMutablePointer<Value>

    /// Uses memory that outlives the place; a value is in it only between ``fill(with:)`` and ``take()``.
    @unsafe @inline(__always)
    init(at address: UnsafeMutableRawPointer) { unsafe self.address = address.assumingMemoryBound(to: Value.self) }

    /// Allocates the memory, which is never freed unless the owner calls ``deallocate()``.
    static func allocate() -> Place {
        unsafe Place(at: UnsafeMutablePointer<Value>.allocate(capacity: 1))
    }

    /// Frees the memory, which must be empty.
    func deallocate() { unsafe address.deallocate() }

    /// The value.
    var value: Value { @inline(__always) _read { yield unsafe address.pointee } }

    @inline(__always)
    func fill(with value: consuming Value) { unsafe address.initialize(to: value) }

    @inline(__always)
    func take() -> Value { unsafe address.move() }
}

// `@unchecked` because of the address: like a value that is copied, the place's value may be read from any thread.
extension Place: @unchecked Sendable where Value: Sendable & ~Copyable {}
