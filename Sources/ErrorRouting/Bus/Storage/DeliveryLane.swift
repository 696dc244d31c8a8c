import Synchronization

/// The ledger of deliveries: how many reports came to each end, and which one is in delivery in the lane.
///
/// In the lane the worker delivers reports one after the other in their places in the mailbox, without the bus's lock;
/// a shutdown can take them away at any moment. Outside the lane, under the lock, the state machine counts here too:
/// only one of the two has a report in delivery at a time, so each count has one writer.
///
/// The lane is open while the machine's phase says so. Values of `position` meanwhile:
///
/// | position | meaning |
/// | --- | --- |
/// | a number, an end | the report of that number is in delivery; the one before came to that end |
/// | the same, telling | observers are being told of the one before; the worker has not looked at the report yet |
/// | the same, unadmitted | no flood limit has let the report pass yet: it is not in delivery, and takes capacity |
/// | `withdrawn` | a shutdown has taken the reports away, for good |
///
/// Invariants:
///
/// 1. Only the worker goes on from one report to the next, by compare-and-swap. If that fails, the lane was withdrawn,
///    and the report in delivery is not counted here. So each report is either counted here or taken away, never both.
/// 2. The worker looks at no report before it has gone on to it: until then the report may be taken away. The report
///    that the worker is at stays in its place.
/// 3. The worker counts a report after the swap with which it has gone on to the next. Say 7 reports were handled, and
///    the worker goes on from another handled one: before the swap it reads 7, after it it writes 8. Its thread may be
///    preempted between the two for any length of time. A shutdown that withdraws the lane meanwhile does not wait: it
///    finds in the position that the last report was handled, and that 8 reports have ended in all, and writes 8 too.
///    When the worker writes its 8 at last, nothing changes.
/// 4. Whoever withdraws while observers are being told sees that in the position, and lets the bus's end wait for it.
///    The worker sees the withdrawal when it notes by compare-and-swap that they have been told.
///
/// Memory orders: the position is swapped and exchanged with acquire and release, so that whoever withdraws the lane
/// sees every count before the last one, and the worker that finds it withdrawn sees that the bus has ended. Counts are
/// stored with release and read with acquire, so that who reads a count also sees the counts that are older. An
/// interruption is stored under the lock; a worker that reads it late is interrupted a report later. All interleavings
/// of these steps are tried in the tests, by `DeliveryModel`.
struct DeliveryLane: ~Copyable, Sendable {
    /// How a delivery ends; the position holds the last end in two bits.
    enum End: Int64, CaseIterable {
        case handled, ignored, unmatched

        init(_ disposition: HandleOutcome.Disposition) {
            self = disposition == .ignored ? .ignored : disposition == .unmatched ? .unmatched : .handled
        }
    }

    /// Which report the worker is at.
    struct Position: Equatable {
        let number: Int64
        /// Whether observers are being told of the report before it.
        var isTelling = false
        /// Whether the report is not in delivery yet, since the flood limit has not let it pass.
        var isUnadmitted = false
    }

    /// What a worker that has gone on still has to write: the end of the report before, and that end's new count.
    typealias Passage = (end: End, count: Int64)

    private enum Index {
        static let position = 0
        /// The first of three counts: how many reports came to each end.
        static let counts = 1
        /// A report's sequence number minus its number; it changes only under the lock.
        static let sequenceOffset = 4
        /// The number of the report before which the worker has to leave the lane.
        static let interruption = 5
    }

    private static let withdrawn: Int64 = -1
    private static let telling: Int64 = 4
    private static let unadmitted: Int64 = 8

    /// Mostly written by the worker, in one cache line: others rarely read it.
    private let line = CounterLine()
    /// Whether a flood limit decides about each report before its delivery.
    let isLimited: Bool

    /// - Parameters:
    ///   - isLimited: Whether a flood limit decides about each report before its delivery.
    ///   - start: How many reports count as handled from the beginning.
    init(isLimited: Bool = false, startingAt start: Int64 = 0) {
        self.isLimited = isLimited
        self[.handled] = start
        interrupt(before: nil)
    }

