/// The state of every report from its slot in the mailbox to its completion: which report is in delivery, which ones a
/// flood limit holds back, and which callers wait for them.
///
/// Each event is a method that returns its caller's next step; ``BusStorage`` calls the method under a lock, and the
/// caller acts after unlocking. Only events change the state. ``IntakeWord`` decides the callers' steps.
struct BusStateMachine: ~Copyable {
    /// The current work on reports that no longer wait.
    ///
    /// | in the phase | event | leads to |
    /// | --- | --- | --- |
    /// | `created` | `run` | `idle` |
    /// | `idle` | `next` | `delivering`, or, without a report, `idle` (the worker sleeps) or `ended` |
    /// | `delivering` | `complete` | `notifying`; if there is nobody to notify, as `next` in `idle` |
    /// | | `actionBegins`, `actionEnds`, `actionFails`, `timeIsUp` | `delivering` |
    /// | `notifying` | `notified` | as `next` in `idle` |
    /// | any but `ended` | `abort` | `ended` |
    enum Phase {
        /// Nothing has run the bus.
        case created
        /// The worker is about to ask for its next step, looks for a report, or sleeps.
        case idle
        /// There is a report in ``delivery``; its actions are nil if none has failed and no asynchronous one runs.
        case delivering(Actions?)
        /// The worker notifies observers, and the waiting caller, of a completed report.
        case notifying
        /// Every report is delivered or removed.
        case ended(Ending)
    }

    /// The actions of the report in delivery.
    final class Actions {
        fileprivate(set) var failures: [ActionFailure] = []
        /// The asynchronous action that runs or is about to, and the end of its time, if it has started and has a limit.
        fileprivate(set) var running: (action: RunningAction, end: Duration?)?
    }

    /// What happens after the end before anyone is told of it.
    struct Ending {
        /// Whether a shutdown passes the removed reports to their receiver.
        var returnsReports = false
        /// Whether the worker still notifies observers of a report.
        var isNotifying = false

        var isOver: Bool { !returnsReports && !isNotifying }
    }

    private(set) var phase = Phase.created
    let delivery = Delivery()
    private(set) var counts: BusCounts

    /// The number of the first report that still waits in its slot.
    private(set) var nextNumber: Int64
    private(set) var flood: FloodLimiter<Posting>?
    private(set) var failureNotices = FIFO<Posting>()
    private var flushes = FlushQueue()

    /// Whether the caller of `withErrorBus` was cancelled.
    private var isCancelled = false
    /// The number of accepted reports after which the bus closes; nil until its tasks have ended.
    private var closingNumber: Int64?

    /// - Parameters:
    ///   - capacity: The number of reports that can be pending.
    ///   - floodLimit: The limit on errors of a kind.
    ///   - start: The first report's number; all reports before it count as handled.
    init(capacity: Int, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        nextNumber = start
        counts = BusCounts(handled: start)
        // Let held reports take at most half the capacity: one flood must not keep all other reports out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(capacity / 2, 1_024))) }
    }

    // MARK: - The worker's next step

    /// The worker's next step; rare and large cases are boxed.
    enum WorkerAction: Sendable {
        /// Deliver the report in ``delivery``.
        case deliver
        /// Notify observers, and the waiting caller, of the completed report, and call `notified`.
        case notify
        /// A flood limit holds a report back: fulfill the promise of its caller, release the report that it replaces
        /// outside the lock, and call `next` again.
        indirect case held(Promise<HandleOutcome>?, suppressing: Posting?)
        /// Every error posted before these promises were created is delivered: fulfill them and call `next` again.
        case flushed([Promise<Bool>])
        /// There is no report: wait briefly for the one with this number, read the time if a flood limit needs it, and
        /// call `next` with that wait.
        case wait(for: Int64, readsTime: Bool)
        /// Sleep until woken, at the latest until the given time, and call `next`.
        indirect case sleep(until: Duration?)
        /// No more reports will come: end the bus.
        case end
        /// The bus has ended; somebody else ends it.
        case stop
    }

    /// The worker's wait before it calls `next`.
    enum WorkerPause {
        /// It hasn't waited for a report.
        case none
        /// It has waited without a flood limit, so it read no clock.
        case waited
        /// It has waited until a given time: end the flood limit's windows that are over by then.
        case waitedUntil(Duration)
    }

