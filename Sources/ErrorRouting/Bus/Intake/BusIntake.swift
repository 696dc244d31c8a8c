import Synchronization

/// The side of the bus that posters use: counts posts, and keeps them until the worker takes them.
///
/// Takes no lock. A poster reserves a place, then fills it; between the two its report counts as pending. A report is
/// released when it takes no capacity any more: when its delivery begins, or when it is suppressed.
///
/// The methods under "The worker's side" are called under the bus's lock, or by the worker in the lane.
///
/// Memory orders, each the weakest that will do; swaps and exchanges acquire and release:
///
/// - `word` is swapped: all posters agree on one order, and later ones see the end.
/// - `releasedCounter` and, handed on by posters, `seenReleased` are stored with release and read with acquire: the
///   worker empties a slot before it releases the report after it, so that whoever gets the slot's next number for that
///   finds the slot empty.
/// - `limit` is read relaxed: it says how many and nothing else, and who reads an old limit came earlier.
/// - `notice` is stored before `noticeTurn`, with release: who reads the turn with acquire finds the notice.
/// - `flushTurn` is stored under the lock; a worker in the lane that reads it late is interrupted a report later.
/// - `refused` and `reclaimed` are added to with release, so that a post that has returned is in the next read.
struct BusIntake: ~Copyable, Sendable {
    enum Reservation {
        /// Accepted as the report of this number: the caller has to fill its place.
        case accepted(Int64)
        /// The bus is full, and the error was counted as dropped; the caller may have to announce a notice of drops.
        case full(makesNotice: Bool)
        /// No more reports are accepted, and the error was counted as dropped.
        case closed
    }

    private let capacity: Int
    private let word: Padded<IntakeWord>
    /// What posters last read in ``released``, which they read again only if the bus seems to be full: each read takes
    /// its cache line away from the worker.
    private let seenReleased: Atomic<Int64>
    /// The most reports that are accepted in all.
    private let limit = Atomic<Int64>(.max)

    /// How many of the accepted reports take no capacity any more.
    private let releasedCounter: PaddedCounter
    private let drops = DropTally()
    /// The address of the announced notice, or 0, and the number of the report before which it is delivered.
    private let notice = Atomic<UInt>(0)
    private let noticeTurn = Atomic<Int64>(.max)
    /// The number of the report before which a flush interrupts the lane.
    private let flushTurn = Atomic<Int64>(.max)
    private let refused = Atomic<Int64>(0)
    private let reclaimed = Atomic<Int64>(0)

    /// The reports that were posted and not yet taken.
    let mailbox: Mailbox<Posting>

    /// - Parameters:
    ///   - capacity: How many reports may be pending; more than ``MailboxLimits/capacity`` counts as that many.
    ///   - start: The first report's number; all before it count as accepted, and released.
    init(capacity: Int, startingAt start: Int64 = 0) {
        self.capacity = min(capacity, MailboxLimits.capacity)
        word = Padded(IntakeWord(accepted: start))
        seenReleased = Atomic(start)
        releasedCounter = PaddedCounter(start)
        mailbox = Mailbox(capacity: self.capacity)
    }

    deinit { _ = takeNotice() }

    // MARK: The posters' side

    /// Reserves a place for a report.
    ///
    /// - Parameter error: The error, which is counted by its type if the bus is full.
    func reserve(for error: any Error) -> Reservation {
        var found = word.value
        var seen = seenReleased.load(ordering: .acquiring)
        while true {
            var desired = found
            switch desired.reserve(released: seen, capacity: capacity, limit: limit.load(ordering: .relaxed)) {
            case .accepted:
                let (isReserved, current) = word.replace(found, by: desired)
                if isReserved { return .accepted(found.accepted) }
                found = current
            case .full:
                let current = released
                if current == seen { return .full(makesNotice: drops.add(type(of: error))) }
                seen = current
                seenReleased.store(seen, ordering: .releasing)
            case .closed:
                refused.wrappingAdd(1, ordering: .releasing)
                return .closed
            }
        }
    }

    /// Takes out the posting that the mailbox has refused since the bus was shut down, and counts its report.
    func reclaim(_ number: Int64) -> Posting {
        reclaimed.wrappingAdd(1, ordering: .releasing)
        return mailbox.reclaim(number)
    }

