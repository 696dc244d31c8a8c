/// The state of every report from its slot in the mailbox to its completion.
///
/// It stores which report is in delivery, which reports a flood limit holds back, and which callers wait for them. Each
/// event is a method that returns its caller's next step; ``BusStorage`` calls the method under a lock, and the caller
/// acts after unlocking. Only events change the state, apart from the list of observers. ``IntakeWord`` decides the
/// callers' steps.
struct BusStateMachine: ~Copyable {
    /// What the bus is doing with the report that it has taken from the queue.
    ///
    /// | in the phase | event | next phase |
    /// | --- | --- | --- |
    /// | `created` | `run` | `idle` |
    /// | | `close`, without pending reports | `ended` |
    /// | `idle` | `next` | `delivering`; without a report, or if a flood limit holds it, `idle`; at the end, `ended` |
    /// | `delivering` | `complete` | `notifying`; if nobody must be notified, same as `next` in `idle` |
    /// | | `actionStarts`, `actionEnds`, `actionFails`, `timeIsUp`, a successor's `next` | `delivering` |
    /// | `notifying` | `next` | same as `next` in `idle` |
    /// | any but `ended` | `abort` | `ended` |
    /// | `ended` | `leftoversWereReceived`, `next` after a notification | `ended`, awaiting one party less |
    enum Phase: Equatable {
        /// The bus has never been run.
        case created
        /// The worker is about to call `next`, is looking for a report, or is sleeping.
        case idle
        /// There is a report in ``delivery``.
        case delivering
        /// The worker is notifying observers and the waiting caller of a completed report.
        case notifying
        /// Every report is delivered or removed; everyone is notified of the end when these parties have finished.
        case ended(awaiting: Parties)
    }

    /// The parties that might still be at work after the bus's end.
    struct Parties: OptionSet {
        let rawValue: UInt8

        /// A shutdown, which is passing the removed reports to their receiver.
        static let shutdown = Parties(rawValue: 1)
        /// The worker, which is notifying observers of a report.
        static let worker = Parties(rawValue: 2)
    }

    /// A pending notice of drops.
    struct DropNotice {
        /// The number of the report that follows the notice.
        let number: Int64
        /// The source of the first dropped error.
        let source: ErrorReport.Source
        let moment = Moment()
    }

    private let intakePlace: Place<BusIntake>
    /// The callers' side of the bus, whose storage owns it.
    private var intake: BusIntake { @inline(__always) _read { yield intakePlace.value } }
    private(set) var phase = Phase.created
    /// The report in the phase `delivering`; it is an object so that the worker can read the report without the lock.
    let delivery = Delivery()
    private(set) var counts: BusCounts
    private(set) var ruleTally = RuleTally()
    /// The observers of the bus and of its scopes; after the end, new observers are finished instead of added.
    var observers: [ReportObserver] = []

    /// The number of the first report that is still in its slot.
    private(set) var nextNumber: Int64
    private(set) var flood: FloodLimiter?
    private(set) var failureNotices = FIFO<Posting>()
    private(set) var dropNotice: DropNotice?
    private var flushes = FlushQueue()

    /// The number of accepted reports at which the bus closes, because its tasks have ended; nil before that.
    private var lastNumber: Int64?
    /// The failures of the actions for the report in delivery.
    private var failures: [ActionFailure] = []
    /// The asynchronous action that is running for the report in delivery, and the time at which its limit, if any,
    /// expires.
    private var running: (action: RunningAction, end: Duration?)?

    /// Creates the state of a bus with an intake and a flood limit; reports before the start number count as handled.
    init(_ intake: Place<BusIntake>, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        intakePlace = intake
        nextNumber = start
        counts = BusCounts(handled: start)
        // Let held reports take at most half the capacity: one flood must not keep all other reports out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(intake.value.capacity / 2, 1_024))) }
    }

    // MARK: - The worker's next step

    /// The worker's next step; payloads of rare and large cases are boxed.
    enum WorkerAction: Sendable {
        /// Deliver the report in ``delivery``.
        case deliver
        /// A flood limit holds back a report.
        ///
        /// Fulfill the promise of its caller, release the report that it replaces outside the lock, and call `next`
        /// again.
        indirect case held(Promise<HandleOutcome>?, suppressing: Posting?)
        /// Every error posted before these promises were created is delivered: fulfill them and call `next` again.
        case flushed([Promise<Bool>])
        /// There is no report.
        ///
        /// Wait briefly for the report with this number, and call `next` with the time. If the time isn't needed,
        /// because no report is held, it can be 0.
        case wait(for: Int64, needsTime: Bool)
        /// Sleep until the worker is woken or the given time is reached, and call `next`.
        indirect case sleep(until: Duration?)
        /// No more reports will be posted: end the bus.
        case end
        /// The bus has ended; other code notifies everyone.
        case stop
    }

