import Synchronization

/// The reports that the worker delivers one after the other in their places in the mailbox, without the bus's lock, as
/// long as each needs nothing but delivery; a shutdown can take them away at any moment.
///
/// Values of `position`:
///
/// | position | meaning |
/// | --- | --- |
/// | `closed` | the worker asks the state machine for each report |
/// | a number, an end | the report of that number is in delivery; the one before came to that end |
/// | the same, announcing | observers are being told of the one before; the worker has not looked at the report yet |
/// | the same, unadmitted | no flood limit has let the report pass yet: it is not in delivery, and takes capacity |
/// | `withdrawn` | a shutdown has taken the reports away, for good |
///
/// Invariants:
///
/// 1. Only the worker goes on from one report to the next, by compare-and-swap. If that fails, the lane was withdrawn,
///    and the report in delivery is not counted here. So each report is either counted here or taken away, never both.
/// 2. The worker looks at no report before it has gone on to it: until then the report may be taken away. The report
///    that the worker is at stays in its place.
/// 3. After the swap, the worker counts the report that has ended. Its thread may be preempted between the two for any
///    length of time. Whoever withdraws the lane, under the bus's lock, does not wait for it, but writes that count
///    too, as it follows from the position. The worker has read the count before the swap, so it writes the same value.
/// 4. Whoever withdraws while observers are being told sees that in the position, and lets the bus's end wait for it.
///    The worker sees the withdrawal when it notes by compare-and-swap that they have been told.
/// 5. For the reason in 3, the worker may publish the count of released reports late. Nobody relies on that count once
///    the lane was withdrawn, since the bus has ended then.
/// 6. An unadmitted report stays in its place too, since the worker looks at it. It is released, and in delivery, once
///    the worker has noted by compare-and-swap that it passes; else the lane closes, and the machine takes it over.
///
/// Memory orders: the position is swapped and exchanged with acquire and release, so that whoever withdraws the lane
/// sees every count before the last one, and the worker that finds it withdrawn sees that the bus has ended. Counts are
/// stored with release and read with acquire, so that who reads a count also sees the counts that are older. All
/// interleavings of these steps are tried in the tests, by `DeliveryModel`.
struct DeliveryLane: ~Copyable, Sendable {
    /// What a worker that has begun a report still has to write, to count the one before.
    struct Passage {
        /// The report that has begun.
        let number: Int64
        /// The end of the one before, and how many reports came to that end before it.
        fileprivate let end: End
        fileprivate let count: Int64
        /// How many reports are released then.
        fileprivate let released: Int64
    }

    /// Where the lane was when it was closed, or taken away by a shutdown.
    struct Stop: Equatable {
        /// The report that the worker was at.
        let number: Int64
        /// Whether observers are being told of the report before it.
        var isAnnouncing = false
        /// Whether the report is not in delivery yet, since the flood limit has not let it pass.
        var isUnadmitted = false
    }

    /// The ends of reports in the lane; the position holds the last one in two bits.
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

    /// What the worker writes, in one cache line: others rarely read it.
    private let line = CounterLine()

    private enum Place {
        static let position = 0
        /// The first of three counts: how many reports came to each end in the lane.
        static let counts = 1
        // The offsets are set when the lane opens, and hold for all reports until it closes.
        /// A report's sequence number minus its number.
        static let sequenceOffset = 4
        /// How many reports have come to an end in the lane while one is in delivery, minus the number of that one.
        static let countOffset = 5
    }

    init() { position = Self.closed }

    private var position: Int64 {
        get { line[Place.position] }
        nonmutating set { line[Place.position] = newValue }
    }

    /// How many reports came to an end in the lane.
    fileprivate subscript(end: End) -> Int64 {
        get { line[Place.counts + Int(end.rawValue)] }
        nonmutating set { line[Place.counts + Int(end.rawValue)] = newValue }
    }

    private var total: Int64 { self[.handled] + self[.ignored] + self[.unmatched] }

    // MARK: Under the lock

    /// Whether reports are delivered in the lane.
    var isOpen: Bool { position >= 0 }

    /// Opens with the report of a number in delivery, or unadmitted if a flood limit decides about it.
    func open(at number: Int64, sequence: UInt64, isLimited: Bool = false) {
        line[Place.sequenceOffset] = Int64(sequence) - number
        line[Place.countOffset] = total - number
        position = Self.position(number, after: .handled, isAnnouncing: false, isUnadmitted: isLimited)
    }

    /// Closes, and returns where the lane was; nil if it was withdrawn.
    func close() -> Stop? {
        let found = position
        if found < 0 { return nil }
        position = Self.closed
        return Self.stop(found)
    }

