/// Says what time it was at an instant, always from one reading of both clocks.
///
/// So reports of one instant have one time, and times are in the order of instants. If a later reading differs by more
/// than ``tolerance``, the wall clock was set, and that reading takes the place of the first one: from then on all
/// instants, also those before it, have the time that the clock would have shown if it had been right all along.
struct WallClock {
    /// What both clocks say at one moment.
    struct Reading {
        /// The wall clock's time, in microseconds since 1970.
        var time: Int64
        var instant: ContinuousClock.Instant

        static var now: Self { Self(time: Timestamp.now, instant: .now) }
    }

    /// How far the wall clock may be from where it is expected until it counts as set, in microseconds: longer than a
    /// thread is likely to be interrupted while it reads both clocks.
    static let tolerance: Int64 = 500_000

    private var origin: Reading

    init(_ reading: Reading) { origin = reading }

    /// Takes a new reading, and keeps to it if the wall clock was set.
    mutating func check(_ reading: Reading) {
        if abs(reading.time - time(of: reading.instant)) > Self.tolerance { origin = reading }
    }

    /// Returns the time of an instant in microseconds since 1970.
    func time(of instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = origin.instant.duration(to: instant).components
        return origin.time + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