    /// Records that the bus runs; returns whether this is the first time, in which case the caller starts the worker.
    mutating func run() -> Bool {
        guard case .created = phase else { return false }
        phase = .idle
        return true
    }

    /// Returns the next step of the worker.
    ///
    /// If there is a report in delivery, the worker is a successor, because the former worker stopped before the
    /// dispatch. If the worker had to notify observers or callers of a report, it has done so. If it has just waited for
    /// a report, it passes the time.
    mutating func next(waitedUntil now: Duration? = nil) -> WorkerAction {
        switch phase {
        case .idle: return beginNext(waitedUntil: now)
        case .delivering: return .deliver
        case .notifying:
            phase = .idle
            return beginNext()
        case .ended(let parties): return parties.contains(.worker) && hasFinished(.worker) ? .end : .stop
        case .created:
            assertionFailure("the worker asks for a step of a bus that hasn't been run")
            return .stop
        }
    }

    /// Determines the next step in the phase `idle`.
    @inline(__always)
    private mutating func beginNext(waitedUntil now: Duration? = nil) -> WorkerAction {
        defer { intake.publishReleased(released) }
        while true {
            if !failureNotices.isEmpty || dropNotice != nil || flushes.isDue(at: nextNumber)
                || lastNumber != nil, let action = beginWhatComesFirst()
            {
                return action
            }
            if let action = flood == nil ? beginNextDelivery() : beginLimited() { return action }
            if let action = beginToWait(waitedUntil: now) { return action }
        }
    }

    /// Begins with a notice or a flush that must precede the report in the next slot; nil if there is neither.
    @inline(never)
    private mutating func beginWhatComesFirst() -> WorkerAction? {
        if let lastNumber, intake.accepted >= lastNumber { _ = intake.close() }
        if let failure = failureNotices.popFirst() { return beginDelivery(failure) }
        // Deliver held reports before a notice of drops: the notice's action might post errors, and held
        // reports might fill the capacity.
        let isFlushDue = flushes.isDue(at: nextNumber)
        if isFlushDue, let held = flood?.takeFirstHeld() { return beginDelivery(held) }
        if let drops = takeDrops(before: nextNumber) {
            // End the worker's sleep in the state: it was woken for the notice, but the slot doesn't show that.
            _ = endSleep()
            counts.notices += 1
            return beginDelivery(drops)
        }
        return isFlushDue ? .flushed(flushes.takeDue(at: nextNumber)) : nil
    }

    /// Begins the next report under a flood limit; returns nil if the slot is empty.
    ///
    /// The limit decides unless the report has no kind. Before such a report, reports held in windows that have already
    /// ended are delivered.
    @inline(never)
    private mutating func beginLimited() -> WorkerAction? {
        guard let (kind, time) = intake.mailbox.read(nextNumber, { ($0.floodKind, $0.floodTime) }) else { return nil }
        guard let kind else {
            return flood?.removeWindows(endingBy: time).map { beginDelivery($0) } ?? beginNextDelivery()
        }
        switch flood?.admit(kind, at: time) {
        case .passes, nil: return beginNextDelivery()
        case .comesAfter(let held): return beginDelivery(held)
        case .holds(let window):
            guard let posting = intake.mailbox.take(nextNumber) else { preconditionFailure("only the worker takes") }
            nextNumber += 1
            let promise = posting.promise
            let suppressed = flood?.hold(posting, in: window)
            if suppressed != nil { counts.suppressed += 1 }
            return .held(promise, suppressing: suppressed)
        }
    }

    /// Begins to deliver the report in the next slot; returns nil if the slot is empty.
    @inline(__always)
    private mutating func beginNextDelivery() -> WorkerAction? {
        guard let posting = intake.mailbox.take(nextNumber) else { return nil }
        nextNumber += 1
        return beginDelivery(posting)
    }

    /// Determines the next step while the next slot is empty; returns nil if the slot has been filled by then.
    @inline(never)
    private mutating func beginToWait(waitedUntil now: Duration?) -> WorkerAction? {
        let isClosed = intake.state.isClosed
        if let held = flood?.takeHeld(at: now, isClosed: isClosed) { return beginDelivery(held) }
        if endIfDone() { return .end }
        if now == nil { return .wait(for: nextNumber, needsTime: flood?.nextEnd != nil) }
        guard intake.mailbox.sleep(at: nextNumber) else { return nil }
        return .sleep(until: flood?.nextEnd)
    }