    /// Withdraws the lane from the worker, and returns where it was; nil if it is closed.
    ///
    /// Does not wait for the worker. When it returns the counts are exact, and change no more.
    func withdraw() -> Stop? {
        let found = line.exchange(for: Self.withdrawn, at: Place.position)
        if found < 0 { return nil }
        let stop = Self.stop(found)
        // All reports that ended before the last one were counted before the swap, so only one count may be missing.
        let last = Self.lastEnd(found)
        self[last] = line[Place.countOffset] + stop.number - (total - self[last])
        return stop
    }

    /// How many reports came to each end in the lane.
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

    /// Returns the sequence number of the report in delivery.
    func sequence(of number: Int64) -> UInt64 { UInt64(number + line[Place.sequenceOffset]) }

    enum Step {
        /// The next report is in delivery, or unadmitted.
        case next
        /// No report follows yet, or the next one needs more than delivery; nothing was changed.
        case last
        /// The lane was withdrawn: the worker's result for the report is ignored.
        case withdrawn
    }

    /// Whether the report after one can be delivered in the lane; nil while its place is not filled.
    @inline(__always)
    static func goesOn(after number: Int64, in intake: borrowing BusIntake) -> Bool? {
        guard intake.mailbox.isFilled(at: number + 1) else { return nil }
        return intake.mailbox.isPlain(at: number + 1) && !intake.hasInterruption(before: number + 1)
    }

    /// Counts the report in delivery, and begins the next one.
    ///
    /// - Parameters:
    ///   - number: The report in delivery; if the step is `.next`, its place can be emptied.
    ///   - disposition: Its end.
    ///   - isObserved: Whether observers are told of its end, and ``announced(at:)`` follows.
    ///   - isLimited: Whether the next one is unadmitted, and ``admitted(at:in:)`` follows.
    ///   - intake: The intake that the reports are in; the next report is released there.
    @inline(__always)
    func goOn(
        from number: Int64,
        _ disposition: HandleOutcome.Disposition,
        isObserved: Bool,
        isLimited: Bool = false,
        in intake: borrowing BusIntake
    ) -> Step {
        guard Self.goesOn(after: number, in: intake) == true else { return .last }
        let passage = pass(to: number + 1, disposition, isObserved: isObserved, isLimited: isLimited, in: intake)
        guard let passage else { return .withdrawn }
        count(passage, in: intake)
        return .next
    }

    /// Begins a report, and ends the one before: the first half of ``goOn(from:_:isObserved:isLimited:in:)``.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - disposition: The end of the one before.
    ///   - isObserved: Whether observers are told of that end, and ``announced(at:)`` follows.
    ///   - isLimited: Whether the report is unadmitted, and ``admitted(at:in:)`` follows.
    ///   - intake: The intake that the reports are in.
    /// - Returns: What the caller passes to ``count(_:in:)``; nil if the lane was withdrawn.
    @inline(__always)
    func pass(
        to number: Int64,
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

    /// Notes that observers have been told of the report before the one in delivery.
    ///
    /// - Returns: Whether the lane was not withdrawn.
    @inline(__always)
    func announced(at number: Int64) -> Bool {
        let found = position
        assert(found < 0 || Self.number(found) == number, "the worker is at another report")
        return found >= 0 && line.replace(found, by: found & ~Self.announcing, at: Place.position)
    }

    /// Notes that the unadmitted report is in delivery, and releases it.
    ///
    /// - Returns: Whether the lane was not withdrawn.
    @inline(__always)
    func admitted(at number: Int64, in intake: borrowing BusIntake) -> Bool {
        let released = intake.released
        let found = position
        assert(found < 0 || Self.stop(found) == Stop(number: number, isUnadmitted: true), "the worker is elsewhere")
        guard found >= 0, line.replace(found, by: found & ~Self.unadmitted, at: Place.position) else { return false }
        intake.publishReleased(released + 1)
        return true
    }

    /// Counts the report that has ended, and releases the next one unless it is unadmitted: the second half of
    /// ``goOn(from:_:isObserved:isLimited:in:)``.
    @inline(__always)
    func count(_ passage: Passage, in intake: borrowing BusIntake) {
        self[passage.end] = passage.count + 1
        intake.publishReleased(passage.released)
    }
}

/// The counts of a lane.
struct LaneCounts {
    /// Whether the lane is open, with a report in delivery or unadmitted.
    var isOpen = false
    var handled: Int64 = 0
    var ignored: Int64 = 0
    var unmatched: Int64 = 0
}
