import Synchronization

extension Atomic where Value == UInt {
    /// Replaces the value if it equals `expected`; returns whether it was replaced, and the previous value.
    ///
    /// The exchange acquires and releases: the thread that stores an address publishes the object there to threads that
    /// find the address later.
    @inline(__always)
    func replace(_ expected: UInt, by desired: UInt) -> (isReplaced: Bool, found: UInt) {
        let result = compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
        return (result.exchanged, result.original)
    }
}
