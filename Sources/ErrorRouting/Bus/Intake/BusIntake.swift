import Synchronization

/// Where posters meet the bus: counts what comes in, and keeps it until the loop takes it. Takes no lock.
///
/// A poster reserves, then pushes; between the two its report counts as pending. What is taken out is released, one
/// report at a time, when it takes no room any more.
///
/// The methods under "The loop's side" are called under the bus's lock.
struct BusIntake: ~Copyable, Sendable {
    enum Reservation {
        case accepted
        /// The bus is full, and the error was counted as dropped; a notice has to be made of that, or not.
        case full(makesNotice: Bool)
        /// The bus has finished, and the error was counted as dropped.
        case closed
    }

    private let capacity: Int
    private let word = Atomic<IntakeWord>(IntakeWord())
    /// What posters last saw of ``released``: so they look there, which takes the loop its cache line away, only when
    /// the bus seems to be full.
    private let seenReleased = Atomic<Int>(0)
    private let mailbox = Mailbox<PendingReport>()

    /// How many of the accepted reports take no room any more.
    private let released = PaddedCounter()
    private let drops = DropTally()
    private let refused = Atomic<Int>(0)
    private let withdrawn = Atomic<Int>(0)

    init(capacity: Int) {
        self.capacity = capacity
    }

    // MARK: The posters' side

    /// Asks for room for a report.
    ///
    /// - Parameter error: What is to be counted by its type, if there is none.
    func reserve(for error: any Error) -> Reservation {
        var found = word.load(ordering: .relaxed)
        var seen = seenReleased.load(ordering: .relaxed)
        while true {
            var desired = found
            switch desired.reserve(released: seen, capacity: capacity) {
            case .accepted:
                let (isReserved, current) = word.weakCompareExchange(
                    expected: found,
                    desired: desired,
                    successOrdering: .acquiringAndReleasing,
                    failureOrdering: .acquiring
                )
                if isReserved { return .accepted }
                found = current
            case .full:
                let current = released.value
                if current == seen { return .full(makesNotice: drops.add(type(of: error))) }
                seen = current
                seenReleased.store(seen, ordering: .relaxed)
            case .closed:
                refused.wrappingAdd(1, ordering: .releasing)
                return .closed
            }
        }
    }

    /// Hands over a report that was accepted, or a notice that was announced.
    ///
    /// It is refused if the bus was shut down since.
    func push(_ pending: PendingReport) -> Mailbox<PendingReport>.PushAnswer {
        let answer = mailbox.push(pending)
        guard answer == .refused else { return answer }
        if pending.kind == .errorsDropped {
            update { $0.clearNotice() }
        } else {
            withdrawn.wrappingAdd(1, ordering: .releasing)
        }
        return answer
    }

    /// Announces a notice of drops; if it may not be pushed, the bus has ended.
    func reserveNotice() -> Bool { update { $0.reserveNotice() } }

    /// Takes what was dropped since the last notice; for one that could not be pushed.
    func takeDrops() -> ErrorsDropped { drops.take().notice }

    /// Whether the loop sleeps, and has to be woken although nothing was pushed.
    func rouse() -> Bool { mailbox.rouse() }

    // MARK: The loop's side

    /// What the word says.
    var state: IntakeWord { word.load(ordering: .acquiring) }

    /// Everything that was pushed, in order.
    func takeAll() -> MailboxBatch<PendingReport> { mailbox.takeAll() }

    /// Whether the loop may sleep; the next push wakes it.
    func sleep() -> Bool { mailbox.sleep() }

    /// So many of the accepted reports take no room any more.
    func release(_ count: Int) { released.set(count) }

    /// Takes what was dropped, for a notice that has its turn.
    ///
    /// What is dropped from now on makes a notice of its own.
    func takeDrops(for notice: PendingReport) -> ErrorsDropped {
        // First the word, then the drops: who drops between the two announces a notice again.
        update { $0.clearNotice() }
        var (taken, isMoreUntold) = drops.take()
        if isMoreUntold, reserveNotice() {
            // The loop is awake, since it is here, and so has not to be woken.
            _ = mailbox.push(notice.another())
            return taken
        }
        while isMoreUntold {
            // Ended: nobody would deliver another one.
            let more = drops.take()
            taken = ErrorsDropped(
                count: taken.count + more.notice.count,
                byType: taken.byType.merging(more.notice.byType, uniquingKeysWith: +)
            )
            isMoreUntold = more.isMoreUntold
        }
        return taken
    }

    /// Accepts no more; answers whether it did until now.
    func close() -> Bool { update { $0.close() } }

    /// Accepts no more, unless anything was accepted since the word was read.
    func close(ifStill expected: IntakeWord) -> Bool {
        var desired = expected
        _ = desired.close()
        return word.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }

    /// Ends, if it is closed and nothing is outstanding.
    func end() -> Bool { update { $0.end(released: released.value) } }

    /// Ends, and takes what is there; whatever is still pushed is refused.
    func shut() -> MailboxBatch<PendingReport> {
        update { $0.shut() }
        return mailbox.shut()
    }

    /// The counters that are kept here, of one moment.
    var counts: IntakeCounts {
        let word = state
        return IntakeCounts(
            accepted: word.accepted,
            untoldDrops: drops.untold,
            refused: refused.load(ordering: .acquiring),
            withdrawn: withdrawn.load(ordering: .acquiring),
            notices: word.hasNotice ? 1 : 0
        )
    }

    @discardableResult
    private func update<Result>(_ transition: (inout IntakeWord) -> Result) -> Result {
        var found = word.load(ordering: .relaxed)
        while true {
            var desired = found
            let result = transition(&desired)
            let (isUpdated, current) = word.weakCompareExchange(
                expected: found,
                desired: desired,
                successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring
            )
            if isUpdated { return result }
            found = current
        }
    }
}

/// What the posters' side has counted.
struct IntakeCounts {
    /// Reports that were accepted.
    var accepted = 0
    /// Errors dropped since the last notice.
    var untoldDrops = 0
    /// Errors posted after the end of posting.
    var refused = 0
    /// Reports that were accepted, but came too late to be taken.
    var withdrawn = 0
    /// Notices of drops that are under way.
    var notices = 0
}
