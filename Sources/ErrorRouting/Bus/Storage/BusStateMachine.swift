/// What the bus does with every report from its slot in the mailbox to its end, as a plain value: what is in delivery,
/// held by a flood limit or being reported to observers, and who waits for what.
///
/// Each event is a method that returns what its caller has to do; ``BusStorage`` calls it under a lock, and the caller
/// acts after unlocking. What posters do meanwhile is decided by ``IntakeWord``, the other plain value. Each report
/// reaches exactly one end:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer one of its fingerprint)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (taken back by shutdown)
///                         └─ dropped                   (taken back by shutdown)
///
/// Here are the events of the worker and of its timer; those of the bus's owner are in `BusStateMachine+Lifecycle`. What
/// both need is not private, and is changed by events alone.
struct BusStateMachine: ~Copyable {
    /// What is being done with reports that are not waiting any more.
    ///
    /// Where the events of the worker and of a shutdown lead from each phase; an event that has no row comes from a
    /// worker that was replaced, and stops it:
    ///
    /// | in the phase | event | leads to |
    /// | --- | --- | --- |
    /// | `idle` | `next` | `delivering`; under a flood limit, `admit` may follow; nothing is there: sleep, or `ended` |
    /// | | `admit` | the report passes, or another one has to go first: `delivering`; it is held: as `next` |
    /// | `delivering` | `complete` | somebody has to be notified: `notifying`; nobody: as `next` in `idle` |
    /// | | `note`, `timeIsUp`, `replaceWorker`, `next` | as it is: another worker may go on with the report |
    /// | `notifying` | `next` | as `next` in `idle`; after an `abort`: `ended` |
    /// | | `abort` | `notifying`, and the end waits for that |
    /// | any other | `abort` | `ended` |
    enum Phase {
        case idle
        /// A report is in delivery.
        case delivering(Delivery)
        /// The worker notifies everyone of a report's end; what ends the bus meanwhile waits for that.
        case notifying(then: Aftermath)
        /// Everything is delivered or taken back.
        ///
        /// - Parameter reported: How many failed actions of the report in delivery the shutdown has reported.
        case ended(reported: Int = 0)
    }

    /// What follows once everyone was notified.
    enum Aftermath {
        case goOn
        /// Everything else was taken back. The shutdown ends the bus, unless the worker still notifies by then.
        case stop
        /// Everything else is in its receiver's hands: the worker ends the bus.
        case end
    }

    private let actionTimeLimit: Duration?

    var phase = Phase.idle
    /// How far the report in delivery has come, if more than one worker may deliver it.
    var checkpoint: Checkpoint?
    /// The report that was in delivery when a shutdown took it back.
    ///
    /// The worker may still be reading the posting, so that stays where it is for as long as the bus.
    var abandoned: Delivery?
    var hasRun = false
    var counts: BusCounts

    /// The number of the first report that is still waiting in its slot.
    var nextNumber: Int64
    var flood: FloodLimiter<Posting>?
    var failureNotices = FIFO<Posting>()

    /// The current worker's generation, raised whenever that is replaced or told to stop: events of earlier workers are
    /// ignored.
    var generation: UInt64 = 0
    /// Whether the bus's tasks have ended, so that no more posts are accepted than there is room for.
    var tasksHaveEnded = false
    /// Whether no posts are accepted once the tasks have ended.
    var isCancelled = false
    /// Those who wait until everything posted before is delivered, in the order of their turns.
    var flushes: [Flush] = []

    /// - Parameters:
    ///   - capacity: How many reports may be pending.
    ///   - actionTimeLimit: How long an asynchronous action may take.
    ///   - floodLimit: How many errors of a kind pass.
    ///   - start: The first report's number; all before it count as handled.
    init(capacity: Int, actionTimeLimit: Duration?, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        self.actionTimeLimit = actionTimeLimit.map { min($0, BusClock.forever) }
        nextNumber = start
        counts = BusCounts(handled: start)
        // Held reports take capacity: at most half of it, so that one storm does not keep everything else out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(capacity / 2, 1_024))) }
    }

    deinit {
        // No worker is left to read a report in memory of its own; the mailbox frees its slots itself.
        abandoned?.discard()
        delivery?.discard()
    }

    // MARK: - State

    /// Whether everything is delivered or taken back; the worker may still notify observers of the last report.
    var hasEnded: Bool {
        switch phase {
        case .ended, .notifying(then: .stop), .notifying(then: .end): true
        case .idle, .delivering, .notifying(then: .goOn): false
        }
    }