    /// Records that the bus runs; returns whether this is the first time, so that the caller starts the worker.
    mutating func run() -> Bool {
        guard case .created = phase else { return false }
        phase = .idle
        return true
    }

    /// Returns the next step of the worker, which has nothing in delivery.
    mutating func next(after pause: WorkerPause = .none, _ intake: borrowing BusIntake) -> WorkerAction {
        switch phase {
        case .idle: return beginNext(after: pause, intake)
        case .ended: return .stop
        case .created, .delivering, .notifying:
            assertionFailure("the worker asks for a step in the phase \(phase)")
            return .stop
        }
    }

    /// Determines the next step in the phase `idle`.
    @inline(__always)
    private mutating func beginNext(after pause: WorkerPause = .none, _ intake: borrowing BusIntake) -> WorkerAction {
        defer { intake.publishReleased(released) }
        while true {
            if !failureNotices.isEmpty || intake.drops.hasNotice || flushes.isDue(at: nextNumber)
                || closingNumber != nil, let action = beginWhatComesFirst(intake)
            {
                return action
            }
            if let action = flood == nil ? deliverNext(intake) : beginLimited(intake) { return action }
            if let action = beginToWait(after: pause, intake) { return action }
        }
    }

    /// Begins with a notice or a flush that comes before the report in the next slot, if there is one.
    @inline(never)
    private mutating func beginWhatComesFirst(_ intake: borrowing BusIntake) -> WorkerAction? {
        if let closingNumber, intake.accepted >= closingNumber { _ = intake.update { $0.close() } }
        if let failure = failureNotices.popFirst() { return deliver(failure) }
        // Release held reports before a notice of drops: its action might post, and held reports might fill the
        // capacity.
        let isFlushDue = flushes.isDue(at: nextNumber)
        if isFlushDue, let release = flood?.releaseHeld() { return deliver(Posting(release)) }
        if let drops = takeDropNotice(before: nextNumber, intake) { return deliver(drops) }
        return isFlushDue ? .flushed(takeFlushes { [nextNumber] in $0.turn <= nextNumber }) : nil
    }

    /// Begins with the report in the next slot under a flood limit, which decides about the report unless it has no
    /// kind: such a report is delivered, after those held in windows that ended before it.
    ///
    /// - Returns: The next step; nil if the slot is empty.
    @inline(never)
    private mutating func beginLimited(_ intake: borrowing BusIntake) -> WorkerAction? {
        guard let (kind, time) = intake.mailbox.read(nextNumber, { ($0.floodKind, $0.floodTime) }) else { return nil }
        guard let kind else {
            return flood?.release(endingBy: time).map { deliver(Posting($0)) } ?? deliverNext(intake)
        }
        var (suppressed, promise): (Posting?, Promise<HandleOutcome>?)
        let decision = flood?.admit(kind, at: time, suppressing: &suppressed) {
            guard let posting = intake.mailbox.take(nextNumber) else { preconditionFailure("only the worker takes") }
            nextNumber += 1
            promise = posting.promise
            return (posting, posting.moment)
        }
        switch decision {
        case .passes, nil: return deliverNext(intake)
        case .comesAfter(let release): return deliver(Posting(release))
        case .isHeld:
            if suppressed != nil { counts.suppressed += 1 }
            return .held(promise, suppressing: suppressed)
        }
    }

    /// Begins to deliver the report in the next slot; nil if the slot is empty.
    @inline(__always)
    private mutating func deliverNext(_ intake: borrowing BusIntake) -> WorkerAction? {
        guard let posting = intake.mailbox.take(nextNumber) else { return nil }
        nextNumber += 1
        return deliver(posting)
    }

    /// Determines the next step while the next slot is empty; nil if the slot is filled by then.
    @inline(never)
    private mutating func beginToWait(after pause: WorkerPause, _ intake: borrowing BusIntake) -> WorkerAction? {
        if let release = flood?.release(after: pause, isClosed: intake.state.isClosed) {
            return deliver(Posting(release))
        }
        if endIfDone(intake) { return .end }
        if case .none = pause { return .wait(for: nextNumber, readsTime: flood != nil) }
        guard intake.mailbox.sleep(at: nextNumber) else { return nil }
        return .sleep(until: flood?.nextEnd)
    }

