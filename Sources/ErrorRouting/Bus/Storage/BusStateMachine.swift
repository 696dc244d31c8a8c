/// The life of every report from the moment it is taken from the intake to its end, and of the loop that delivers
/// reports, as a plain value.
///
/// Each event is a method call that returns what the bus has to do; the bus calls the methods under a lock, and acts
/// after unlocking. Reports are taken out of the intake in `BusStateMachine+Intake.swift`; what posters do meanwhile is
/// the part of ``IntakeWord``, the other plain value. Each report reaches exactly one end:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer one of its fingerprint)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (given back by shutdown)
///                         └─ dropped                   (given back by shutdown)
struct BusStateMachine {
    let capacity: Int
    let actionTimeLimit: Duration?

    private(set) var phase = Phase.idle
    private(set) var runPhase = RunPhase.notStarted
    private(set) var counters = Counters()

    /// The number of the report to take from the intake next, unless the lane is open.
    private(set) var nextNumber: Int64
    /// The report that was taken last, if a held one has to be delivered first, or if its flood mark is not known yet.
    private var candidate: PendingReport?
    private(set) var failureNotices = FIFO<PendingReport>()
    private var flood: FloodLimiter<PendingReport>?
    private var lastSequence: UInt64

    /// The current worker's generation, raised whenever that is replaced or told to stop: events of earlier workers are
    /// ignored.
    private(set) var generation: UInt64 = 0
    private var watchdogIsOut = false
    /// Deliveries that have left the machine during the event; whoever holds the lock releases them after unlocking,
    /// since objects of the user's may be deallocated then.
    private var former: [Delivery] = []
    /// Whether what a flood limit holds is released at once, although the bus still accepts posts.
    private(set) var isWindingUp = false
    /// Whether the bus's tasks have ended, so that no more posts are accepted than there is room for.
    private var isLimited = false
    /// Whether no posts are accepted once the tasks have ended.
    private var isHurried = false
    var waiters = Waiters()

    /// - Parameters:
    ///   - capacity: How many reports may be pending.
    ///   - actionTimeLimit: How long an asynchronous action may take.
    ///   - floodLimit: How many errors of a kind pass.
    ///   - start: The first report's number; all before it count as handled.
    init(
        capacity: Int,
        actionTimeLimit: Duration?,
        floodLimit: FloodLimit? = nil,
        startingAt start: Int64 = 0
    ) {
        self.capacity = capacity
        self.actionTimeLimit = actionTimeLimit
        nextNumber = start
        lastSequence = UInt64(start)
        (counters.released, counters.handled) = (start, start)
        // Held reports take capacity: at most half of it, so that one storm does not keep everything else out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(capacity / 2, 1_024))) }
    }
}

// MARK: - Delivering

extension BusStateMachine {
    /// Returns what the worker of a generation does next, apart from the intake; nil if the machine has nothing to
    /// deliver but what a flood limit may hold.
    mutating func next(for generation: UInt64) -> WorkerAction? {
        if case .announcing(let then) = phase {
            phase = then == .goOn ? .idle : .ended(told: 0)
            if then == .end { return .end }
        }
        guard generation == self.generation else { return .stop(telling: []) }
        if case .delivering(let delivery) = phase { return .deliver(delivery.pending, from: delivery.progress) }
        if let notice = failureNotices.popFirst() { return deliver(notice) }
        if let pending = candidate.take(), let action = receive(pending) { return action }
        return nil
    }

    /// Returns the failures that nobody but the worker knows of, after its report was taken away.
    ///
    /// - Parameters:
    ///   - failures: All failed actions of the report.
    ///   - known: How many of them the report's next worker knows of; a shutdown has told of those that it knew.
    func untold(_ failures: [ActionFailure], known: Int) -> ArraySlice<ActionFailure> {
        guard case .ended(let told) = phase else { return failures.dropFirst(known) }
        return failures.dropFirst(max(known, told))
    }

    /// Whether a flood limit holds anything.
    var isHolding: Bool { flood.map { $0.heldCount > 0 } ?? false }

    /// Delivers one report that a flood limit holds and whose window has ended.
    ///
    /// Called only while the intake is empty, since what is in the intake was posted before the moment.
    ///
    /// - Parameter moment: The moment up to which windows end; nil for all windows.
    mutating func release(endingBy moment: Duration?) -> WorkerAction? {
        flood?.release(endingBy: moment?.nanoseconds).map { deliver($0) }
    }

    /// Delivers one report that a flood limit holds although its window goes on, for a flush.
    mutating func releaseHeld() -> WorkerAction? { flood?.releaseHeld().map { deliver($0) } }

    /// Delivers a notice of drops that was taken from the intake.
    mutating func receive(_ notice: PendingReport, with drops: DropCounts) -> WorkerAction {
        fill(notice, with: drops)
        return deliver(notice)
    }

    /// Delivers a report that was taken from the intake, or asks the flood limit about it.
    ///
    /// - Returns: What the worker does next; nil if the report is held, and nothing follows from that.
    mutating func receive(_ posting: Posting) -> WorkerAction? {
        nextNumber += 1
        return receive(PendingReport(posting))
    }