    /// Queues a notice of drops behind what is accepted up to now; the caller rouses the worker, which may sleep.
    ///
    /// - Returns: Whether it did; if not, the bus has ended.
    func announceDrops(at source: ErrorReport.Source) -> Bool {
        let (isReserved, accepted) = update { ($0.reserveNotice(), $0.accepted) }
        guard isReserved else { return false }
        let pending = PendingReport(noticeOfDropsAt: source)
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(pending).toOpaque())
        notice.store(address, ordering: .releasing)
        noticeTurn.store(accepted, ordering: .releasing)
        return true
    }

    // MARK: The worker's side

    /// The current word.
    var state: IntakeWord { word.value }

    /// Whether a notice or a flush comes before the report of a number, so that the worker has to leave the lane.
    @inline(__always)
    func hasInterruption(before number: Int64) -> Bool {
        hasNotice(before: number) || flushTurn.load(ordering: .acquiring) <= number
    }

    /// Lets the worker leave the lane for a flush before the report of a number; nil if no flush is waiting.
    func interruptLane(before number: Int64?) { flushTurn.store(number ?? .max, ordering: .releasing) }

    /// Whether a notice is delivered before the report of a number.
    func hasNotice(before number: Int64) -> Bool { noticeTurn.load(ordering: .acquiring) <= number }

    /// Takes the announced notice, if there is one.
    func takeNotice() -> PendingReport? {
        let address = notice.exchange(0, ordering: .acquiringAndReleasing)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        noticeTurn.store(.max, ordering: .releasing)
        return unsafe Unmanaged<PendingReport>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Takes the drops for a notice that was taken.
    ///
    /// Later drops make a notice of their own.
    ///
    /// - Parameter source: Where the first of the drops was posted.
    func takeDrops(at source: ErrorReport.Source) -> DropCounts {
        // First the word, then the drops: whoever drops between the two announces a notice again.
        update { $0.clearNotice() }
        var taken = DropCounts()
        while true {
            let (counts, isMoreUntold) = drops.take()
            taken.add(counts)
            // Once the bus has ended, nobody would deliver another notice.
            if !isMoreUntold || announceDrops(at: source) { return taken }
        }
    }

    /// Publishes how many of the accepted reports take no capacity any more.
    func publishReleased(_ count: Int64) { releasedCounter.set(count) }

    /// How many of the accepted reports take no capacity any more.
    var released: Int64 { releasedCounter.value }

    /// Accepts no more; returns whether this call has closed the intake.
    func close() -> Bool { update { $0.close() } }

    /// Accepts no more, unless the word has changed; returns whether it did so.
    func close(ifStill expected: IntakeWord) -> Bool {
        var desired = expected
        _ = desired.close()
        return word.replace(expected, by: desired).isReplaced
    }

    /// Accepts at most so many more reports; posts after them are dropped as if the intake were closed.
    func accept(atMost count: Int) { limit.store(state.accepted + Int64(count), ordering: .releasing) }

    /// Ends, if the intake is closed and nothing is outstanding; returns whether it did.
    func end() -> Bool { update { $0.end(released: released) } }

    /// Ends, even if reports are outstanding; returns how many were accepted.
    func shut() -> Int64 {
        update {
            $0.shut(); return $0.accepted
        }
    }

    /// The intake's counts.
    var counts: IntakeCounts { counts(since: state) }

    /// Returns the intake's counts, with those of a word that was read before.
    func counts(since before: IntakeWord) -> IntakeCounts {
        // The word is read last, so that no more reports are released than accepted.
        let released = released
        let untoldDrops = drops.untold
        let refused = refused.load(ordering: .acquiring)
        let reclaimed = reclaimed.load(ordering: .acquiring)
        let after = state
        return IntakeCounts(
            accepted: after.accepted,
            acceptedBefore: before.accepted,
            released: released,
            untoldDrops: untoldDrops,
            refused: refused,
            reclaimed: reclaimed,
            notices: after.hasNotice ? 1 : 0
        )
    }

    @discardableResult
    private func update<Result>(_ transition: (inout IntakeWord) -> Result) -> Result {
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

/// The counts of an intake.
struct IntakeCounts {
    /// Reports that were accepted when the last of the counts was read.
    var accepted: Int64 = 0
    /// Reports that were accepted when the first of the counts was read.
    var acceptedBefore: Int64 = 0
    /// Accepted reports that take no capacity any more: they have ended, or are in delivery.
    ///
    /// May be too low after the end: a preempted worker publishes its last release late.
    var released: Int64 = 0
    /// Errors dropped since the last notice.
    var untoldDrops: Int64 = 0
    /// Errors posted after the end of posting.
    var refused: Int64 = 0
    /// Reports that were accepted, but whose places were filled after the end.
    var reclaimed: Int64 = 0
    /// Notices of drops that are announced and not yet taken: 0 or 1.
    var notices: Int64 = 0
}
