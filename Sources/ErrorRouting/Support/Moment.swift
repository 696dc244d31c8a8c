import Foundation

/// An instant of the continuous clock in whole nanoseconds, which is the clock's resolution.
///
/// The size of a `ContinuousClock.Instant` is unknown at compile time. If a report contained an instant of that type,
/// the report's size would also be unknown, and the runtime would be called for each copy. Also, reading
/// `ContinuousClock` costs 50 percent more than reading the underlying system clock.
struct Moment: Sendable, Comparable {
    /// The instant from which the nanoseconds are counted.
    private static let origin: ContinuousClock.Instant = {
        #if compiler(>=6.3) && os(Linux)
            ContinuousClock().systemEpoch
        #else
            ContinuousClock.now
        #endif
    }()

    let sinceOrigin: Int64

    /// Creates the current instant.
    init() {
        #if compiler(>=6.3) && os(Linux)
            // Read the clock that `ContinuousClock` uses: its zero is the origin above.
            var time = timespec()
            unsafe clock_gettime(CLOCK_BOOTTIME, &time)
            sinceOrigin = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        #else
            self.init(.now)
        #endif
    }

    init(_ instant: ContinuousClock.Instant) {
        sinceOrigin = Self.origin.duration(to: instant).nanoseconds
    }

    static func < (first: Moment, second: Moment) -> Bool { first.sinceOrigin < second.sinceOrigin }

    var instant: ContinuousClock.Instant { Self.origin.advanced(by: .nanoseconds(sinceOrigin)) }
}
