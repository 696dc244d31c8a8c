#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ErrorReport {
    /// An instant of the continuous clock, in whole nanoseconds, which is as fine as that clock goes.
    ///
    /// An instant's size is unknown at compile time, and so would be a report's and all that holds one, each copy a
    /// detour by way of the runtime. And to make one costs half as much again as to read the system's clock under it.
    struct Moment: Sendable, Equatable {
        /// From when the nanoseconds count.
        private static let origin: ContinuousClock.Instant = {
            #if compiler(>=6.3) && os(Linux)
                ContinuousClock().systemEpoch
            #else
                ContinuousClock.now
            #endif
        }()

        let sinceOrigin: Int64

        /// Now.
        init() {
            #if compiler(>=6.3) && os(Linux)
                // What `ContinuousClock` reads, and counts from its epoch.
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

        var instant: ContinuousClock.Instant { Self.origin.advanced(by: .nanoseconds(sinceOrigin)) }
    }
}
