/// The callers that wait until every error posted so far is delivered, in the order of their numbers.
struct FlushQueue {
    /// For each caller, the number before which all reports must be delivered, and the caller's promise.
    private var flushes: [(number: Int64, promise: Promise<Bool>)] = []

    /// Adds a caller; its number must not be less than the numbers of the callers already in the queue.
    mutating func append(_ promise: Promise<Bool>, at number: Int64) { flushes.append((number, promise)) }

    /// Removes the callers that wait only for reports before a number and returns their promises.
    mutating func takeDue(at number: Int64) -> [Promise<Bool>] {
        let due = flushes.prefix { $0.number <= number }
        defer { flushes.removeFirst(due.count) }
        return due.map(\.promise)
    }

    /// Removes the caller with a promise.
    mutating func remove(_ promise: Promise<Bool>) { flushes.removeAll { $0.promise === promise } }

    /// Returns whether the first caller waits only for reports before a number.
    func isDue(at number: Int64) -> Bool { !flushes.isEmpty && flushes[0].number <= number }
}