    private mutating func receive(_ pending: PendingReport) -> WorkerAction? {
        guard flood != nil, pending.posting.role != .notice else {
            counters.released += 1
            return deliver(pending)
        }
        guard let mark = pending.floodMark else {
            candidate = pending
            return .mark(pending)
        }
        if let release = flood?.release(toAdmit: mark) {
            candidate = pending
            return deliver(release)
        }
        guard case .isHeld(let suppressed) = flood?.admit(pending, mark) else {
            counters.released += 1
            return deliver(pending)
        }
        if suppressed != nil {
            counters.released += 1
            counters.suppressed += 1
        } else if pending.posting.promise == nil {
            return nil
        }
        return .held(pending, suppressing: suppressed)
    }

    private mutating func deliver(_ release: FloodLimiter<PendingReport>.Release) -> WorkerAction {
        counters.released += 1
        release.held.standFor(release.occurrences)
        return deliver(release.held)
    }

    private mutating func deliver(_ pending: PendingReport) -> WorkerAction {
        lastSequence += 1
        pending.deliver(as: lastSequence)
        phase = .delivering(Delivery(pending: pending))
        return .deliver(pending, from: nil)
    }

    /// Counts a notice of drops, and writes the drops into it.
    mutating func fill(_ notice: PendingReport, with drops: DropCounts) {
        counters.notices += 1
        countTold(drops)
        notice.fill(with: drops.notice)
    }

    /// Counts drops of which a notice, or the last resort, tells.
    mutating func countTold(_ drops: DropCounts) { counters.toldDrops += drops.total }

    /// The moment at which the sleeping worker has to be woken; nil if nothing is held.
    var alarm: Duration? { flood?.nextEnd }

    /// Counts the end of the report in delivery, and queues notices of its failed actions.
    ///
    /// - Parameters:
    ///   - result: The report's finished dispatch.
    ///   - generation: The worker's.
    ///   - isObserved: Whether observers have to be told of the report.
    /// - Returns: What the worker does before it asks what to do next; nil for nothing.
    mutating func complete(
        _ result: DispatchProgress,
        for generation: UInt64,
        isObserved: Bool
    ) -> WorkerAction? {
        guard generation == self.generation, case .delivering(let delivery) = phase else {
            return .stop(telling: untold(result.failures, known: 0))
        }
        leave(delivery, for: .idle)
        counters.count(result.disposition)
        var unheard: [ActionFailure] = []
        if !result.failures.isEmpty {
            counters.actionFailures += Int64(result.failures.count)
            if delivery.pending.kind == .actionFailure {
                unheard = result.failures
            } else {
                counters.failureNotices += Int64(result.failures.count)
                for failure in result.failures {
                    failureNotices.append(PendingReport(noticeOf: failure, in: delivery.pending.posting.scope))
                }
            }
        }
        if !isObserved, delivery.pending.posting.promise == nil, unheard.isEmpty { return nil }
        phase = .announcing(then: .goOn)
        return .announce(delivery.pending, result.outcome, unheard: unheard)
    }
}

// MARK: - What leaves the machine

extension BusStateMachine {
    private mutating func leave(_ delivery: Delivery, for phase: Phase) {
        former.append(delivery)
        self.phase = phase
    }

    /// Removes and returns the deliveries that have left the machine, with the last references to what was found out
    /// about their errors.
    mutating func takeFormer() -> [Delivery] { former.isEmpty ? [] : exchange(&former, with: []) }
}

// MARK: - The lane

extension BusStateMachine {
    /// Leaves the next report to the lane, and hands the flood limit, which holds nothing, over to the worker.
    ///
    /// - Returns: The report's number, its sequence number, and the flood limit.
    mutating func openLane() -> (number: Int64, sequence: UInt64, flood: FloodLimiter<PendingReport>?) {
        (nextNumber, lastSequence + 1, flood.take())
    }

    /// Counts what was delivered in the lane, which is closed or was withdrawn.
    ///
    /// - Parameters:
    ///   - stop: Where the lane was; an unadmitted report is handed over by ``postpone(_:)``.
    ///   - flood: The flood limit, which the worker gives back; nil after a shutdown, which needs it no more.
    mutating func laneClosed(at stop: DeliveryLane.Stop, _ flood: FloodLimiter<PendingReport>?) {
        // The lane was opened at `nextNumber`.
        let delivered = stop.number - nextNumber + (stop.isUnadmitted ? 0 : 1)
        counters.released += delivered
        lastSequence += UInt64(delivered)
        nextNumber = stop.number + 1
        self.flood = flood
    }

    /// Makes the report that was unadmitted in the lane the next one.
    mutating func postpone(_ pending: PendingReport) { candidate = pending }

    /// Takes over the report that was in delivery in the lane.
    ///
    /// - Parameters:
    ///   - posting: The report's posting.
    ///   - progress: How far its dispatch has come; nil if that is not known, or if it has not begun.
    mutating func deliverFromLane(_ posting: Posting, from progress: DispatchProgress? = nil) -> PendingReport {
        let pending = PendingReport(posting)
        pending.deliver(as: lastSequence)
        phase = .delivering(Delivery(pending: pending, progress: progress))
        return pending
    }

