/// Those who wait for a bus until everything posted before is delivered.
struct BusWaiters {
    private struct Flush {
        /// The number before which all reports have to be delivered.
        let turn: Int64
        let deadline: Duration?
        let promise: Promise<Bool>
    }

    /// In the order of their turns.
    private var flushes: [Flush] = []

    /// - Parameters:
    ///   - turn: The number before which all reports have to be delivered; not lower than that of an earlier call.
    ///   - deadline: When the caller wants to wait no longer; nil to wait as long as it takes.
    ///   - promise: Fulfilled by whoever takes it out.
    mutating func waitForFlush(before turn: Int64, until deadline: Duration?, _ promise: Promise<Bool>) {
        flushes.append(Flush(turn: turn, deadline: deadline, promise: promise))
    }

    mutating func remove(_ promise: Promise<Bool>) { flushes.removeAll { $0.promise === promise } }

    /// Whether anyone waits only for reports before a number.
    func isFlushDue(before number: Int64) -> Bool { !flushes.isEmpty && flushes[0].turn <= number }

    /// Removes and returns those who wait only for reports before a number.
    mutating func takeFlushed(before number: Int64) -> [Promise<Bool>] {
        let due = flushes.prefix { $0.turn <= number }.map(\.promise)
        flushes.removeFirst(due.count)
        return due
    }

    /// Removes and returns those whose deadline has passed.
    mutating func takeTimedOut(at now: Duration) -> [Promise<Bool>] {
        func isDue(_ flush: Flush) -> Bool { flush.deadline.map { $0 <= now } ?? false }
        defer { flushes.removeAll(where: isDue) }
        return flushes.filter(isDue).map(\.promise)
    }

    /// The earliest deadline.
    var nextDeadline: Duration? { flushes.compactMap(\.deadline).min() }
}
