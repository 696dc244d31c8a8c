import Synchronization

/// Detects, once, that errors are posted to a bus that has never been run.
struct UnrunWatch: ~Copyable, Sendable {
    /// How long after the first post a bus can still be set up, in nanoseconds.
    static var patience: Int64 { 5_000_000_000 }

    /// The time of the first post in nanoseconds; 0 before that, and the maximum when the watch has ended.
    private let firstPost = Atomic<Int64>(0)

    /// Ends the watch: the bus has been run, or it no longer needs to be run.
    func close() { firstPost.store(.max, ordering: .relaxed) }

    /// Whether the watch hasn't ended.
    var isOpen: Bool { firstPost.load(ordering: .relaxed) != .max }

    /// Records a post; returns whether it is the first post that came at least ``patience`` after the first post.
    @inline(__always)
    func note(_ moment: Moment) -> Bool {
        let first = firstPost.load(ordering: .relaxed)
        // Check the usual cases first: the bus runs, or the post comes soon after the first post.
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