    /// Begins to deliver a report.
    @inline(__always)
    private mutating func beginDelivery(_ posting: consuming Posting) -> WorkerAction {
        delivery.begin(posting, sequence: nextSequence)
        phase = .delivering
        return .deliver
    }

    // MARK: - A report's completion

    /// The worker's next step after a report's rules; the report is released outside the lock.
    enum Completion {
        /// Neither observers nor a waiting caller must be notified.
        case next(WorkerAction, releasing: Posting)
        /// Notify the observers and the waiting caller, if any, and call `next`.
        case notify([ReportObserver], of: Posting)
    }

    /// Counts the completion of the report in delivery and queues notices about its failed actions.
    ///
    /// The given rule decided the report; it is nil if no rule matched.
    @inline(__always)
    mutating func complete(_ decision: Decision, by rule: Borrowed<Rule>?) -> Completion {
        let posting = delivery.end()
        guard isDelivering else {
            assert(hasEnded, "a report is completed that is not in delivery")
            return .next(.stop, releasing: posting)
        }
        counts.addDelivered(decision)
        if let rule { ruleTally.count(rule) }
        var hasToNotify = !observers.isEmpty || posting.promise != nil
        if !failures.isEmpty, queueNotices(of: exchange(&failures, with: []), posting) { hasToNotify = true }
        phase = hasToNotify ? .notifying : .idle
        return hasToNotify ? .notify(observers, of: posting) : .next(beginNext(), releasing: posting)
    }

    /// Queues a notice for each failed action of a report.
    ///
    /// If the report is itself such a notice, no notices are queued, and the result is true if there are failures: the
    /// worker then writes them to the last resort.
    @inline(never)
    private mutating func queueNotices(of failures: [ActionFailure], _ posting: Posting) -> Bool {
        if posting.isActionFailure { return !failures.isEmpty }
        for failure in failures {
            counts.notices += 1
            failureNotices.append(Posting(noticeOf: failure, in: posting.scope))
        }
        return false
    }

    // MARK: - Actions

    /// Whether the report in delivery hasn't been removed by a shutdown.
    private var isStillDelivering: Bool {
        assert(isDelivering || hasEnded, "an action's event comes in the phase \(phase)")
        return isDelivering
    }

    /// Records that an asynchronous action starts in its task, and when its time limit, if any, expires.
    ///
    /// Returns false if a shutdown has removed the action's report by then, so that the action must not start.
    mutating func actionStarts(_ action: RunningAction, until end: Duration?) -> Bool {
        guard isStillDelivering else { return false }
        running = (action, end)
        return true
    }

    /// Records how an asynchronous action has ended.
    ///
    /// Returns whether it ended in time; if it didn't, its result is discarded.
    mutating func actionEnds(_ action: RunningAction, _ end: ActionEnd) -> Bool {
        guard running?.action === action else { return false }
        running = nil
        return if case .failed(let failure) = end { actionFails(failure) } else { true }
    }

    /// Records that an action of the report in delivery has failed; returns false if a shutdown has removed the report.
    mutating func actionFails(_ failure: ActionFailure) -> Bool {
        guard isStillDelivering else { return false }
        failures.append(failure)
        counts.actionFailures += 1
        return true
    }

    // MARK: - Time

    /// The bus's next step when a time limit might have expired or a window might have ended.
    enum TimerAction {
        case nothing
        /// Set the alarm to this time.
        case wait(until: Duration)
        /// A flood limit's window has ended: wake the worker.
        case wake
        /// This action has exceeded its time limit and counts as failed.
        case abandon(RunningAction, ActionEnd)
    }

    /// Applies the limit that is in effect: the time limit of the running action or, while no action runs, the window
    /// of a held report.
    ///
    /// The worker sets the alarm for the window again before it sleeps.
    mutating func timeIsUp(at now: Duration) -> TimerAction {
        guard let limit = running == nil ? flood?.nextEnd : running?.end else { return .nothing }
        if limit > now { return .wait(until: limit) }
        guard let action = running?.action else { return endSleep() ? .wake : .nothing }
        let end = ActionEnd.failed(action.timeLimitFailure)
        _ = actionEnds(action, end)
        return .abandon(action, end)
    }

    // MARK: - Notices of drops

    /// Announces a notice of drops, which follows all reports accepted so far.
    ///
    /// The source is that of the first dropped error. After the end, no worker will deliver a notice, so the caller
    /// must write the drops to the last resort.
    mutating func announceDrops(at source: ErrorReport.Source) -> BusStorage.DropAction {
        assert(dropNotice == nil, "a notice is announced while another notice is pending")
        dropNotice = DropNotice(number: intake.accepted, source: source)
        return hasEnded ? takeDrops().map { .write($0) } ?? .nothing : .wake
    }

