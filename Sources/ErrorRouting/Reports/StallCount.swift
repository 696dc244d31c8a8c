#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// How often standard error has said in a row that it takes something, and took nothing.
///
/// Another process may be faster, and some files always say so; asking them again without end would keep a core busy.
struct StallCount {
    private var count: UInt32 = 0

    mutating func note(_ outcome: LineBuffer.Outcome) {
        count = outcome == .wouldBlock ? count + 1 : 0
    }

    /// Waits until standard error takes something, at most so long.
    ///
    /// The time is short because the program may have put another file in its place, which is not noticed while
    /// waiting.
    func wait(milliseconds: Int32) {
        let isReady = StandardErrorDescriptor.wait(milliseconds: milliseconds)
        if isReady, count > 1 { usleep(1_000 * min(count, 10)) }
    }
}
