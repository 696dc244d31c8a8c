/// Counts of errors in time buckets, in time order and without empty buckets.
struct Buckets: Sendable {
    private(set) var entries: [(bucket: Int, count: Int)] = []
    /// The index of the last count that changed; checked first, because most lines follow the previous line in time.
    private var latest = 0

    /// Adds to the count of a bucket, and returns whether the bucket was empty before.
    mutating func add(_ count: Int, at bucket: Int) -> Bool {
        for index in latest..<min(latest + 2, entries.count) where entries[index].bucket == bucket {
            entries[index].count += count
            latest = index
            return false
        }
        latest = index(of: bucket)
        if latest < entries.count, entries[latest].bucket == bucket {
            entries[latest].count += count
            return false
        }
        entries.insert((bucket, count), at: latest)
        return true
    }

    /// Returns the counts of wider buckets, each of which contains `factor` buckets.
    ///
    /// The wider buckets are numbered from the bucket `base`.
    func merged(by factor: Int, from base: Int = 0) -> Buckets {
        var result = Buckets()
        for (bucket, count) in entries {
            let bucket = Self.bucket(of: bucket - base, width: factor)
            if result.entries.last?.bucket == bucket {
                result.entries[result.entries.count - 1].count += count
            } else {
                result.entries.append((bucket, count))
            }
        }
        return result
    }

    /// Returns the sum of several timelines.
    static func sum(of timelines: some Sequence<Buckets>) -> Buckets {
        var result = Buckets()
        for entry in timelines.flatMap(\.entries).sorted(by: { $0.bucket < $1.bucket }) {
            _ = result.add(entry.count, at: entry.bucket)
        }
        return result
    }

    /// Returns the bucket of a time, rounded down even before 1970.
    static func bucket(of time: Int, width: Int) -> Int {
        let (quotient, remainder) = time.quotientAndRemainder(dividingBy: width)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private func index(of bucket: Int) -> Int {
        guard let last = entries.last, last.bucket >= bucket else { return entries.count }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].bucket < bucket { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the next larger bucket width, in milliseconds.
    ///
    /// Each width divides the next width, so that counts can be merged.
    static func width(after width: Int) -> Int {
        let seconds = [1, 5, 15, 60, 300, 900, 3_600, 10_800, 43_200, 86_400]
        return ([5, 10, 50, 100, 500] + seconds.map { 1_000 * $0 }).first { $0 > width } ?? 2 * width
    }
}
