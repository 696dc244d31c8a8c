import Synchronization

/// Reports that the worker delivers one after the other where they lie in the mailbox, without the bus's lock, as long
/// as nothing but that is to be done; a shutdown can take them away at any moment.
///
/// What `position` holds:
///
/// | position | meaning |
/// | --- | --- |
/// | `closed` | the worker asks the state machine for each report |
/// | a number, an end | that report is in delivery, those after it follow; the one before came to that end |
/// | the same, announcing | observers are being told of the one before; the report itself is not looked at yet |
/// | the same, unadmitted | a flood limit has still to let that report pass: it is not in delivery, and takes room |
/// | `withdrawn` | a shutdown has taken them away, for good |
///
/// Invariants:
///
/// 1. The worker alone goes on from one report to the next, by compare-and-swap: if that fails, the lane was withdrawn,
///    and the report that it was at does not count. So each report is either counted here or taken away, never both.
/// 2. The worker looks into no report before it has gone on to it: until then it may be taken away. The one that the
///    worker is at is left where it lies.
/// 3. After the swap the worker counts the report that is over. Its thread may be preempted between the two, for as
///    long as the system likes; whoever withdraws, under the bus's lock, does not wait for it, but writes that count
///    too: what it has to be follows from the position. The worker has read the count before the swap, so it writes
///    the same.
/// 4. Whoever withdraws while observers are being told sees that in the position, and lets the bus's end wait for it.
///    The worker sees the withdrawal when it notes by compare-and-swap that they have been told.
/// 5. What the worker says to be released may come late for the same reason. Nobody goes by it any more once the lane
///    was withdrawn, since the bus has ended then.
/// 6. An unadmitted report is left where it lies too, since the worker looks at it. It is released, and in delivery,
///    once the worker has noted by compare-and-swap that it passes; else the lane closes, and the machine has it.
struct DeliveryLane: ~Copyable, Sendable {
    /// Where a worker is that has begun a report here, and has yet to count the one before.
    struct Passage {
        /// The report that it has begun.
        let number: Int64
        fileprivate let end: End
        fileprivate let count: Int64
        /// How many are released then.
        fileprivate let released: Int64
    }

    /// Where the lane was when it was closed, or taken away by a shutdown.
    struct Stop: Equatable {
        /// The report in delivery.
        let number: Int64
        /// Whether observers are being told of the report before it.
        var isAnnouncing = false
        /// Whether it is not in delivery, since no flood limit has let it pass yet.
        var isUnadmitted = false
    }

    /// The ends that reports come to here; the position holds the last one in two bits.
    fileprivate enum End: Int64 {
        case handled, ignored, unmatched

        init(_ disposition: HandleOutcome.Disposition) {
            self =
                switch disposition {
                case .ignored: .ignored
                case .unmatched: .unmatched
                default: .handled
                }
        }
    }

    private static let closed: Int64 = -1
    private static let withdrawn: Int64 = -2

    /// What the worker writes to, in one line: others hardly ever look.
    private let line = CounterLine()

    private enum Place {
        static let position = 0
        /// How many reports came to each end here.
        static let counts = 1
        // These change only where the lane opens, and while it is open each is the same for all reports.
        /// What a report counts as in the order of delivery, less its number.
        static let sequenceOffset = 4
        /// How many reports have come to their end here while one is in delivery, less the number of that.
        static let countOffset = 5
    }

    init() { position = Self.closed }

    private var position: Int64 {
        get { line[Place.position] }
        nonmutating set { line[Place.position] = newValue }
    }

    /// How many reports came to an end here.
    fileprivate subscript(end: End) -> Int64 {
        get { line[Place.counts + Int(end.rawValue)] }
        nonmutating set { line[Place.counts + Int(end.rawValue)] = newValue }
    }

    private var total: Int64 { self[.handled] + self[.ignored] + self[.unmatched] }

    // MARK: Under the lock

    /// Whether reports are delivered here.
    var isOpen: Bool { position >= 0 }

    /// Opens with the report of a number in delivery, or unadmitted.
    func open(at number: Int64, sequence: UInt64, isLimited: Bool = false) {
        line[Place.sequenceOffset] = Int64(sequence) - number
        line[Place.countOffset] = total - number
        position = Self.position(number, after: .handled, isAnnouncing: false, isUnadmitted: isLimited)
    }

    /// Closes, and returns where it was; nil if that was withdrawn.
    func close() -> Stop? {
        let found = position
        if found < 0 { return nil }
        position = Self.closed
        return Self.stop(found)
    }

    /// Takes away what is not delivered; nil if it is closed.
    ///
    /// Waits for nobody; the counts are exact when it returns, and stay as they are.
    func withdraw() -> Stop? {
        let found = line.exchange(for: Self.withdrawn, at: Place.position)
        if found < 0 { return nil }
        let stop = Self.stop(found)
        // All but the last report were counted before the worker came here, so only one count is in question.
        let last = Self.lastEnd(found)
        self[last] = line[Place.countOffset] + stop.number - (total - self[last])
        return stop
    }

    /// How many reports came to which end here.
    var counts: LaneCounts {
        LaneCounts(isOpen: isOpen, handled: self[.handled], ignored: self[.ignored], unmatched: self[.unmatched])
    }