    // MARK: Counts

    /// How many reports came to an end.
    subscript(end: End) -> Int64 {
        @inline(__always) get { line[Index.counts + Int(end.rawValue)] }
        nonmutating set { line[Index.counts + Int(end.rawValue)] = newValue }
    }

    /// How many reports were delivered.
    var delivered: Int64 { self[.handled] + self[.ignored] + self[.unmatched] }

    /// The sequence number of a report whose delivery begins outside the lane: all deliveries before it have ended.
    var nextSequence: UInt64 { UInt64(delivered + 1) }

    /// Counts a report that was delivered outside the lane.
    func count(_ disposition: HandleOutcome.Disposition) { self[End(disposition)] += 1 }

    // MARK: Under the lock

    /// Opens with a report in delivery, or unadmitted if a flood limit decides about it.
    func open(at number: Int64, isUnadmitted: Bool = false) {
        line[Index.sequenceOffset] = delivered + 1 - number
        line[Index.position] = number << 4 | (isUnadmitted ? Self.unadmitted : 0)
    }

    /// Which report the worker is at; it may go on meanwhile.
    var position: Position { Self.position(line[Index.position]) }

    /// Withdraws the lane, which is open, from the worker, and returns which report that is at.
    ///
    /// Does not wait for the worker. When it returns the counts are exact, and change no more.
    func withdraw() -> Position {
        let found = line.exchange(for: Self.withdrawn, at: Index.position)
        let position = Self.position(found)
        // All reports that ended before the last one were counted before the swap, so only one count may be missing,
        // which is not read, since the worker may be writing it.
        let last = End(rawValue: found & 3) ?? .handled
        let others = End.allCases.filter { $0 != last }.reduce(0) { $0 + self[$1] }
        self[last] = Int64(sequence(of: position.number)) - 1 - others
        return position
    }

    /// Lets the worker leave the lane before the report of a number; nil to let it go on.
    func interrupt(before number: Int64?) { line[Index.interruption] = number ?? .max }

    private static func position(_ bits: Int64) -> Position {
        Position(number: bits >> 4, isTelling: bits & telling != 0, isUnadmitted: bits & unadmitted != 0)
    }

    // MARK: The worker in the lane

    /// Returns the sequence number of the report in delivery.
    @inline(__always)
    func sequence(of number: Int64) -> UInt64 { UInt64(number + line[Index.sequenceOffset]) }

    /// Whether the worker has to leave the lane before the report of a number.
    @inline(__always)
    func isInterrupted(before number: Int64) -> Bool { line[Index.interruption] <= number }

    /// Ends the report in delivery, and goes on to the next one.
    ///
    /// - Parameters:
    ///   - number: The next one.
    ///   - disposition: The end of the one before.
    ///   - isTold: Whether anyone is told of that end, and ``told(at:)`` follows.
    /// - Returns: What the worker then passes to ``count(_:)``; nil if the lane was withdrawn.
    @inline(__always)
    func pass(to number: Int64, after disposition: HandleOutcome.Disposition, isTold: Bool) -> Passage? {
        let end = End(disposition)
        let passage = (end: end, count: self[end] + 1)
        let found = line[Index.position]
        assert(found < 0 || Self.position(found) == Position(number: number - 1), "the worker is at another report")
        let next = number << 4 | (isLimited ? Self.unadmitted : 0) | (isTold ? Self.telling : 0) | end.rawValue
        guard found >= 0, line.replace(found, by: next, at: Index.position) else { return nil }
        return passage
    }

    /// Counts the report that has ended.
    @inline(__always)
    func count(_ passage: Passage) { self[passage.end] = passage.count }

    /// Notes that everyone has been told of the report before the one that the worker is at.
    ///
    /// - Returns: Whether the lane was not withdrawn.
    func told(at number: Int64) -> Bool {
        let found = line[Index.position]
        assert(found < 0 || found >> 4 == number, "the worker is at another report")
        return found >= 0 && line.replace(found, by: found & ~Self.telling, at: Index.position)
    }
}
