import Synchronization

/// The callers' side of the bus: counts posts and keeps them until the worker takes them.
///
/// It takes no lock. A caller reserves a slot and then fills it; between the two, its report counts as pending. A
/// report is released when it no longer takes capacity: when its delivery begins or when it is suppressed.
///
/// The methods under "The worker's side" are called under the bus's lock, except that ``announceDrops(at:)`` calls
/// ``update(_:)``, which is a compare-and-swap, without it.
///
/// Memory orders, each the weakest that suffices; swaps and exchanges acquire and release:
///
/// - `word` is swapped: all callers agree on one order, and later callers see the end.
/// - `releasedCounter` and `seenReleased`, which callers copy from it, are stored with release and read with acquire.
///   The worker empties a slot before it releases the report after it. Therefore the caller that receives the slot's
///   next number because of that release finds the slot empty.
/// - `refusedCount` is incremented with release, so that the next read includes every post that has returned.
struct BusIntake: ~Copyable, Sendable {
    /// The most reports that can be pending, regardless of the configuration; the memory of all slots is reserved at
    /// once.
    static let maximumCapacity = 1 << 22

    /// The number of reports that can be pending.
    let capacity: Int
    private let word: Padded<IntakeWord>
    /// The value that callers last read in ``released``; they read it again only if the bus seems full, because each
    /// read takes its cache line away from the worker.
    private let seenReleased: Atomic<Int64>
    private let releasedCounter: PaddedCounter
    private let refusedCount = Atomic<Int64>(0)

    /// The errors dropped since the last notice.
    let drops = DropTally()
    /// The posted reports that the worker hasn't taken yet.
    let mailbox: Mailbox<Posting>

    /// - Parameters:
    ///   - capacity: The number of reports that can be pending; a number above ``maximumCapacity`` counts as that
    ///     maximum.
    ///   - start: The first report's number; all reports before it count as accepted and released.
    init(capacity: Int, startingAt start: Int64 = 0) {
        self.capacity = min(capacity, Self.maximumCapacity)
        word = Padded(IntakeWord(accepted: start))
        seenReleased = Atomic(start)
        releasedCounter = PaddedCounter(start)
        mailbox = Mailbox(capacity: self.capacity)
    }

    // MARK: The callers' side

    /// Reserves a slot for a report, or counts the report as refused if the intake is closed.
    func reserve() -> IntakeWord.Reservation {
        var found = word.value
        var seen = seenReleased.load(ordering: .acquiring)
        while true {
            var desired = found
            let answer = desired.reserve(released: seen, capacity: capacity)
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

    /// Announces a notice of drops that follows the reports accepted so far.
    ///
    /// - Parameter source: The source of the first dropped error.
    /// - Returns: Whether the worker will find the notice; if not, the bus has ended.
    func announceDrops(at source: ErrorReport.Source) -> Bool {
        drops.setNotice(DropNotice(turn: accepted, source: source))
        // Swap the word: this is ordered with the swap that ends the bus. Either that one comes later, and the code
        // that ends the bus looks for a notice after it, or this call finds the end.
        return update { !$0.hasEnded }
    }

    // MARK: Counts

    /// The current word.
    var state: IntakeWord { word.value }

    /// The number of accepted reports.
    var accepted: Int64 { word.value.accepted }

    /// The number of accepted reports that no longer take capacity: completed reports and the one in delivery.
    var released: Int64 { releasedCounter.value }

    /// The number of errors posted after the end of posting.
    var refused: Int64 { refusedCount.load(ordering: .acquiring) }

    // MARK: The worker's side

    /// Publishes the number of accepted reports that no longer take capacity.
    @inline(__always)
    func publishReleased(_ count: Int64) { releasedCounter.set(count) }

    /// Stops accepting reports unless the word has changed; returns whether this call did it.
    func close(ifStill expected: IntakeWord) -> Bool { update { $0 == expected && $0.close() } }

    /// Takes the notice of drops that comes before a report, with all unreported drops; if more errors are dropped
    /// during the call, another notice follows.
    ///
    /// - Parameters:
    ///   - number: The report's number.
    ///   - hasEnded: Whether the bus has ended, so that no worker would deliver another notice.
    func takeDrops(before number: Int64, hasEnded: Bool) -> (drops: [String: Int64], notice: DropNotice)? {
        guard let notice = drops.takeNotice(before: number) else { return nil }
        var taken: [String: Int64] = [:]
        var isMoreUnreported = drops.take(into: &taken)
        while isMoreUnreported, hasEnded { isMoreUnreported = drops.take(into: &taken) }
        if isMoreUnreported { drops.setNotice(DropNotice(turn: accepted, source: notice.source)) }
        return (taken, notice)
    }

    /// Changes the word by one of its transitions and returns the transition's result.
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
