/// The number of the last event of each thread that is known to have happened.
typealias VectorClock = SIMD8<UInt16>

extension VectorClock {
    /// A clock that a thread's clock never reaches.
    static let never = VectorClock(repeating: .max)

    @inline(__always)
    mutating func join(_ other: VectorClock) { self = pointwiseMax(self, other) }

    /// Returns whether this clock contains an event that the other clock doesn't contain.
    @inline(__always)
    func isAhead(of other: VectorClock) -> Bool { any(self .> other) }
}
