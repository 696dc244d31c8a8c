/// Waiting for what was posted before.
extension BusStateMachine {
    struct Flush {
        /// The number of the first report that is not waited for.
        let number: Int64
        let promise: Promise<Bool>
    }

    /// Somebody waits for the reports before a number.
    mutating func flush(before number: Int64, _ promise: Promise<Bool>) {
        // How many are accepted is read under the lock, and never falls: the first number is the least.
        flushes.append(Flush(number: number, promise: promise))
    }

    /// The first number before which somebody waits; nil if nobody does.
    var firstFlush: Int64? { flushes.first?.number }

    /// Whether somebody waits for what comes before a number, and for nothing else.
    func hasFlush(before number: Int64) -> Bool { firstFlush.map { $0 <= number } ?? false }

    /// Whoever waits by a promise does so no more.
    mutating func forgetFlush(_ promise: Promise<Bool>) { flushes.removeAll { $0.promise === promise } }

    /// Those who wait for what comes before a number, and for nothing else.
    mutating func takeFlushes(before number: Int64) -> [Promise<Bool>] {
        let due = flushes.prefix { $0.number <= number }.map(\.promise)
        flushes.removeFirst(due.count)
        return due
    }
}