    /// Counts the end of the report that was in delivery in the lane, of which nobody has to be told.
    mutating func count(_ end: HandleOutcome.Disposition) { counters.count(end) }

    /// Notes how far the report in delivery has come: whoever takes it over, or takes it back, has to know which of its
    /// actions have failed.
    ///
    /// - Returns: Whether the worker of the generation still has the report.
    mutating func goOn(from progress: DispatchProgress, for generation: UInt64) -> Bool {
        guard generation == self.generation, case .delivering(var delivery) = phase else { return false }
        former.append(delivery)
        delivery.progress = progress
        phase = .delivering(delivery)
        return true
    }
}

// MARK: - Time limits

extension BusStateMachine {
    /// Notes the asynchronous action that is about to begin, if it may.
    mutating func actionWillBegin(_ action: SupervisedAction, at now: Duration, for generation: UInt64) -> BeginAnswer {
        guard generation == self.generation, case .delivering(var delivery) = phase else { return .superseded }
        delivery.action = (action, began: now)
        phase = .delivering(delivery)
        guard actionTimeLimit != nil, !watchdogIsOut else { return .begin }
        watchdogIsOut = true
        return .beginWatched
    }

    /// Notes that the action has returned; returns whether its worker still had the report.
    mutating func actionDidEnd(for generation: UInt64) -> Bool {
        guard generation == self.generation, case .delivering(var delivery) = phase else { return false }
        former.append(delivery)
        delivery.action = nil
        phase = .delivering(delivery)
        return true
    }

    /// Abandons the action in flight if it is overdue: it counts as failed, and the next worker goes on after it.
    mutating func watch(at now: Duration) -> WatchAnswer {
        guard let actionTimeLimit, case .delivering(var delivery) = phase, let (action, began) = delivery.action else {
            watchdogIsOut = false
            return .stop
        }
        let deadline = began + min(actionTimeLimit, BusClock.forever)
        guard now >= deadline else { return .sleep(until: deadline) }
        former.append(delivery)
        var progress = action.progress
        progress.record(ActionTimeLimitExceeded(limit: actionTimeLimit), of: action.rule, action.report)
        delivery.progress = progress
        delivery.action = nil
        phase = .delivering(delivery)
        generation += 1
        return .replaceWorker(generation: generation)
    }

    /// Stops the worker of a generation, and returns the next one's; nil if it was stopped already.
    mutating func replaceWorker(_ generation: UInt64) -> UInt64? {
        guard generation == self.generation, !hasEnded else { return nil }
        self.generation += 1
        return self.generation
    }
}

// MARK: - Ending

extension BusStateMachine {
    mutating func run() -> RunAnswer {
        switch runPhase {
        case .running: return .runsAlready
        case .returned: return .ranBefore
        case .notStarted:
            runPhase = .running
            return hasEnded ? .alreadyEnded : .start(generation: generation)
        }
    }

    mutating func runReturned() { runPhase = .returned }

    /// Ends, since everything is delivered and no more will come.
    mutating func end() { phase = .ended(told: 0) }

    /// Releases what a flood limit holds, from now on at once.
    mutating func windUp() { isWindingUp = true }

    /// Notes that the tasks have ended; returns how many more reports are accepted.
    mutating func tasksEnded() -> Int {
        isLimited = true
        return isHurried ? 0 : capacity
    }

    /// Accepts no more reports once the tasks have ended; returns whether they have.
    mutating func hurry() -> Bool {
        isHurried = true
        return isLimited
    }

    /// Gives back everything that was not delivered, and ends.
    ///
    /// - Parameters:
    ///   - rest: What was still in the intake; its notices of drops say which drops.
    ///   - isAnnouncing: Whether the worker, in the lane, is telling the observers of a report.
    mutating func giveBack(_ rest: [PendingReport], isAnnouncing: Bool) -> Leftovers {
        generation += 1
        var left = Leftovers()
        if case .delivering(let delivery) = phase {
            left.reports.append(delivery.pending)
            left.failures = (delivery.action?.running.progress ?? delivery.progress)?.failures ?? []
            leave(delivery, for: .idle)
        }
        phase = isAnnouncing || self.isAnnouncing ? .announcing(then: .stop) : .ended(told: left.failures.count)
        while let notice = failureNotices.popFirst() { left.reports.append(notice) }
        // Held reports were posted before what was still in the intake.
        while let release = flood?.release(endingBy: nil) {
            release.held.standFor(release.occurrences)
            left.reports.append(release.held)
            counters.released += 1
        }
        if let candidate = candidate.take() { left.reports.append(candidate); counters.released += 1 }
        left.reports += rest
        counters.released += Int64(rest.count { $0.kind == .posted })
        counters.givenBack += Int64(left.reports.count)
        counters.actionFailures += Int64(left.failures.count)
        return left
    }

    /// Notes that the receiver has what was taken back, before anyone hears of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, the worker ends it once it has told the observers of a report.
    mutating func leftoversWereReceived() -> Bool {
        guard isAnnouncing else { return true }
        phase = .announcing(then: .end)
        return false
    }
}
