import Synchronization

/// A cache of types that don't conform to a protocol; it is read and written without a lock.
///
/// The runtime needs about 700 instructions to determine that a type doesn't conform, and most errors' types don't.
/// Each type has one slot, where it replaces any other type with the same hash. If a replaced type occurs again, it is
/// only checked again.
package struct NonconformingTypes: ~Copyable, @unchecked Sendable {
    private static let capacity = 64

    // `@unchecked` because of the array's memory: the slots are read and written atomically.
    /// The types' addresses; relaxed ordering suffices, because readers use only the address itself.
    private let places: FixedArray<Atomic<UInt>>

    package init() {
        var places = FixedArray<Atomic<UInt>>(capacity: Self.capacity)
        for _ in 0..<Self.capacity { places.append(Atomic(0)) }
        self.places = places
    }

    /// Returns whether a type conforms; calls the check unless the type is known not to conform.
    @inline(__always)
    package func conforms(_ type: Any.Type, _ check: () -> Bool) -> Bool {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        // Multiply by the golden ratio to spread the addresses, as `ProbeTable` does.
        let place = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if places[place].load(ordering: .relaxed) == address { return false }
        if check() { return true }
        places[place].store(address, ordering: .relaxed)
        return false
    }
}
