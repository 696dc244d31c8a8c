import Synchronization

/// Determines when to check that a bus that receives posts has been run.
struct UnrunWatch: ~Copyable, Sendable {
    /// How long after the first post a bus can still be set up, in nanoseconds.
    static var patience: Int64 { 5_000_000_000 }

    /// The time at which to check, in nanoseconds; the minimum before the first post, and the maximum after the check.
    private let checkTime = Atomic<Int64>(.min)

    /// Records a post; returns true only once, for the first post at least ``patience`` after the very first post.
    @inline(__always)
    func note(_ moment: Moment) -> Bool {
        let time = checkTime.load(ordering: .relaxed)
        return moment.sinceOrigin < time ? false : setCheckTime(after: time, moment)
    }

    @inline(never)
    private func setCheckTime(after time: Int64, _ moment: Moment) -> Bool {
        let isFirstPost = time == .min
        let next = isFirstPost ? moment.sinceOrigin + Self.patience : .max
        let isSet = checkTime.compareExchange(expected: time, desired: next, ordering: .relaxed).exchanged
        return isSet && !isFirstPost
    }
}