    /// Begins to deliver a report.
    @inline(__always)
    private mutating func deliver(_ posting: consuming Posting) -> WorkerAction {
        delivery.begin(posting, sequence: nextSequence)
        phase = .delivering(nil)
        return .deliver
    }

    // MARK: - A report's completion

    /// Counts the completion of the report in delivery, queues notices of its failed actions, and begins the next one
    /// if there is nobody to notify.
    ///
    /// - Parameters:
    ///   - disposition: The report's disposition.
    ///   - isObserved: Whether there are observers.
    ///   - completed: Set to the report, which the caller releases after unlocking.
    ///   - intake: The intake with the reports.
    /// - Returns: The worker's next step.
    @inline(__always)
    mutating func complete(
        _ disposition: HandleOutcome.Disposition, isObserved: Bool, _ completed: inout Posting?,
        _ intake: borrowing BusIntake
    ) -> WorkerAction {
        let posting = delivery.end()
        guard case .delivering(let actions) = phase else {
            assert(hasEnded, "a report is completed that is not in delivery")
            completed = posting
            return .stop
        }
        counts.addDelivered(disposition)
        var hasToNotify = isObserved || posting.isWaitedFor
        if let actions, queueNotices(of: actions.failures, posting) { hasToNotify = true }
        completed = posting
        phase = hasToNotify ? .notifying : .idle
        return hasToNotify ? .notify : beginNext(intake)
    }

    /// Queues notices of a report's failed actions; returns true if there are none because the report itself is such a
    /// notice, so that the worker writes the failures to the last resort.
    @inline(never)
    private mutating func queueNotices(of failures: [ActionFailure], _ posting: Posting) -> Bool {
        if posting.isActionFailure { return !failures.isEmpty }
        for failure in failures {
            counts.notices += 1
            failureNotices.append(Posting(noticeOf: failure, in: posting.scope))
        }
        return false
    }

    /// Returns the worker's next step after it has notified everyone of a report.
    mutating func notified(_ intake: borrowing BusIntake) -> WorkerAction {
        switch phase {
        case .notifying:
            phase = .idle
            return beginNext(intake)
        case .ended(var ending):
            ending.isNotifying = false
            phase = .ended(ending)
            return ending.isOver ? .end : .stop
        case .created, .idle, .delivering:
            assertionFailure("the worker ends a notification in the phase \(phase)")
            return .stop
        }
    }

    // MARK: - Actions

    /// The actions of the report in delivery, created on first need; nil after a shutdown has removed the report.
    private var actions: Actions? {
        mutating get {
            guard case .delivering(let actions) = phase else {
                assert(hasEnded, "an action's event comes in the phase \(phase)")
                return nil
            }
            if let actions { return actions }
            let made = Actions()
            phase = .delivering(made)
            return made
        }
    }

    /// Records that the worker waits for an asynchronous action; returns whether the action may start, because no
    /// shutdown has removed its report.
    mutating func actionBegins(_ action: RunningAction) -> Bool {
        guard let actions else { return false }
        actions.running = (action, nil)
        return true
    }

    /// Records that an asynchronous action starts in its task; returns whether it may, because no shutdown has removed
    /// its report meanwhile.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - end: The end of its time; nil if it has no limit.
    mutating func actionStarts(_ action: RunningAction, until end: Duration?) -> Bool {
        guard case .delivering(let actions?) = phase, actions.running?.action === action else { return false }
        actions.running = (action, end)
        return true
    }

    /// Records that an asynchronous action has returned or thrown.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - failure: Its failure, if it has thrown.
    /// - Returns: Whether it ends in time; if not, its result is discarded.
    mutating func actionEnds(_ action: RunningAction, with failure: ActionFailure?) -> Bool {
        guard case .delivering(let actions?) = phase, actions.running?.action === action else { return false }
        actions.running = nil
        return failure.map { actionFails($0) } ?? true
    }

    /// Records that an action of the report in delivery has failed; returns whether no shutdown has removed the report.
    mutating func actionFails(_ failure: ActionFailure) -> Bool {
        guard let actions else { return false }
        actions.failures.append(failure)
        counts.actionFailures += 1
        return true
    }

    // MARK: - Time

