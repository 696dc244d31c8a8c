import ErrorRouting

/// The failures of the last while, to tell whether `limit` of them lie within `length`: a plain value.
struct FailureWindow {
    /// A report, among those that the window holds.
    ///
    /// A circuit may hear a report at several places, say on a scope and on its bus, and counts it once. The numbers of
    /// a bus's reports are its own; another bus that later has the same address delivers what was posted later.
    struct Report: Equatable {
        let bus: ObjectIdentifier?
        let sequence: UInt64
        let instant: ContinuousClock.Instant
    }

    private struct Failure {
        var moment: Duration
        let report: Report?
    }

    /// How many failures fill the window.
    let limit: Int
    /// The age from which on a failure does not count any more.
    let length: Duration

    /// The failures, the oldest first; those before `first` are forgotten.
    private var failures: [Failure] = []
    private var first = 0

    init(limit: Int, length: Duration) {
        self.limit = limit
        self.length = length
    }

    /// Whether nothing has been recorded since the last `removeAll`.
    var isEmpty: Bool { failures.isEmpty }

    /// Records failures of one moment, in a window that is not full.
    ///
    /// - Parameters:
    ///   - count: How many failures.
    ///   - moment: When they happened; at most `now`.
    ///   - report: The report that they are known from; if it has been recorded, nothing is.
    ///   - now: The current moment.
    /// - Returns: Whether the window is full now.
    /// - Complexity: O(1) on average for a failure that is the newest; O(`limit`) for one that is known from a report.
    mutating func record(_ count: Int = 1, at moment: Duration, from report: Report? = nil, now: Duration) -> Bool {
        forget(at: now)
        let held = failures[first...]
        assert(held.count < limit, "a full window opens the circuit, which empties it")
        if count < 1 || now - moment >= length || report != nil && held.contains(where: { $0.report == report }) {
            return false
        }
        // Reports may come late, so a failure may be older than others.
        let place = (held.lastIndex { $0.moment <= moment } ?? first - 1) + 1
        // Failures beyond the limit make no difference.
        let missing = repeatElement(Failure(moment: moment, report: report), count: min(count, limit - held.count))
        failures.insert(contentsOf: missing, at: place)
        return failures.count - first == limit
    }

    /// Forgets all failures.
    mutating func removeAll() {
        failures.removeAll(keepingCapacity: true)
        first = 0
    }

    private mutating func forget(at now: Duration) {
        // A clock that was put back: what would be in the future happened now, at the latest.
        for index in failures.indices[first...].reversed() {
            if failures[index].moment <= now { break }
            failures[index].moment = now
        }
        while first < failures.count, now - failures[first].moment >= length { first += 1 }
        // Half of the array at a time, so that each failure is moved once on average.
        if first > failures.count / 2 {
            failures.removeSubrange(..<first)
            first = 0
        }
    }
}
