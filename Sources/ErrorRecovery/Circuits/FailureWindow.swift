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

    /// Records failures that are evenly spread in time, in a window that is not full.
    ///
    /// - Parameters:
    ///   - count: How many failures.
    ///   - ages: The age of the newest and of the oldest of them.
    ///   - ageLimit: The age from which on they do not count; nil if only the window's length limits it.
    ///   - report: The report that they are known from; if it has been recorded, nothing is.
    ///   - now: The current moment.
    /// - Returns: Whether the window would be full now; then the circuit empties it.
    /// - Complexity: O(1) on average for a failure that is the newest, and O(`limit`) for another one or the first of a
    ///   report; of many failures at most `limit` are looked at.
    mutating func record(
        _ count: Int = 1, aged ages: ClosedRange<Duration> = .zero ... .zero, youngerThan ageLimit: Duration? = nil,
        from report: Report? = nil, now: Duration
    ) -> Bool {
        forget(at: now)
        let held = failures[first...]
        assert(held.count < limit, "a full window opens the circuit, which empties it")
        if report != nil && held.contains(where: { $0.report == report }) { return false }
        func age(_ number: Int) -> Duration {
            // A report of one's own may say that it is from the future.
            max(ages.lowerBound + (ages.upperBound - ages.lowerBound) * number / max(count - 1, 1), .zero)
        }
        let ageLimit = min(ageLimit ?? length, length)
        let missing = limit - held.count
        var counted = 0
        while counted < min(count, missing), age(counted) < ageLimit { counted += 1 }
        if counted == missing { return true }
        // The oldest first, so that most are added at the end.
        for number in (0..<counted).reversed() {
            let moment = now - age(number)
            // Reports may come late, so a failure may be older than others.
            let place = (failures[first...].lastIndex { $0.moment <= moment } ?? first - 1) + 1
            failures.insert(Failure(moment: moment, report: report), at: place)
        }
        return false
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
