import Synchronization

/// A cache of types that don't conform to a protocol, read and written without a lock.
///
/// The runtime takes about 700 instructions to find out that a type doesn't conform, and most errors' types don't. Each
/// type has one place, where it replaces another type with the same hash; a replaced type is only checked again.
package struct NonconformingTypes: ~Copyable, @unchecked Sendable {
    private static let capacity = 64

    // Unchecked because of the array's memory: the places are read and written atomically.
    /// The types' addresses; a relaxed access suffices, because an address is all that there is.
    private let places: FixedArray<Atomic<UInt>>

    package init() {
        var places = FixedArray<Atomic<UInt>>(capacity: Self.capacity)
        for _ in 0..<Self.capacity { places.append(Atomic(0)) }
        self.places = places
    }

    /// Returns whether a type conforms.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - check: Checks the conformance; called unless the type is known not to conform.
    @inline(__always)
    package func conforms(_ type: Any.Type, _ check: () -> Bool) -> Bool {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        // Multiply by the golden ratio to spread the addresses, as a tally of drops does.
        let place = Int(truncatingIfNeeded: (UInt64(address) &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if places[place].load(ordering: .relaxed) == address { return false }
        if check() { return true }
        places[place].store(address, ordering: .relaxed)
        return false
    }
}