    /// Takes the notice of drops that comes before the report with a given number; nil if there is none.
    ///
    /// A caller that delivers or returns the notice as a report must count it. If more errors are dropped during the
    /// call, another notice follows; after the end, this notice includes them.
    mutating func takeDrops(before number: Int64 = .max) -> Posting? {
        guard let notice = dropNotice, notice.number <= number else { return nil }
        var drops: [String: Int64] = [:]
        var isMoreDropped = intake.drops.take(into: &drops)
        while isMoreDropped, hasEnded { isMoreDropped = intake.drops.take(into: &drops) }
        dropNotice = isMoreDropped ? DropNotice(number: intake.accepted, source: notice.source) : nil
        counts.reportedDrops += drops.values.reduce(0, +)
        return Posting(UnboxedError(ErrorsDropped(drops)), at: notice.source, moment: notice.moment)
    }

    // MARK: - Waiting

    /// The next step of the code that flushes the bus.
    enum FlushAction {
        /// There are no pending reports: don't wait.
        case nothing
        case wait
        case wakeAndWait
    }

    /// Adds a caller that waits until every error posted so far is delivered.
    ///
    /// The code that removes the caller's promise from the queue must fulfill it.
    mutating func flush(_ promise: Promise<Bool>) -> FlushAction {
        if isIdle { return .nothing }
        // Append the flush: the count of accepted posts never decreases, so the numbers stay in order.
        flushes.append(promise, at: intake.accepted)
        return endSleep() ? .wakeAndWait : .wait
    }

    /// Removes a caller that no longer waits.
    mutating func removeFlush(_ promise: Promise<Bool>) { flushes.remove(promise) }

    /// Removes and returns the promises of all waiting callers when the bus ends.
    ///
    /// Their flushes have succeeded unless a shutdown removed reports.
    mutating func takeFlushesAtEnd() -> (promises: [Promise<Bool>], haveSucceeded: Bool) {
        (flushes.takeDue(at: .max), counts.removed == 0)
    }

    // MARK: - Ending

    /// The next step of the code that closes the bus.
    enum CloseAction {
        case nothing
        case wake
        /// The bus has never been run and has no reports, so the caller must end it.
        case end
    }

    /// Ends the bus if the intake is closed and every report is delivered; returns whether the bus has ended.
    private mutating func endIfDone() -> Bool {
        let state = intake.state
        guard state.isClosed, state.accepted == released else { return false }
        phase = .ended(awaiting: [])
        return true
    }

    /// Stops accepting posts; the pending reports are still delivered.
    mutating func close() -> CloseAction {
        intake.close() ? didClose() : .nothing
    }

    /// Stops accepting posts if no report is pending and the number of delivered reports hasn't changed.
    ///
    /// If there are pending reports or the number has changed, it returns nil.
    mutating func close(ifIdleSince delivered: Int64) -> CloseAction? {
        let state = intake.state
        if state.isClosed { return .nothing }
        guard isIdle, counts.delivered == delivered, intake.close(ifStill: state) else { return nil }
        return didClose()
    }

    private mutating func didClose() -> CloseAction {
        if case .created = phase, statistics.pending == 0, endIfDone() { return .end }
        return endSleep() ? .wake : .nothing
    }

    /// Records that the bus's tasks have ended; the bus then closes after about as many more reports as its capacity.
    mutating func tasksEnded() { lastNumber = intake.accepted + Int64(intake.capacity) }

    /// Stops accepting posts if the bus's tasks have ended.
    mutating func closeAfterTasks() -> CloseAction { lastNumber == nil ? .nothing : close() }

    /// The reports that a shutdown removed.
    struct Leftovers {
        /// The undelivered postings; the posting in delivery is first.
        fileprivate(set) var postings: [Posting] = []
        /// The sequence number of the posting in delivery; 0 if there is none.
        fileprivate(set) var sequence: UInt64 = 0
        /// The failures of the report in delivery, about which no notices are queued.
        fileprivate(set) var failures: [ActionFailure] = []
        /// The asynchronous action that is running for that report.
        fileprivate(set) var action: RunningAction?

        /// The undelivered reports.
        var reports: [ErrorReport] { postings.indices.map(report) }

        /// Returns the report of a posting.
        func report(at index: Int) -> ErrorReport { postings[index].report(sequence: index == 0 ? sequence : 0) }
    }

