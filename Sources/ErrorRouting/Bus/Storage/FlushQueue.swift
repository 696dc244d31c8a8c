/// Those who wait until everything posted before is delivered, in the order of their turns.
struct FlushQueue {
    /// Somebody who waits.
    struct Flush {
        /// The number before which all reports have to be delivered.
        let turn: Int64
        /// When the caller wants to wait no longer; nil to wait as long as it takes.
        let deadline: Duration?
        let promise: Promise<Bool>
    }

    private var flushes: [Flush] = []

    /// Adds somebody, whose turn is no earlier than those before.
    mutating func append(_ flush: Flush) { flushes.append(flush) }

    /// Removes those of whom a closure says that their waiting is over, and returns their promises.
    mutating func take(where isOver: (Flush) -> Bool) -> [Promise<Bool>] {
        defer { flushes.removeAll(where: isOver) }
        return flushes.filter(isOver).map(\.promise)
    }

    /// Whether anyone waits only for reports before a number.
    func isDue(at number: Int64) -> Bool { !flushes.isEmpty && flushes[0].turn <= number }

    /// The moments until which somebody waits.
    var deadlines: [Duration] { flushes.compactMap(\.deadline) }
}