    /// The bus's next steps when a time limit or a window might be over.
    struct TimerAction {
        /// Whether the worker must be woken because a flood limit's window has ended.
        var wakes = false
        /// An action that has exceeded its time limit, with its failure.
        var overdue: (action: RunningAction, failure: ActionFailure)?
        /// The promises of callers that have reached their deadlines: fulfill them with false.
        var timedOut: [Promise<Bool>] = []
        /// The time of the next check.
        var next: Duration?
    }

    /// Applies the limits that have passed: an action in flight counts as failed, an overdue flush is over, and the
    /// worker wakes for held reports.
    mutating func timeIsUp(at now: Duration, _ intake: borrowing BusIntake) -> TimerAction {
        var action = TimerAction(timedOut: takeFlushes { $0.deadline.map { $0 <= now } ?? false })
        var moments = flushes.deadlines
        if let end = flood?.nextEnd {
            if end <= now { action.wakes = rouse(intake) } else { moments.append(end) }
        }
        if case .delivering(let actions?) = phase, let (running, limit) = actions.running, let end = limit {
            if end > now {
                moments.append(end)
            } else {
                let failure = running.timeLimitFailure
                if actionEnds(running, with: failure) { action.overdue = (running, failure) }
            }
        }
        action.next = moments.min()
        return action
    }

    // MARK: - Notices of drops

    /// Takes the notice of drops that comes before the report with a number.
    mutating func takeDropNotice(before number: Int64, _ intake: borrowing BusIntake) -> Posting? {
        guard let drops = takeDrops(before: number, intake) else { return nil }
        // Update the state: the worker was woken for the notice, but its slot doesn't show that.
        _ = rouse(intake)
        counts.notices += 1
        return drops
    }

    /// Takes the drops of an announced notice.
    ///
    /// After the end no worker delivers the notice, so the caller writes it to the last resort.
    mutating func takeDrops(before number: Int64 = .max, _ intake: borrowing BusIntake) -> Posting? {
        guard let (drops, notice) = intake.takeDrops(before: number, hasEnded: hasEnded) else { return nil }
        counts.reportedDrops += drops.values.reduce(0, +)
        return Posting(UnboxedError(ErrorsDropped(drops)), at: notice.source, moment: notice.moment)
    }

    // MARK: - Waiting

    /// The next step of the code that flushes the bus.
    enum FlushAction {
        /// Nothing is pending: don't wait.
        case nothing
        case wait
        case wakeAndWait
    }

    /// Adds a caller that waits for every error posted before.
    ///
    /// - Parameters:
    ///   - promise: The caller's promise; the code that takes it out fulfills it.
    ///   - deadline: The end of the caller's wait; nil for no limit.
    ///   - intake: The intake with the reports.
    mutating func flush(
        _ promise: Promise<Bool>, until deadline: Duration?, _ intake: borrowing BusIntake
    ) -> FlushAction {
        if isIdle(intake) { return .nothing }
        // The count of accepted posts never falls, so appending keeps the order.
        flushes.append(.init(turn: intake.accepted, deadline: deadline, promise: promise))
        return rouse(intake) ? .wakeAndWait : .wait
    }

    /// Removes the flushes for which a closure returns true and returns their promises.
    mutating func takeFlushes(where isOver: (FlushQueue.Flush) -> Bool) -> [Promise<Bool>] {
        flushes.take(where: isOver)
    }

    // MARK: - Ending

    /// The next step of the code that closes the bus.
    enum CloseAction {
        case nothing
        case wake
        /// The bus never ran and has nothing to deliver, so the caller ends it.
        case end
    }

    /// Ends the bus if the intake is closed, every report is delivered, and no more will come; returns whether it did.
    private mutating func endIfDone(_ intake: borrowing BusIntake) -> Bool {
        guard intake.state.isClosed, intake.update({ $0.end(released: released) }) else { return false }
        phase = .ended(Ending())
        return true
    }

    /// Stops accepting posts; the pending reports are still delivered.
    mutating func close(_ intake: borrowing BusIntake) -> CloseAction {
        intake.update { $0.close() } ? didClose(intake) : .nothing
    }

