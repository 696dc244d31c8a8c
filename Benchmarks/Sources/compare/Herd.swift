import ErrorRecovery

/// Clients that fail at the same moment, and at every retry: how many of them come back together.
struct Herd {
    /// How many clients there are, in the series.
    static let series = [10, 100, 1_000, 10_000]

    /// What counts as together.
    private static let together = Duration.milliseconds(100)
    private static let retries = 4

    let jitter: Backoff.Jitter

    /// The most retries in any 100 ms, with the delays of the default policy: the same in every run.
    func widestPeak(of clients: Int) -> Int {
        let backoff = Backoff.exponential(jitter: jitter)
        var generator = SplitMix64(state: 13)
        var peaks: [Int: Int] = [:]
        for _ in 0..<clients {
            var (moment, last) = (Duration.zero, Duration?.none)
            for retry in 1...Self.retries {
                let delay = backoff.delay(beforeRetry: retry, after: last, using: &generator)
                moment += delay
                last = delay
                peaks[Int(moment / Self.together), default: 0] += 1
            }
        }
        return peaks.values.max() ?? 0
    }
}

/// The generator of Steele, Lea and Flood: small, and the same everywhere for the same seed.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
