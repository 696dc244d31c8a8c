/// Computes the wall clock's time at an instant, with as few readings of both clocks as possible.
///
/// So reports of the same instant have the same time, and times are in the same order as instants. If a later reading
/// differs by more than ``tolerance``, the wall clock was changed. Instants after the previous reading then have the
/// new time, and earlier instants keep the old time.
struct WallClock {
    /// A reading of both clocks at the same time.
    struct Reading {
        /// The wall clock's time, in microseconds since 1970.
        var time: Int64
        var instant: ContinuousClock.Instant

        static var now: Self { Self(time: Timestamp.now, instant: .now) }
    }

    /// How far the wall clock can be from its expected time, in microseconds, without counting as changed.
    ///
    /// A thread is unlikely to be interrupted for longer between reading the two clocks.
    static let tolerance: Int64 = 500_000

    /// The number of clock changes to remember, because reports from before an older change are no longer pending.
    private static let limit = 16

    /// The readings from which times are computed, the latest first.
    ///
    /// Each reading is valid for instants after its `start`.
    private var origins: [(reading: Reading, start: ContinuousClock.Instant)]
    /// The instant of the last reading.
    private var last: ContinuousClock.Instant

    init(_ reading: Reading) {
        origins = [(reading, reading.instant)]
        last = reading.instant
    }

    /// Compares a new reading with the expected time, and uses the reading for later times if the wall clock was
    /// changed.
    mutating func check(_ reading: Reading) {
        // Ignore an older reading: a thread that read the clocks first might call this method second.
        guard reading.instant > last else { return }
        if abs(reading.time - Self.time(of: reading.instant, from: origins[0].reading)) > Self.tolerance {
            origins.insert((reading, last), at: 0)
            if origins.count > Self.limit { origins.removeLast() }
        }
        last = reading.instant
    }

    /// Returns the time of an instant in microseconds since 1970.
    func time(of instant: ContinuousClock.Instant) -> Int64 {
        // The first reading usually matches, because the clock is rarely changed.
        let origin = origins.first { $0.start < instant } ?? origins[origins.count - 1]
        return Self.time(of: instant, from: origin.reading)
    }

    private static func time(of instant: ContinuousClock.Instant, from origin: Reading) -> Int64 {
        let (seconds, attoseconds) = origin.instant.duration(to: instant).components
        return origin.time + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