    /// Stops accepting posts if nothing is pending and nothing was delivered since an earlier time; otherwise returns
    /// nil.
    ///
    /// - Parameters:
    ///   - delivered: The number of reports that were delivered at the earlier time.
    ///   - intake: The intake with the reports.
    mutating func close(ifIdleSince delivered: Int64, _ intake: borrowing BusIntake) -> CloseAction? {
        let state = intake.state
        if state.isClosed { return .nothing }
        guard isIdle(intake), counts.delivered == delivered, intake.close(ifStill: state) else { return nil }
        return didClose(intake)
    }

    private mutating func didClose(_ intake: borrowing BusIntake) -> CloseAction {
        if case .created = phase, statistics(intake).pending == 0, endIfDone(intake) { return .end }
        return rouse(intake) ? .wake : .nothing
    }

    /// Records that the tasks have ended; from now on, the bus closes after about as many more reports as its capacity.
    mutating func tasksEnded(_ intake: borrowing BusIntake) -> CloseAction {
        if isCancelled { return close(intake) }
        closingNumber = intake.accepted + Int64(intake.capacity)
        return .nothing
    }

    /// Stops accepting posts once the tasks have ended.
    mutating func cancel(_ intake: borrowing BusIntake) -> CloseAction {
        isCancelled = true
        return closingNumber == nil ? .nothing : close(intake)
    }

    /// The reports that a shutdown removed.
    struct Leftovers {
        /// The undelivered postings, the one in delivery first, with their sequence numbers.
        fileprivate(set) var postings: [(posting: Posting, sequence: UInt64)] = []
        /// The failed actions of the report in delivery, which no notice reports.
        fileprivate(set) var failures: [ActionFailure] = []
        /// The asynchronous action that runs for it.
        fileprivate(set) var action: RunningAction?

        /// The undelivered reports.
        var reports: [ErrorReport] { postings.map { $0.posting.report(sequence: $0.sequence) } }
    }

    /// Ends the bus and returns the undelivered reports; nil if the bus has already ended.
    mutating func abort(_ intake: borrowing BusIntake) -> Leftovers? {
        var (left, ending) = (Leftovers(), Ending(returnsReports: true))
        switch phase {
        case .ended: return nil
        case .delivering(let actions):
            // The worker still reads its own reference to the report.
            left.postings.append((delivery.posting, delivery.sequence))
            (left.failures, left.action) = (actions?.failures ?? [], actions?.running?.action)
        case .notifying: ending.isNotifying = true
        case .created, .idle: break
        }
        phase = .ended(ending)
        while let notice = failureNotices.popFirst() { left.postings.append((notice, 0)) }
        // Held reports were posted before the reports that are still in the intake.
        while let release = flood?.release() { left.postings.append((Posting(release), 0)) }
        let end = intake.update { $0.abort() }
        var unfilled: Int64 = 0
        for number in nextNumber...end {
            if let notice = takeDropNotice(before: number, intake) { left.postings.append((notice, 0)) }
            if number == end { break }
            if let posting = intake.mailbox.close(number) {
                left.postings.append((posting, 0))
            } else {
                // Its caller will be refused and writes it to the last resort.
                unfilled += 1
            }
        }
        nextNumber = end
        counts.removed += Int64(left.postings.count) + unfilled
        intake.publishReleased(released)
        return left
    }

    /// Records that the receiver has the removed reports, before anyone is told of the end.
    ///
    /// - Returns: Whether the caller ends the bus; if not, the worker does once it has notified the observers.
    mutating func leftoversWereReceived() -> Bool {
        guard case .ended(var ending) = phase else {
            assertionFailure("reports are returned in the phase \(phase)")
            return false
        }
        ending.returnsReports = false
        phase = .ended(ending)
        return ending.isOver
    }
}

/// The readable part of the machine's state; only events change the state.
extension BusStateMachine {
    /// Whether every report is delivered or removed; after a shutdown, the worker might still be notifying observers of
    /// a report.
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// The sequence number of the report that begins its delivery.
    var nextSequence: UInt64 { UInt64(counts.delivered + 1) }

    var isDelivering: Bool { if case .delivering = phase { true } else { false } }

    /// Whether the report with a sequence number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool { isDelivering && delivery.sequence == sequence }

    /// The error of the report in delivery.
    var errorInDelivery: UnboxedError? { isDelivering ? delivery.posting.error : nil }

