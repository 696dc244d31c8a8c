import Synchronization

/// Notices once that a bus is posted to although nothing has ever run it.
struct UnrunWatch: ~Copyable, Sendable {
    /// How long after the first post a bus may still be set up, in nanoseconds.
    static var patience: Int64 { 5_000_000_000 }

    /// When the first error was posted, in nanoseconds; 0 before that, the maximum when there is nothing to notice.
    private let firstPost = Atomic<Int64>(0)

    /// Ends the watch: the bus has been run, or needs no run any more.
    func close() { firstPost.store(.max, ordering: .relaxed) }

    /// Whether the watch hasn't ended.
    var isOpen: Bool { firstPost.load(ordering: .relaxed) != .max }

    /// Notes a post.
    ///
    /// - Parameter moment: When the error was posted.
    /// - Returns: Whether this is the first post that came as long after the very first one as the patience lasts.
    @inline(__always)
    func note(_ moment: Moment) -> Bool {
        let first = firstPost.load(ordering: .relaxed)
        // Almost always the bus runs, or the post comes soon after the first one.
        return first == 0 || moment.sinceOrigin &- first >= Self.patience ? noteUnusual(moment, first) : false
    }

    @inline(never)
    private func noteUnusual(_ moment: Moment, _ first: Int64) -> Bool {
        if first == 0 {
            let now = max(moment.sinceOrigin, 1)
            _ = firstPost.compareExchange(expected: 0, desired: now, ordering: .relaxed)
            return false
        }
        if first == .max { return false }
        return firstPost.compareExchange(expected: first, desired: .max, ordering: .relaxed).exchanged
    }
}