    /// Ends the bus and returns the undelivered reports; nil if the bus has already ended.
    mutating func abort() -> Leftovers? {
        var (left, parties) = (Leftovers(), Parties.shutdown)
        switch phase {
        case .ended: return nil
        case .delivering:
            // Keep the report in `delivery`: the worker still reads its own reference to it.
            (left.postings, left.sequence) = ([delivery.posting], delivery.sequence)
            (left.failures, left.action) = (exchange(&failures, with: []), running.take()?.action)
        case .notifying: parties.insert(.worker)
        case .created, .idle: break
        }
        phase = .ended(awaiting: parties)
        delivery.removeReport()
        while let notice = failureNotices.popFirst() { left.postings.append(notice) }
        // Add held reports first: they were posted before the reports that are still in the intake.
        while let held = flood?.removeWindows() { left.postings.append(held) }
        _ = intake.close()
        let end = intake.accepted
        var unfilled: Int64 = 0
        // Include `end`, which has no report: its turn only takes the last notice of drops.
        for number in nextNumber...end {
            if let drops = takeDrops(before: number) {
                counts.notices += 1
                left.postings.append(drops)
            }
            if number == end { break }
            if let posting = intake.mailbox.close(number) {
                left.postings.append(posting)
            } else {
                // Count the empty slot: its caller will be refused and will write the error to the last resort.
                unfilled += 1
            }
        }
        nextNumber = end
        counts.removed += Int64(left.postings.count) + unfilled
        intake.publishReleased(released)
        return left
    }

    /// Records that the removed reports were received, before anyone is notified of the end.
    ///
    /// Returns whether the caller must end the bus; if not, the worker ends it after it has notified the observers.
    mutating func leftoversWereReceived() -> Bool { hasFinished(.shutdown) }

    /// Records that a party has finished after the bus's end; returns whether it was the last.
    private mutating func hasFinished(_ party: Parties) -> Bool {
        guard case .ended(let parties) = phase else {
            assertionFailure("a party finishes in the phase \(phase)")
            return false
        }
        phase = .ended(awaiting: parties.subtracting(party))
        return parties == party
    }
}

/// The readable part of the state.
extension BusStateMachine {
    /// Whether every report is delivered or removed.
    ///
    /// After a shutdown, the worker might still be notifying observers of a report.
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// The sequence number of the next report to be delivered.
    var nextSequence: UInt64 { UInt64(counts.delivered + 1) }

    var isDelivering: Bool { if case .delivering = phase { true } else { false } }

    /// Whether the worker is running a report's rules or notifying observers and the waiting caller of a report.
    var isBusy: Bool {
        switch phase {
        case .delivering, .notifying: true
        case .created, .idle: false
        case .ended(let parties): parties.contains(.worker)
        }
    }

    /// Whether the report with a sequence number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool { isDelivering && delivery.sequence == sequence }

    /// The error of the report in delivery.
    var errorInDelivery: UnboxedError? { isDelivering ? delivery.posting.error : nil }

    /// The number of accepted reports that no longer take capacity: completed reports and the report in delivery.
    var released: Int64 { nextNumber - Int64(flood?.heldCount ?? 0) }

    /// Whether no reports are pending and everyone was notified of the last report.
    var isIdle: Bool { !isBusy && statistics.pending == 0 }

    /// Ends the worker's sleep; returns whether it was sleeping, so that the caller must wake it.
    func endSleep() -> Bool { intake.mailbox.endSleep(at: nextNumber) }

    /// The counts of the bus, which balance on every read.
    ///
    /// The machine or the intake counts each outcome and the pending reports. Posts that arrive during the read aren't
    /// included.
    var statistics: ErrorBus.Statistics {
        let overflowed = counts.reportedDrops + intake.drops.unreported
        // Read this before the count of accepted reports: lost reports must not outnumber accepted reports.
        let refused = intake.refused
        let hasDropNotice = dropNotice != nil
        let accepted = intake.accepted
        let notices = counts.notices + (hasDropNotice ? 1 : 0)
        let waitingNotices = Int64(failureNotices.count) + (hasDropNotice ? 1 : 0)
        let dropped = overflowed + refused + counts.removed
        let pending = accepted - released + waitingNotices + (isDelivering ? 1 : 0)
        // Clamp the counts: `Int` is 32 bits wide on some systems.
        return ErrorBus.Statistics(
            posted: Int(clamping: accepted + overflowed + refused + notices),
            handled: Int(clamping: counts.handled), ignored: Int(clamping: counts.ignored),
            unmatched: Int(clamping: counts.unmatched), suppressed: Int(clamping: counts.suppressed),
            dropped: Int(clamping: dropped), pending: Int(clamping: pending),
            actionFailures: Int(clamping: counts.actionFailures))
    }
}
