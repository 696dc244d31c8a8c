import Synchronization

/// Notices once that a bus is posted to although nothing has ever run it.
struct UnrunWatch: ~Copyable, Sendable {
    /// How long after the first post a bus may still be set up.
    static let patience = Duration.seconds(5)

    /// When the first error was posted, in nanoseconds; 0 before that, the maximum when there is nothing to notice.
    private let firstPost = Atomic<Int64>(0)

    /// Whether posts must be noted: nothing has run the bus, and it wasn't noticed.
    @inline(__always)
    var isOpen: Bool { firstPost.load(ordering: .relaxed) != .max }

    /// Ends the watch: the bus has been run, or needs no run any more.
    func close() { firstPost.store(.max, ordering: .relaxed) }

    /// Notes a post.
    ///
    /// - Parameter moment: When the error was posted.
    /// - Returns: Whether this is the first post that came as long after the very first one as the patience lasts.
    func note(_ moment: Moment) -> Bool {
        let now = min(max(moment.sinceOrigin, 1), .max - 1)
        let (isFirst, first) = firstPost.compareExchange(expected: 0, desired: now, ordering: .relaxed)
        guard !isFirst, first != .max, now - first >= Self.patience.nanoseconds else { return false }
        return firstPost.compareExchange(expected: first, desired: .max, ordering: .relaxed).exchanged
    }
}
