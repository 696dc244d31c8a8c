/// The number of each thread's last known event; later events might not have happened yet.
typealias VectorClock = SIMD8<UInt16>

extension VectorClock {
    /// A clock that no thread's clock reaches.
    static let never = VectorClock(repeating: .max)

    @inline(__always)
    mutating func join(_ other: VectorClock) { self = pointwiseMax(self, other) }

    /// Whether there is an event in this clock that the other clock does not know of.
    @inline(__always)
    func isAhead(of other: VectorClock) -> Bool { any(self .> other) }
}