    /// The number, in the order of delivery, of the report whose delivery begins.
    private var nextSequence: UInt64 { UInt64(counts.delivered + 1) }

    /// The report in delivery.
    var delivery: Delivery? { if case .delivering(let delivery) = phase { delivery } else { nil } }

    var isDelivering: Bool { delivery != nil }

    /// Whether the report with a sequence number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool { delivery?.sequence == sequence }

    var isNotifying: Bool { if case .notifying = phase { true } else { false } }

    /// How many of the accepted reports take no capacity any more: they have ended, or are in delivery.
    var released: Int64 { nextNumber - Int64(flood?.heldCount ?? 0) }

    var hasFloodLimit: Bool { flood != nil }

    /// Whether anyone waits only for reports that are delivered.
    private var isFlushDue: Bool { !flushes.isEmpty && flushes[0].turn <= nextNumber }

    /// Whether nothing is pending, and everyone was notified of the last report.
    func isIdle(_ intake: borrowing BusIntake) -> Bool {
        !isNotifying && (hasEnded || statistics(intake).pending == 0)
    }

    /// Whether the worker sleeps, and the caller has to wake it; the next caller gets false.
    func isAsleep(_ intake: borrowing BusIntake) -> Bool { intake.mailbox.rouse(at: nextNumber) }

    // MARK: - What the worker does next

    /// Returns what the worker of a generation does next.
    ///
    /// - Parameters:
    ///   - generation: The worker's.
    ///   - pause: What the worker has done before.
    ///   - intake: Where the reports are.
    mutating func next(
        for generation: UInt64, after pause: WorkerPause = .none, _ intake: borrowing BusIntake
    ) -> WorkerAction {
        if case .notifying(let then) = phase {
            phase = then == .goOn ? .idle : .ended()
            if then == .end { return .end }
        }
        guard generation == self.generation else { return stop(for: generation) }
        switch phase {
        case .delivering(let delivery):
            return checkpoint.map { .goOn(delivery, from: $0.progress) } ?? .deliver(delivery)
        case .idle: return beginNext(after: pause, intake)
        case .notifying, .ended: return stop(for: generation)
        }
    }

    /// Finds out what comes next, since nothing is in delivery.
    @inline(__always)
    private mutating func beginNext(after pause: WorkerPause = .none, _ intake: borrowing BusIntake) -> WorkerAction {
        phase = .idle
        defer { intake.publishReleased(released) }
        while true {
            if !failureNotices.isEmpty || intake.drops.hasNotice || isFlushDue,
                let action = beginWhatComesFirst(intake)
            {
                return action
            }
            if let posting = unsafe intake.mailbox.element(at: nextNumber) {
                let delivery = unsafe Delivery(posting, inSlot: nextNumber, sequence: nextSequence)
                return hasFloodLimit ? beginLimited(delivery) : pass(delivery)
            }
            if let action = beginToWait(after: pause, intake) { return action }
        }
    }

    /// Begins with what comes before the report in the next slot, if there is anything: a notice, or a flush.
    @inline(never)
    private mutating func beginWhatComesFirst(_ intake: borrowing BusIntake) -> WorkerAction? {
        if let failure = failureNotices.popFirst() { return deliver(failure) }
        // Before a notice of drops, whose action may post: what is held may be all that the bus has room for.
        if isFlushDue, let release = flood?.releaseHeld() { return deliver(Posting(release)) }
        if let drops = takeDropNotice(before: nextNumber, intake) { return deliver(drops) }
        return isFlushDue ? .flushed(takeFlushes { [nextNumber] in $0.turn <= nextNumber }) : nil
    }

    /// Finds out what to do while the next slot is empty; nil if it is filled meanwhile.
    @inline(never)
    private mutating func beginToWait(after pause: WorkerPause, _ intake: borrowing BusIntake) -> WorkerAction? {
        if let release = releaseHeld(after: pause, isClosed: intake.state.isClosed) { return deliver(Posting(release)) }
        if endIfDone(intake) { return .end }
        if case .none = pause { return .wait(for: nextNumber) }
        guard intake.mailbox.sleep(at: nextNumber) else { return nil }
        return .sleep(until: flood?.nextEnd)
    }

    /// Releases a held report whose window has ended or, if the bus is about to end, any.
    private mutating func releaseHeld(
        after pause: WorkerPause, isClosed: Bool
    ) -> FloodLimiter<Posting>.Release? {
        guard let held = flood?.heldCount, held > 0 else { return nil }
        if isClosed { return flood?.release() }
        guard case .waitedUntil(let now) = pause else { return nil }
        return flood?.release(endingBy: now.nanoseconds)
    }