    private static let announcing: Int64 = 4
    private static let unadmitted: Int64 = 8

    private static func position(_ number: Int64, after end: End, isAnnouncing: Bool, isUnadmitted: Bool) -> Int64 {
        number << 4 | (isUnadmitted ? unadmitted : 0) | (isAnnouncing ? announcing : 0) | end.rawValue
    }
    private static func number(_ position: Int64) -> Int64 { position >> 4 }
    private static func stop(_ position: Int64) -> Stop {
        Stop(
            number: number(position), isAnnouncing: position & announcing != 0,
            isUnadmitted: position & unadmitted != 0)
    }
    private static func lastEnd(_ position: Int64) -> End { End(rawValue: position & 3) ?? .handled }

    // MARK: The worker's side

    /// What the report of a number, which is in delivery, counts as in the order of delivery.
    func sequence(of number: Int64) -> UInt64 { UInt64(number + line[Place.sequenceOffset]) }

    enum Step {
        /// The next report is in delivery now.
        case next
        /// The report is the last one there, or the next one needs more than delivery; nothing was done.
        case last
        /// The lane was withdrawn: the report counts for nothing.
        case withdrawn
    }

    /// Whether the report after one can be delivered here; nil while that is not there.
    @inline(__always)
    static func goesOn(after number: Int64, in intake: borrowing BusIntake) -> Bool? {
        guard intake.mailbox.isFilled(at: number + 1) else { return nil }
        return intake.mailbox.isPlain(at: number + 1) && !intake.hasInterruption(before: number + 1)
    }

    /// Counts the report in delivery, and begins the next one.
    ///
    /// - Parameters:
    ///   - number: The report in delivery, whose place can be emptied then.
    ///   - disposition: The end that it has come to.
    ///   - isObserved: Whether observers are to be told of it, and ``announced(at:)`` follows.
    ///   - isLimited: Whether the next one is unadmitted, and ``admitted(at:in:)`` follows.
    ///   - intake: Where it lies; the next report is released there.
    @inline(__always)
    func goOn(
        from number: Int64,
        _ disposition: HandleOutcome.Disposition,
        isObserved: Bool,
        isLimited: Bool = false,
        in intake: borrowing BusIntake
    ) -> Step {
        guard Self.goesOn(after: number, in: intake) == true else { return .last }
        let passage = begin(number + 1, disposition, isObserved: isObserved, isLimited: isLimited, in: intake)
        guard let passage else { return .withdrawn }
        complete(passage, in: intake)
        return .next
    }

    /// Begins a report, and ends the one before: the first half of ``goOn(from:_:isObserved:isLimited:in:)``.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - disposition: The end that the one before has come to.
    ///   - isObserved: Whether observers are to be told of that, and ``announced(at:)`` follows.
    ///   - isLimited: Whether the report is unadmitted, and ``admitted(at:in:)`` follows.
    ///   - intake: Where they lie.
    /// - Returns: What is still to be written; nil if the lane was withdrawn.
    @inline(__always)
    func begin(
        _ number: Int64,
        _ disposition: HandleOutcome.Disposition,
        isObserved: Bool,
        isLimited: Bool = false,
        in intake: borrowing BusIntake
    ) -> Passage? {
        let end = End(disposition)
        let released = intake.released + (isLimited ? 0 : 1)
        let passage = Passage(number: number, end: end, count: self[end], released: released)
        let found = position
        assert(found < 0 || Self.stop(found) == Stop(number: number - 1), "the worker is at another report")
        let next = Self.position(number, after: end, isAnnouncing: isObserved, isUnadmitted: isLimited)
        guard found >= 0, line.replace(found, by: next, at: Place.position) else { return nil }
        return passage
    }

    /// Observers have been told of the report before the one in delivery.
    ///
    /// - Returns: Whether the lane is still there.
    @inline(__always)
    func announced(at number: Int64) -> Bool {
        let found = position
        assert(found < 0 || Self.number(found) == number, "the worker is at another report")
        return found >= 0 && line.replace(found, by: found & ~Self.announcing, at: Place.position)
    }

    /// The report that was unadmitted is in delivery, and is released.
    ///
    /// - Returns: Whether the lane is still there.
    @inline(__always)
    func admitted(at number: Int64, in intake: borrowing BusIntake) -> Bool {
        let released = intake.released
        let found = position
        assert(found < 0 || Self.stop(found) == Stop(number: number, isUnadmitted: true), "the worker is elsewhere")
        guard found >= 0, line.replace(found, by: found & ~Self.unadmitted, at: Place.position) else { return false }
        intake.release(released + 1)
        return true
    }

    /// Writes what is to be written once a report has begun, the second half: the one before counts, and the report is
    /// released, unless a flood limit has still to let it pass.
    @inline(__always)
    func complete(_ passage: Passage, in intake: borrowing BusIntake) {
        self[passage.end] = passage.count + 1
        intake.release(passage.released)
    }
}

/// What a lane has counted.
struct LaneCounts {
    /// Whether a report is in delivery there.
    var isOpen = false
    var handled: Int64 = 0
    var ignored: Int64 = 0
    var unmatched: Int64 = 0
}
