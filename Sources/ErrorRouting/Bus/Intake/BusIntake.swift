import Synchronization

/// The side of the bus that posters use: counts posts, and keeps them until the worker takes them.
///
/// Takes no lock. A poster reserves a slot, then fills it; between the two its report counts as pending. A report is
/// released when it takes no capacity any more: when its delivery begins, or when it is suppressed.
///
/// The methods under "The worker's side" are called under the bus's lock.
///
/// Memory orders, each the weakest that will do; swaps and exchanges acquire and release:
///
/// - `word` is swapped: all posters agree on one order, and later ones see the end.
/// - `releasedCounter` and, handed on by posters, `seenReleased` are stored with release and read with acquire: the
///   worker empties a slot before it releases the report after it, so that whoever gets the slot's next number for that
///   finds the slot empty.
/// - `limit` is read relaxed: it says how many and nothing else, and who reads an old limit came earlier.
/// - `refusedCount` is added to with release, so that a post that has returned is in the next read.
struct BusIntake: ~Copyable, Sendable {
    /// The most reports that may be pending, whatever the configuration says: the memory of their slots is reserved at
    /// once.
    static let maximumCapacity = 1 << 22

    /// How many reports may be pending.
    let capacity: Int
    private let word: Padded<IntakeWord>
    /// What posters last read in ``released``, which they read again only if the bus seems to be full: each read takes
    /// its cache line away from the worker.
    private let seenReleased: Atomic<Int64>
    /// The most reports that are accepted in all.
    private let limit = Atomic<Int64>(.max)
    private let releasedCounter: PaddedCounter
    private let refusedCount = Atomic<Int64>(0)

    /// The errors that were dropped since the last notice.
    let drops = DropTally()
    /// The reports that were posted and not yet taken.
    let mailbox: Mailbox<Posting>

    /// - Parameters:
    ///   - capacity: How many reports may be pending; more than ``maximumCapacity`` counts as that many.
    ///   - start: The first report's number; all before it count as accepted, and released.
    init(capacity: Int, startingAt start: Int64 = 0) {
        self.capacity = min(capacity, Self.maximumCapacity)
        word = Padded(IntakeWord(accepted: start))
        seenReleased = Atomic(start)
        releasedCounter = PaddedCounter(start)
        mailbox = Mailbox(capacity: self.capacity)
    }

    // MARK: The posters' side

    /// Reserves a slot for a report, which is counted as refused if the intake is closed.
    func reserve() -> IntakeWord.Reservation {
        var found = word.value
        var seen = seenReleased.load(ordering: .acquiring)
        while true {
            var desired = found
            let answer = desired.reserve(released: seen, capacity: capacity, limit: limit.load(ordering: .relaxed))
            switch answer {
            case .accepted:
                let (isReserved, current) = word.replace(found, by: desired)
                if isReserved { return answer }
                found = current
            case .full:
                let current = released
                if current == seen { return .full }
                seen = current
                seenReleased.store(seen, ordering: .releasing)
            case .closed:
                refusedCount.wrappingAdd(1, ordering: .releasing)
                return .closed
            }
        }
    }

    /// Lets a notice of drops follow what is accepted up to now.
    ///
    /// - Parameter source: Where the first of the drops was posted.
    /// - Returns: Whether the worker will find the notice; if not, the bus has ended.
    func announceDrops(at source: ErrorReport.Source) -> Bool {
        drops.setNotice(DropNotice(turn: accepted, source: source))
        // By a swap, which is ordered with the one that ends the bus: either that comes later, and whoever ends the bus
        // looks for a notice after it; or this call finds the end.
        return update { !$0.hasEnded }
    }

    // MARK: Counts

    /// The current word.
    var state: IntakeWord { word.value }

    /// How many reports were accepted.
    var accepted: Int64 { word.value.accepted }

    /// How many of the accepted reports take no capacity any more: they have ended, or are in delivery.
    var released: Int64 { releasedCounter.value }

    /// How many errors were posted after the end of posting.
    var refused: Int64 { refusedCount.load(ordering: .acquiring) }

    // MARK: The worker's side

    /// Publishes how many of the accepted reports take no capacity any more.
    @inline(__always)
    func publishReleased(_ count: Int64) { releasedCounter.set(count) }

    /// Accepts no more, unless the word has changed; returns whether it did so.
    func close(ifStill expected: IntakeWord) -> Bool {
        var desired = expected
        _ = desired.close()
        return word.replace(expected, by: desired).isReplaced
    }

