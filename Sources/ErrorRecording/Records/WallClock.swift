/// Says what time the wall clock showed at an instant, from as few readings of both clocks as possible.
///
/// So reports of one instant have one time, and times are in the order of instants. If a later reading differs by more
/// than ``tolerance``, the wall clock was set: instants after the reading before that one have the new time, and
/// earlier instants keep the time that the clock showed then.
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

    /// How many settings of the clock are known; of earlier ones no report is pending any more.
    private static let limit = 16

    /// The readings that times are computed from, each valid after an instant, the latest first.
    private var origins: [(reading: Reading, start: ContinuousClock.Instant)]
    /// The instant of the last reading.
    private var last: ContinuousClock.Instant

    init(_ reading: Reading) {
        origins = [(reading, reading.instant)]
        last = reading.instant
    }

    /// Takes a new reading, and computes later times from it if the wall clock was set.
    mutating func check(_ reading: Reading) {
        // Of two threads, the one that read first may come second.
        guard reading.instant > last else { return }
        if abs(reading.time - Self.time(of: reading.instant, from: origins[0].reading)) > Self.tolerance {
            origins.insert((reading, last), at: 0)
            if origins.count > Self.limit { origins.removeLast() }
        }
        last = reading.instant
    }

    /// Returns the time of an instant in microseconds since 1970.
    func time(of instant: ContinuousClock.Instant) -> Int64 {
        // Most often the clock was never set.
        let origin = origins.first { $0.start < instant } ?? origins[origins.count - 1]
        return Self.time(of: instant, from: origin.reading)
    }

    private static func time(of instant: ContinuousClock.Instant, from origin: Reading) -> Int64 {
        let (seconds, attoseconds) = origin.instant.duration(to: instant).components
        return origin.time + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