    /// Begins to deliver a report that is in no slot.
    private mutating func deliver(_ posting: consuming Posting) -> WorkerAction {
        let delivery = Delivery(posting, sequence: nextSequence)
        phase = .delivering(delivery)
        return .deliver(delivery)
    }

    /// Begins with the report in the next slot under a flood limit, which decides about it, unless it is a notice: that
    /// is delivered, but after what was held in windows that ended before it.
    @inline(never)
    private mutating func beginLimited(_ delivery: Delivery) -> WorkerAction {
        guard unsafe delivery.posting.pointee.escapesFloodLimit else { return .fingerprint(delivery) }
        let moment = unsafe delivery.posting.pointee.floodMoment
        return flood?.release(endingBy: moment).map { deliver(Posting($0)) } ?? pass(delivery)
    }

    /// Begins to deliver the report in the next slot.
    @inline(__always)
    private mutating func pass(_ delivery: Delivery) -> WorkerAction {
        nextNumber += 1
        phase = .delivering(delivery)
        return .deliver(delivery)
    }

    /// Lets the flood limit decide about the report in the next slot, whose fingerprint the worker has computed.
    ///
    /// If another one has to go first, the report stays in its slot, and the worker is told to compute it again.
    ///
    /// - Parameters:
    ///   - token: What the limit needs to know of the report.
    ///   - generation: The worker's.
    ///   - suppressed: Set to the report that is suppressed, if there is one.
    ///   - intake: Where the reports are.
    mutating func admit(
        _ token: FloodToken, for generation: UInt64, suppressing suppressed: inout Posting?,
        _ intake: borrowing BusIntake
    ) -> WorkerAction {
        guard generation == self.generation, let posting = unsafe intake.mailbox.element(at: nextNumber) else {
            return stop(for: generation)
        }
        defer { intake.publishReleased(released) }
        let delivery = unsafe Delivery(posting, inSlot: nextNumber, sequence: nextSequence)
        let waiting = unsafe delivery.posting.pointee.isWaitedFor ? delivery.posting.pointee.promise : nil
        let decision = flood?.admit(token, suppressing: &suppressed) {
            let moment = unsafe delivery.posting.pointee.moment
            return (delivery.take(from: intake.mailbox), moment)
        }
        switch decision {
        case .passes, nil:
            return pass(delivery)
        case .comesAfter(let release):
            return deliver(Posting(release))
        case .isHeld:
            nextNumber += 1
            if suppressed != nil { counts.suppressed += 1 }
            return waiting.map { .held($0) } ?? beginNext(intake)
        }
    }

    /// Counts the end of the report in delivery, and queues notices of its failed actions.
    ///
    /// - Parameters:
    ///   - disposition: How the report has ended.
    ///   - failures: The failures of its actions; nil if there are none.
    ///   - generation: The worker's.
    ///   - isObserved: Whether observers have to be notified.
    ///   - intake: Where the reports are.
    /// - Returns: What the worker does next.
    @inline(never)
    mutating func complete(
        _ disposition: HandleOutcome.Disposition, _ failures: [ActionFailure]?, for generation: UInt64,
        isObserved: Bool, _ intake: borrowing BusIntake
    ) -> CompletionAction {
        guard generation == self.generation, case .delivering(let delivery) = phase else {
            return .stop(unreported: unreported(failures ?? [], by: generation))
        }
        if checkpoint != nil { checkpoint = nil }
        counts.addDelivered(disposition)
        var hasToNotify = unsafe isObserved || delivery.posting.pointee.isWaitedFor
        if let failures, note(failures, of: delivery) { hasToNotify = true }
        if hasToNotify {
            phase = .notifying(then: .goOn)
            return .notify
        }
        return .goOn(beginNext(intake))
    }

    /// Queues notices of a report's failed actions; returns true if they get none, since the report is such a notice:
    /// the worker writes them to the last resort.
    @inline(never)
    private mutating func note(_ failures: [ActionFailure], of delivery: Delivery) -> Bool {
        counts.actionFailures += Int64(failures.count)
        if unsafe delivery.posting.pointee.isActionFailure { return true }
        for failure in failures {
            counts.notices += 1
            failureNotices.append(Posting(noticeOf: failure, in: unsafe delivery.posting.pointee.scope))
        }
        return false
    }

