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

    /// Failures that count for one moment.
    private struct Failures {
        var moment: Duration
        let count: Int
        let report: Report?
    }

    /// How many failures fill the window.
    let limit: Int
    /// The age from which on a failure does not count any more.
    let length: Duration

    /// The failures, the oldest first; those before `first` are forgotten.
    private var failures: [Failures] = []
    private var first = 0
    /// How many failures there are that are not forgotten.
    private var count = 0
    /// For how many moments the failures of one report count, at most.
    private static let momentLimit = 1_024

    init(limit: Int, length: Duration) {
        self.limit = limit
        self.length = length
    }

    /// Whether nothing has been recorded since the last `removeAll`.
    var isEmpty: Bool { failures.isEmpty }

    /// Records failures that are evenly spread in time, in a window that is not full.
    ///
    /// Of more than a thousand, neighbours count together for the moment of the newest of them, so that the memory and
    /// the time that a report takes are bounded.
    ///
    /// - Parameters:
    ///   - count: How many failures.
    ///   - ages: The age of the newest and of the oldest of them.
    ///   - ageLimit: The age from which on they do not count; nil if only the window's length limits it.
    ///   - report: The report that they are known from; if it has been recorded, nothing is.
    ///   - now: The current moment.
    /// - Returns: Whether the window would be full now; then the circuit empties it.
    /// - Complexity: O(1) on average for a failure that is the newest, and linear in the number of moments that the
    ///   window holds for another one or the first of a report, however many failures it stands for.
    mutating func record(
        _ count: Int = 1, aged ages: ClosedRange<Duration> = .zero ... .zero, youngerThan ageLimit: Duration? = nil,
        from report: Report? = nil, now: Duration
    ) -> Bool {
        forget(at: now)
        assert(self.count < limit, "a full window opens the circuit, which empties it")
        if report != nil && failures[first...].contains(where: { $0.report == report }) { return false }
        let span = (ages.upperBound - ages.lowerBound).attoseconds
        func age(_ number: Int) -> Duration {
            // At full width, since the product overflows for very many failures.
            let product = span.multipliedFullWidth(by: Int128(number))
            let later = Int128(max(count - 1, 1)).dividingFullWidth(product).quotient
            // A report of one's own may say that it is from the future.
            return max(ages.lowerBound + Duration(attoseconds: later), .zero)
        }
        let ageLimit = min(ageLimit ?? length, length)
        let missing = limit - self.count
        // The ages ascend: searches for the first one that does not count.
        var (counted, end) = (0, max(min(count, missing), 0))
        while counted < end {
            let middle = counted + (end - counted) / 2
            if age(middle) < ageLimit { counted = middle + 1 } else { end = middle }
        }
        if counted == missing { return true }
        self.count += counted
        let size = counted / Self.momentLimit + 1
        let last = failures.endIndex - 1
        // The oldest first.
        for number in stride(from: (counted - 1) / size * size, through: 0, by: -size) {
            failures.append(
                Failures(moment: now - age(number), count: min(size, counted - number), report: report))
        }
        // Reports may come late, so a failure may be older than others. Sorting two ascending runs takes linear time.
        if last >= first, last + 1 < failures.endIndex, failures[last].moment > failures[last + 1].moment {
            failures[first...].sort { $0.moment < $1.moment }
        }
        return false
    }

    /// Forgets all failures.
    mutating func removeAll() {
        failures.removeAll(keepingCapacity: true)
        first = 0
        count = 0
    }

    private mutating func forget(at now: Duration) {
        // A clock that was put back: what would be in the future happened now, at the latest.
        for index in failures.indices[first...].reversed() {
            if failures[index].moment <= now { break }
            failures[index].moment = now
        }
        while first < failures.count, now - failures[first].moment >= length {
            count -= failures[first].count
            first += 1
        }
        // Half of the array at a time, so that each failure is moved once on average.
        if first > failures.count / 2 {
            failures.removeSubrange(..<first)
            first = 0
        }
    }
}
