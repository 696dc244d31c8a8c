/// Whether the last so many failures lie within a time: a plain value that keeps no more than their moments.
struct FailureWindow {
    /// How many failures fill it.
    let limit: Int
    /// How old a failure has to be not to count any more.
    let length: Duration

    /// The moments of the last failures, at most `limit`, in a ring.
    private var moments: [Duration] = []
    /// Where the oldest is, once the ring is full.
    private var oldest = 0

    init(limit: Int, length: Duration) {
        self.limit = limit
        self.length = length
    }

    /// Whether nothing has been recorded since the beginning.
    var isEmpty: Bool { moments.isEmpty }

    /// Records a failure.
    ///
    /// - Parameter now: Its moment.
    /// - Returns: Whether it and the `limit - 1` before it lie within the time.
    /// - Complexity: O(1).
    mutating func record(at now: Duration) -> Bool {
        if moments.count < limit {
            moments.append(now)
        } else {
            moments[oldest] = now
            oldest = (oldest + 1) % limit
        }
        return moments.count == limit && now - moments[oldest] < length
    }

    /// Forgets all failures.
    mutating func removeAll() {
        moments.removeAll(keepingCapacity: true)
        oldest = 0
    }
}