    /// Stops a worker that was replaced, or whose report was taken back.
    ///
    /// - Parameters:
    ///   - generation: The worker's.
    ///   - failures: All failed actions of its report.
    func stop(for generation: UInt64, after failures: [ActionFailure] = []) -> WorkerAction {
        .stop(unreported: unreported(failures, by: generation))
    }

    /// Returns those failures of a worker that stops which it has to report itself.
    ///
    /// If it was replaced, there are none: its successor knows of them. A shutdown knows of those actions that failed
    /// before the last checkpoint.
    private func unreported(_ failures: [ActionFailure], by generation: UInt64) -> [ActionFailure] {
        guard case .ended(let reported) = phase, generation + 1 == self.generation else { return [] }
        return Array(failures.dropFirst(reported))
    }

    // MARK: - Asynchronous actions

    /// Notes how far the report in delivery has come, and which asynchronous action is about to begin: whoever takes
    /// it over, or takes it back, has to know which of its actions have failed.
    ///
    /// - Returns: Whether the worker of the generation still has the report.
    mutating func note(_ checkpoint: Checkpoint, for generation: UInt64) -> Bool {
        guard generation == self.generation, isDelivering else { return false }
        self.checkpoint = checkpoint
        return true
    }

    /// Notes that the action has returned, or that its rule did not match; returns whether its worker still had the
    /// report.
    mutating func actionDidEnd(for generation: UInt64) -> Bool {
        guard generation == self.generation, isDelivering else { return false }
        checkpoint = checkpoint.map { .between($0.progress) }
        return true
    }

    /// Stops the worker of a generation, and returns the next one's; nil if it was stopped already.
    mutating func replaceWorker(_ generation: UInt64) -> UInt64? {
        guard generation == self.generation, !hasEnded else { return nil }
        self.generation += 1
        return self.generation
    }

    /// Finds out what has taken as long as it may: the action in flight counts as failed then, and the next worker goes
    /// on after it; a flush is over; the worker wakes for what a flood limit holds.
    mutating func timeIsUp(at now: Duration, _ intake: borrowing BusIntake) -> TimerAction {
        var action = TimerAction(timedOut: takeFlushes { $0.deadline.map { $0 <= now } ?? false })
        var moments = flushes.compactMap(\.deadline)
        if let end = flood?.nextEnd {
            if end <= now { action.wakes = isAsleep(intake) } else { moments.append(end) }
        }
        if let actionTimeLimit, case .running(let running, let began)? = checkpoint {
            if began + actionTimeLimit <= now {
                var progress = running.progress
                let overdue = ActionTimeLimitExceeded(limit: actionTimeLimit)
                progress.record(overdue, of: running.rule, running.report)
                checkpoint = .between(progress)
                generation += 1
                action.replacement = generation
            } else {
                moments.append(began + actionTimeLimit)
            }
        }
        action.next = moments.min()
        return action
    }

    // MARK: - Notices of drops

    /// Takes the notice of drops that is delivered before the report of a number.
    mutating func takeDropNotice(before number: Int64, _ intake: borrowing BusIntake) -> Posting? {
        guard let notice = intake.drops.takeNotice(before: number) else { return nil }
        // The worker was woken for it, which its slot does not know.
        _ = isAsleep(intake)
        counts.notices += 1
        let drops = takeDrops(intake, at: notice.source)
        return Posting(drops, at: notice.source, moment: notice.moment)
    }

    /// Takes the drops that no notice has reported; if more errors are dropped meanwhile, another notice follows.
    private mutating func takeDrops(_ intake: borrowing BusIntake, at source: ErrorReport.Source) -> ErrorsDropped {
        var drops: [String: Int64] = [:]
        var isMoreUnreported = intake.drops.take(into: &drops)
        // After the end nobody would deliver another notice.
        while isMoreUnreported, hasEnded { isMoreUnreported = intake.drops.take(into: &drops) }
        if isMoreUnreported { intake.drops.setNotice(DropNotice(turn: intake.accepted, source: source)) }
        counts.reportedDrops += drops.values.reduce(0, +)
        return ErrorsDropped(drops)
    }

    /// Takes the drops of which a poster has announced a notice that nobody will deliver, since the bus has ended.
    ///
    /// - Returns: The drops, and where the first of them was posted; nil if somebody else has taken the notice.
    mutating func dropsAfterEnd(
        _ intake: borrowing BusIntake
    ) -> (error: ErrorsDropped, source: ErrorReport.Source)? {
        intake.drops.takeNotice(before: .max).map { (takeDrops(intake, at: $0.source), $0.source) }
    }
}
