/// Those who wait for a bus: until nothing is pending, or until everything posted before is delivered.
struct BusWaiters {
    private struct Flush {
        /// The number before which all reports have to be delivered.
        let turn: Int64
        let deadline: Duration
        let promise: Promise<Bool>
    }

    private var idle: [Promise<Void>] = []
    /// In the order of their turns.
    private var flushes: [Flush] = []

    mutating func waitUntilIdle(_ promise: Promise<Void>) { idle.append(promise) }

    /// Removes and returns those who wait until nothing is pending.
    mutating func takeIdle() -> [Promise<Void>] { exchange(&idle, with: []) }

    /// - Parameters:
    ///   - turn: The number before which all reports have to be delivered; not lower than that of an earlier call.
    ///   - deadline: When the caller wants to wait no longer.
    ///   - promise: Fulfilled by whoever takes it out.
    mutating func waitForFlush(before turn: Int64, until deadline: Duration, _ promise: Promise<Bool>) {
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
        let due = flushes.filter { $0.deadline <= now }.map(\.promise)
        flushes.removeAll { $0.deadline <= now }
        return due
    }

    /// The earliest deadline.
    var nextDeadline: Duration? { flushes.map(\.deadline).min() }
}