    /// The number of accepted reports that no longer take capacity: completed reports and the one in delivery.
    var released: Int64 { nextNumber - Int64(flood?.heldCount ?? 0) }

    /// Whether nothing is pending and everyone was notified of the last report.
    func isIdle(_ intake: borrowing BusIntake) -> Bool {
        switch phase {
        case .delivering, .notifying: false
        case .created, .idle: statistics(intake).pending == 0
        case .ended(let ending): !ending.isNotifying
        }
    }

    /// Ends the worker's sleep; returns whether it slept, so that the caller must wake it.
    func rouse(_ intake: borrowing BusIntake) -> Bool { intake.mailbox.rouse(at: nextNumber) }

    /// The counts of the bus, which balance at every read.
    ///
    /// The machine or the intake counts each outcome and the pending reports. Posts that arrive during the read are
    /// left out.
    func statistics(_ intake: borrowing BusIntake) -> ErrorBus.Statistics {
        let overflowed = counts.reportedDrops + intake.drops.unreported
        // Read it before the count of accepted reports: there must not be more lost reports than accepted ones.
        let refused = intake.refused
        // No worker delivers a notice that is announced after the end.
        let hasDropNotice = !hasEnded && intake.drops.hasNotice
        let accepted = intake.accepted
        let notices = counts.notices + (hasDropNotice ? 1 : 0)
        let waitingNotices = Int64(failureNotices.count) + (hasDropNotice ? 1 : 0)
        let dropped = overflowed + refused + counts.removed
        let pending = accepted - released + waitingNotices + (isDelivering ? 1 : 0)
        // `Int` has 32 bits on some systems.
        return ErrorBus.Statistics(
            posted: Int(clamping: accepted + overflowed + refused + notices),
            handled: Int(clamping: counts.handled), ignored: Int(clamping: counts.ignored),
            unmatched: Int(clamping: counts.unmatched), suppressed: Int(clamping: counts.suppressed),
            dropped: Int(clamping: dropped), pending: Int(clamping: pending),
            actionFailures: Int(clamping: counts.actionFailures))
    }
}

/// The callers that wait until every error posted before is delivered, in the order of their turns.
struct FlushQueue {
    /// A waiting caller.
    struct Flush {
        /// The number before which all reports must be delivered.
        let turn: Int64
        /// The end of the caller's wait; nil for no limit.
        let deadline: Duration?
        let promise: Promise<Bool>
    }

    private var flushes: [Flush] = []

    /// Adds a caller; its turn must not be earlier than those before.
    mutating func append(_ flush: Flush) { flushes.append(flush) }

    /// Removes the callers for which a closure returns true and returns their promises.
    mutating func take(where isOver: (Flush) -> Bool) -> [Promise<Bool>] {
        defer { flushes.removeAll(where: isOver) }
        return flushes.filter(isOver).map(\.promise)
    }

    /// Whether a caller waits only for reports before a number.
    func isDue(at number: Int64) -> Bool { !flushes.isEmpty && flushes[0].turn <= number }

    /// The times at which the callers' waits end.
    var deadlines: [Duration] { flushes.compactMap(\.deadline) }
}

/// The outcome counts of a bus, except those that the intake counts; 64 bits wide on all systems, because they grow as
/// long as the bus lives.
///
/// Each report has exactly one completion:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer one of its kind)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (removed by shutdown)
///                         └─ dropped                   (removed by shutdown)
struct BusCounts {
    /// At the beginning, the number of reports before the first one.
    private(set) var handled: Int64
    private(set) var ignored: Int64 = 0
    private(set) var unmatched: Int64 = 0
    var suppressed: Int64 = 0
    /// The posted notices of drops and of failures.
    var notices: Int64 = 0
    /// Dropped errors that a notice or the last resort has reported.
    var reportedDrops: Int64 = 0
    /// Reports that a shutdown removed, or that were still being posted then.
    var removed: Int64 = 0
    var actionFailures: Int64 = 0

    init(handled: Int64) { self.handled = handled }

    /// The number of delivered reports.
    var delivered: Int64 { handled + ignored + unmatched }

    mutating func addDelivered(_ disposition: HandleOutcome.Disposition) {
        switch disposition {
        case .ignored: ignored += 1
        case .unmatched: unmatched += 1
        default: handled += 1
        }
    }
}
