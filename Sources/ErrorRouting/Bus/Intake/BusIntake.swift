import Synchronization

/// The callers' side of the bus: counts posts and stores them until the worker takes them.
///
/// Callers don't take a lock. A caller reserves a slot and then fills it; between these steps, its report already
/// counts as pending. A report is released when it no longer takes capacity: when its delivery begins or when it is
/// suppressed.
///
/// The methods under "The worker's side" are called under the bus's lock.
///
/// The memory orders are the weakest that suffice; swaps and exchanges acquire and release:
///
/// - `word` is swapped, so that all callers agree on one order, and later callers see that it is closed.
/// - `releasedCounter` is stored with release and loaded with acquire, and so is `seenReleased`, to which callers copy
///   it. The worker empties a slot before it publishes the release of the following report. Therefore the caller that
///   receives the slot's next number after that release finds the slot empty.
/// - `refusedCount` is incremented with release, so that the next read includes every post that has returned.
struct BusIntake: ~Copyable, Sendable {
    /// The maximum number of pending reports, regardless of the configuration.
    ///
    /// The address space for all slots is reserved when the bus is created.
    static let maximumCapacity = 1 << 22

    /// The number of reports that can be pending.
    let capacity: Int
    private let word: Padded<IntakeWord>
    /// The value of ``released`` that callers read most recently.
    ///
    /// They read ``released`` again only if the bus seems full, because each read takes its cache line away from the
    /// worker.
    private let seenReleased: Atomic<Int64>
    private let releasedCounter: PaddedCounter
    private let refusedCount = Atomic<Int64>(0)

    /// The errors dropped since the last notice.
    let drops = DropTally()
    /// The posted reports that the worker hasn't taken yet.
    let mailbox: Mailbox<Posting>

    /// Creates an intake with a capacity, which is limited to ``maximumCapacity``.
    ///
    /// `start` is the first report's number. All reports before that number count as accepted and released.
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

    // MARK: Counts

    /// The current word.
    var state: IntakeWord { word.value }

    /// The number of accepted reports.
    var accepted: Int64 { word.value.accepted }

    /// The number of accepted reports that no longer take capacity: completed reports and the report in delivery.
    var released: Int64 { releasedCounter.value }

    /// The number of errors posted after the bus stopped accepting posts.
    var refused: Int64 { refusedCount.load(ordering: .acquiring) }

    // MARK: The worker's side

    /// Publishes the number of accepted reports that no longer take capacity.
    @inline(__always)
    func publishReleased(_ count: Int64) { releasedCounter.set(count) }

    /// Stops accepting reports; returns whether this call closed the intake.
    func close() -> Bool {
        while !state.isClosed { if close(ifStill: state) { return true } }
        return false
    }

    /// Stops accepting reports unless the word has changed; returns whether this call closed the intake.
    func close(ifStill expected: IntakeWord) -> Bool {
        var closed = expected
        return closed.close() && word.replace(expected, by: closed).isReplaced
    }
}
