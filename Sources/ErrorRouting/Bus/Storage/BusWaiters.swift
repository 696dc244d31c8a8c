/// Who waits for what is pending, as a plain value.
struct BusWaiters {
    private struct Flush {
        /// The number of the first report that is not waited for.
        let number: Int64
        let promise: Promise<Bool>
    }

    /// Who waits until nothing is pending.
    private var idle: [Promise<Void>] = []
    /// Who waits until what was posted before is delivered, in order.
    private var flushes: [Flush] = []

    /// Somebody waits until nothing is pending.
    mutating func wait(_ promise: Promise<Void>) { idle.append(promise) }

    /// Those who wait until nothing is pending, when that is so.
    mutating func takeIdle() -> [Promise<Void>] {
        defer { idle = [] }
        return idle
    }

    /// Somebody waits for the reports before a number.
    mutating func wait(for promise: Promise<Bool>, before number: Int64) {
        // How many are accepted is read under the lock, and never falls: the first number is the least.
        flushes.append(Flush(number: number, promise: promise))
    }

    /// The first number before which somebody waits; nil if nobody does.
    var firstFlush: Int64? { flushes.first?.number }

    /// Whether somebody waits for what comes before a number, and for nothing else.
    func hasFlush(before number: Int64) -> Bool { firstFlush.map { $0 <= number } ?? false }

    /// Whoever waits by a promise does so no more.
    mutating func forget(_ promise: Promise<Bool>) { flushes.removeAll { $0.promise === promise } }

    /// Those who wait for what comes before a number, and for nothing else.
    mutating func takeFlushes(before number: Int64) -> [Promise<Bool>] {
        let due = flushes.prefix { $0.number <= number }.map(\.promise)
        flushes.removeFirst(due.count)
        return due
    }
}
