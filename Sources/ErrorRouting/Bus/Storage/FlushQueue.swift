/// The callers that wait until every error posted before is delivered, in the order of their turns.
struct FlushQueue {
    /// A waiting caller.
    struct Flush {
        /// The number before which all reports must be delivered.
        let turn: Int64
        /// The end of the caller's wait; nil for no limit.
        let deadline: Duration?
        let promise: Promise<Bool>
    }

    private var flushes: [Flush] = []

    /// Adds a caller; its turn must not be earlier than those before.
    mutating func append(_ flush: Flush) { flushes.append(flush) }

    /// Removes the callers for which a closure returns true and returns their promises.
    mutating func take(where isOver: (Flush) -> Bool) -> [Promise<Bool>] {
        defer { flushes.removeAll(where: isOver) }
        return flushes.filter(isOver).map(\.promise)
    }

    /// Whether a caller waits only for reports before a number.
    func isDue(at number: Int64) -> Bool { !flushes.isEmpty && flushes[0].turn <= number }

    /// The times at which the callers' waits end.
    var deadlines: [Duration] { flushes.compactMap(\.deadline) }
}
