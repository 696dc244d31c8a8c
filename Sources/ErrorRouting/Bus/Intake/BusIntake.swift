import Synchronization

/// Where posters meet the bus: counts what comes in, and keeps it until the loop takes it.
///
/// Takes no lock.
/// A poster reserves a place, then fills it; between the two its report counts as pending. A report is released when it
/// takes no room any more: when its delivery begins, or when it is suppressed.
///
/// The methods under "The loop's side" are called under the bus's lock, or by the worker where it has no need of that.
struct BusIntake: ~Copyable, Sendable {
    enum Reservation {
        /// Accepted as the report of this number: the place is to be filled.
        case accepted(Int64)
        /// The bus is full, and the error was counted as dropped; a notice has to be made of that, or not.
        case full(makesNotice: Bool)
        /// The bus has finished, and the error was counted as dropped.
        case closed
    }

    private let capacity: Int
    private let word: Padded<IntakeWord>
    /// What posters last saw of ``released``: so they look there, which takes the loop its cache line away, only when
    /// the bus seems to be full.
    private let seenReleased: Atomic<Int64>
    /// How many reports are accepted in all.
    private let limit = Atomic<Int64>(.max)

    /// How many of the accepted reports take no room any more.
    private let releasedCounter: PaddedCounter
    private let drops = DropTally()
    /// The notice that is under way, by its address, and the number of the report before which it has its turn.
    private let notice = Atomic<UInt>(0)
    private let noticeTurn = Atomic<Int64>(.max)
    /// The number of the report before which somebody waits for all the others.
    private let flushTurn = Atomic<Int64>(.max)
    private let refused = Atomic<Int64>(0)
    private let withdrawn = Atomic<Int64>(0)

    /// What was posted and not yet taken.
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

    /// Asks for a place for a report.
    ///
    /// - Parameter error: What is to be counted by its type, if there is none.
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

    /// Fills the place of a report that was accepted.
    ///
    /// It is refused if the bus was shut down since, and has to be taken back.
    @inline(__always)
    func fill(_ number: Int64, isSpecial: Bool, with posting: consuming Posting) -> Mailbox<Posting>.FillAnswer {
        let answer = mailbox.fill(number, isSpecial: isSpecial, with: posting)
        if answer == .refused { withdrawn.wrappingAdd(1, ordering: .releasing) }
        return answer
    }

    /// Lets a notice of drops follow what is accepted up to now.
    ///
    /// The loop may sleep, and has to be roused. If it returns false the bus has ended, and nothing was done.
    func announce(_ pending: PendingReport) -> Bool {
        let (isReserved, accepted) = update { ($0.reserveNotice(), $0.accepted) }
        guard isReserved else { return false }
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(pending).toOpaque())
        notice.store(address, ordering: .releasing)
        noticeTurn.store(accepted, ordering: .releasing)
        return true
    }

    // MARK: The loop's side

    /// What the word says.
    var state: IntakeWord { word.value }

    /// Whether the worker has something else to do before the report of a number, and must not stay in the lane.
    @inline(__always)
    func hasInterruption(before number: Int64) -> Bool {
        hasNotice(before: number) || flushTurn.load(ordering: .acquiring) <= number
    }

    /// Lets the worker leave the lane before the report of a number; nil for no such report.
    func leaveLane(before number: Int64?) { flushTurn.store(number ?? .max, ordering: .releasing) }

    /// Whether a notice has its turn before the report of a number.
    func hasNotice(before number: Int64) -> Bool { noticeTurn.load(ordering: .acquiring) <= number }

    /// The notice that is under way, if there is one.
    func takeNotice() -> PendingReport? {
        let address = notice.exchange(0, ordering: .acquiringAndReleasing)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        noticeTurn.store(.max, ordering: .releasing)
        return unsafe Unmanaged<PendingReport>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Takes what was dropped, for a notice that was taken and has its turn.
    ///
    /// What is dropped from now on makes a notice of its own.
    func takeDrops(for notice: PendingReport) -> DropCounts {
        // First the word, then the drops: who drops between the two announces a notice again.
        update { $0.clearNotice() }
        var (taken, isMoreUntold) = drops.take()
        if isMoreUntold, announce(notice.another()) { return taken }
        while isMoreUntold {
            // Ended: nobody would deliver another one.
            let more = drops.take()
            taken.add(more.counts)
            isMoreUntold = more.isMoreUntold
        }
        return taken
    }

    /// So many of the accepted reports take no room any more.
    func release(_ count: Int64) { releasedCounter.set(count) }

    /// How many those are.
    var released: Int64 { releasedCounter.value }

    /// Accepts no more; returns whether it did until now.
    func close() -> Bool { update { $0.close() } }

    /// Accepts no more, unless anything was accepted since the word was read.
    func close(ifStill expected: IntakeWord) -> Bool {
        var desired = expected
        _ = desired.close()
        return word.replace(expected, by: desired).isReplaced
    }

    /// Accepts no more than so many reports from now on, and no more at all after these.
    func accept(atMost count: Int) { limit.store(state.accepted + Int64(count), ordering: .releasing) }

    /// Ends, if it is closed and nothing is outstanding.
    func end() -> Bool { update { $0.end(released: released) } }

    /// Ends, whatever is outstanding; returns how many reports were accepted.
    func shut() -> Int64 {
        update {
            $0.shut(); return $0.accepted
        }
    }

    /// The counters that are kept here.
    var counts: IntakeCounts { counts(since: state) }

    /// The counters that are kept here, of a time that began when the word was read.
    func counts(since before: IntakeWord) -> IntakeCounts {
        // The word last, since what is released was accepted before.
        let released = released
        let untoldDrops = drops.untold
        let refused = refused.load(ordering: .acquiring)
        let withdrawn = withdrawn.load(ordering: .acquiring)
        let after = state
        return IntakeCounts(
            accepted: after.accepted,
            acceptedBefore: before.accepted,
            released: released,
            untoldDrops: untoldDrops,
            refused: refused,
            withdrawn: withdrawn,
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

/// What the posters' side has counted.
struct IntakeCounts {
    /// Reports that were accepted until the last of the counters was read.
    var accepted: Int64 = 0
    /// Reports that were accepted before the first of them was read.
    var acceptedBefore: Int64 = 0
    /// Accepted reports that take no room any more: they are over, or in delivery.
    ///
    /// Not to be relied on after the end: a worker that it has overtaken tells of its last release too late.
    var released: Int64 = 0
    /// Errors dropped since the last notice.
    var untoldDrops: Int64 = 0
    /// Errors posted after the end of posting.
    var refused: Int64 = 0
    /// Reports that were accepted, but came too late to be taken.
    var withdrawn: Int64 = 0
    /// Notices of drops that are under way.
    var notices: Int64 = 0
}