    /// Accepts at most so many more reports; posts after them are dropped as if the intake were closed.
    func accept(atMost count: Int) { limit.store(accepted + Int64(count), ordering: .releasing) }

    /// Takes the notice of drops whose turn comes before a report's, with all drops that no notice has reported; if more
    /// errors are dropped meanwhile, another notice follows.
    ///
    /// - Parameters:
    ///   - number: The report's number.
    ///   - hasEnded: Whether the bus has ended, so that nobody would deliver another notice.
    func takeDrops(before number: Int64, hasEnded: Bool) -> (drops: [String: Int64], notice: DropNotice)? {
        guard let notice = drops.takeNotice(before: number) else { return nil }
        var taken: [String: Int64] = [:]
        var isMoreUnreported = drops.take(into: &taken)
        while isMoreUnreported, hasEnded { isMoreUnreported = drops.take(into: &taken) }
        if isMoreUnreported { drops.setNotice(DropNotice(turn: accepted, source: notice.source)) }
        return (taken, notice)
    }

    /// Takes back a report, once no more are accepted; nil if its slot is not filled: its poster will be refused.
    ///
    /// - Parameters:
    ///   - number: The report's number.
    ///   - isRead: Whether the worker may be reading it: then it is copied, and stays in its slot.
    func takeBack(_ number: Int64, isRead: Bool) -> Posting? {
        if isRead, let posting = unsafe mailbox.element(at: number) { return unsafe posting.pointee }
        return mailbox.close(number)
    }

    /// Changes the word by one of its transitions, and returns the result of that.
    func update<Result>(_ transition: (inout IntakeWord) -> Result) -> Result {
        var found = word.value
        while true {
            var desired = found
            let result = transition(&desired)
            let (isUpdated, current) = word.replace(found, by: desired)
            if isUpdated { return result }
            found = current
        }
    }
}

/// What posters have to agree on, as one plain value that fits an atomic word: how many reports were accepted, and
/// whether more are accepted.
///
/// Because acceptance and the end are in one word, no post is accepted after the last one was delivered: the bus ends
/// only if the word is closed and nothing is outstanding, and later posters read that it has ended.
struct IntakeWord: RawRepresentable, Hashable, Sendable, AtomicRepresentable {
    enum Reservation: Equatable {
        /// Accepted as the report of this number: the poster has to fill its slot.
        case accepted(Int64)
        /// As many reports are pending as may be: the poster counts the error as dropped.
        case full
        /// No more reports are accepted.
        case closed
    }

    private static let closedBit: UInt64 = 1
    private static let endedBit: UInt64 = 2
    private static let one: UInt64 = 4

    private(set) var rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter accepted: How many reports count as accepted from the beginning.
    init(accepted: Int64 = 0) { rawValue = UInt64(accepted) &* Self.one }

    /// How many reports were accepted since the beginning.
    ///
    /// Its 62 bits do not overflow in a thousand years of posting.
    var accepted: Int64 { Int64(truncatingIfNeeded: rawValue / Self.one) }
    /// Whether no more reports are accepted.
    var isClosed: Bool { rawValue & Self.closedBit != 0 }
    /// Whether the bus has ended: no report is accepted or delivered any more.
    var hasEnded: Bool { rawValue & Self.endedBit != 0 }

    /// Accepts one more report, if there is room.
    ///
    /// - Parameters:
    ///   - released: How many of the accepted reports take no capacity any more.
    ///   - capacity: How many reports may be pending.
    ///   - limit: The most reports that are accepted in all; after them the word counts as closed.
    mutating func reserve(released: Int64, capacity: Int, limit: Int64 = .max) -> Reservation {
        if isClosed || accepted >= limit { return .closed }
        guard accepted &- released < Int64(capacity) else { return .full }
        defer { rawValue &+= Self.one }
        return .accepted(accepted)
    }

    /// Accepts no more; returns whether this call has closed the word.
    mutating func close() -> Bool {
        defer { rawValue |= Self.closedBit }
        return !isClosed
    }

    /// Ends, if the word is closed and nothing is outstanding; returns whether it did.
    mutating func end(released: Int64) -> Bool {
        guard isClosed, accepted == released else { return false }
        rawValue |= Self.endedBit
        return true
    }

    /// Ends, even if reports are outstanding; returns how many were accepted.
    mutating func abort() -> Int64 {
        rawValue |= Self.closedBit | Self.endedBit
        return accepted
    }
}
