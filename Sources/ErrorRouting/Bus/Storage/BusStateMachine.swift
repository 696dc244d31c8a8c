/// The life of every report from the moment it is taken from the intake to its end, and of the loop that delivers them,
/// as a plain value.
///
/// Events are method calls, and what they return is what is to be done; the bus calls them under a lock, and acts after
/// unlocking. What posters do meanwhile is the ``IntakeWord``'s part, the other plain value; counters move in
/// these two alone. Each report reaches exactly one end:
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
    /// The report that was taken last, if a held one has to go first, or if its kind has to be asked for.
    private var candidate: PendingReport?
    private(set) var failureNotices = FIFO<PendingReport>()
    private var flood: FloodLimiter<PendingReport>?
    private var lastSequence: UInt64

    /// Raised whenever the worker is replaced or told to stop: what earlier ones still report counts for nothing.
    private(set) var generation: UInt64 = 0
    private var watchdogIsOut = false
    /// The moment for which the flood limit's alarm is set.
    private var alarm: Duration?
    /// Whether what a flood limit holds is let go at once, although the bus still accepts.
    private(set) var isWindingUp = false
    /// Whether no more is accepted than there is room for, since the tasks have ended.
    private var isLimited = false
    /// Whether nothing more is to be accepted once the tasks have ended.
    private var isHurried = false
    /// Who waits for what is pending.
    var waiters = BusWaiters()

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
        // What is held takes capacity: at most half of it, so that one storm does not keep everything else out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(capacity / 2, 1_024))) }
    }
}

// MARK: - Delivering

extension BusStateMachine {
    /// Everything is delivered or taken back, though observers may still be being told of the last report.
    var hasEnded: Bool {
        switch phase {
        case .ended, .announcing(then: .stop), .announcing(then: .end): true
        case .idle, .delivering, .announcing(then: .goOn): false
        }
    }

    var isDelivering: Bool { if case .delivering = phase { true } else { false } }
    var isAnnouncing: Bool { if case .announcing = phase { true } else { false } }

    /// Whether the report of a number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool {
        if case .delivering(let delivery) = phase { delivery.pending.sequence == sequence } else { false }
    }

    /// What the worker of a generation does next; nil if nothing is in hand but what a flood limit may hold: look into
    /// the intake, sleep, or end.
    mutating func next(for generation: UInt64) -> WorkerAction? {
        if case .announcing(let then) = phase {
            phase = then == .goOn ? .idle : .ended(told: 0)
            if then == .end { return .end }
        }
        guard generation == self.generation else { return .stop(telling: []) }
        if case .delivering(let delivery) = phase { return .deliver(delivery.pending, from: delivery.progress) }
        if let notice = failureNotices.popFirst() { return deliver(notice) }
        if let pending = candidate.take(), let action = take(pending) { return action }
        return nil
    }

    /// What has failed at a report that was taken away from its worker, and nobody else knows of.
    ///
    /// - Parameters:
    ///   - failures: What has failed.
    ///   - known: How many of them whoever goes on with the report knows of; a shutdown has told of what it knew.
    func untold(_ failures: [ActionFailure], known: Int) -> ArraySlice<ActionFailure> {
        guard case .ended(let told) = phase else { return failures.dropFirst(known) }
        return failures.dropFirst(max(known, told))
    }

    /// Whether a flood limit holds anything.
    var isHolding: Bool { flood.map { $0.heldCount > 0 } ?? false }

    /// Lets go of one report that a flood limit holds; for when the intake is empty, since what is in there was posted
    /// before the moment.
    ///
    /// - Parameter moment: Up to when windows end; nil for all of them.
    mutating func release(endingBy moment: Duration?) -> WorkerAction? {
        flood?.release(endingBy: moment?.nanoseconds).map { deliver($0) }
    }

    /// Lets go of one report that a flood limit holds, whose window goes on; for who waits for what was posted before.
    mutating func releaseHeld() -> WorkerAction? { flood?.releaseHeld().map { deliver($0) } }

    /// A notice of drops was taken from the intake, and has its turn.
    mutating func take(_ notice: PendingReport, telling drops: DropCounts) -> WorkerAction {
        tell(drops, by: notice)
        return deliver(notice)
    }

    /// A report was taken from the intake.
    ///
    /// - Returns: What the worker does next; nil if the report is held, and none before it was suppressed.
    mutating func take(_ posting: Posting) -> WorkerAction? {
        nextNumber += 1
        return take(PendingReport(posting))
    }

    private mutating func take(_ pending: PendingReport) -> WorkerAction? {
        guard flood != nil else {
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
        guard let suppressed else { return nil }
        counters.released += 1
        counters.suppressed += 1
        return .suppressed(suppressed)
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

    /// A notice says what it has to say.
    mutating func tell(_ drops: DropCounts, by notice: PendingReport) {
        counters.notices += 1
        told(of: drops)
        notice.tell(drops.notice)
    }

    /// Somebody has been told of drops, or will be.
    mutating func told(of drops: DropCounts) { counters.toldDrops += drops.total }

    /// When the worker, which is about to sleep, has to be woken; nil if nothing is held, or if that is arranged.
    mutating func nextAlarm() -> Duration? {
        guard alarm == nil, let end = flood?.nextEnd else { return nil }
        alarm = end
        return end
    }

    /// The alarm has rung.
    mutating func alarmRang() { alarm = nil }

    /// The worker of a generation is through with the report in delivery.
    ///
    /// - Parameters:
    ///   - result: How far it has come: to the end.
    ///   - generation: The worker's.
    ///   - isObserved: Whether anyone has to be told of the report.
    /// - Returns: What is to be done before the worker asks what to do next; nil for nothing.
    mutating func complete(
        _ result: DispatchProgress,
        for generation: UInt64,
        isObserved: Bool
    ) -> WorkerAction? {
        guard generation == self.generation, case .delivering(let delivery) = phase else {
            return .stop(telling: untold(result.failures, known: 0))
        }
        phase = .idle
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

// MARK: - The lane

extension BusStateMachine {
    /// The report that would be taken next is delivered in the lane, where the flood limit, which holds nothing, is the
    /// worker's own.
    ///
    /// - Returns: Its number, its place in the order of delivery, and the flood limit.
    mutating func beginInLane() -> (number: Int64, sequence: UInt64, flood: FloodLimiter<PendingReport>?) {
        (nextNumber, lastSequence + 1, flood.take())
    }

    /// The lane is closed, or was withdrawn.
    ///
    /// - Parameters:
    ///   - stop: Where it was; what is unadmitted is handed over by ``postpone(_:)``.
    ///   - flood: What the worker gives back; nil where a shutdown has come in between, and it is of no more use.
    mutating func laneClosed(at stop: DeliveryLane.Stop, _ flood: FloodLimiter<PendingReport>?) {
        // It was opened at `nextNumber`.
        let delivered = stop.number - nextNumber + (stop.isUnadmitted ? 0 : 1)
        counters.released += delivered
        lastSequence += UInt64(delivered)
        nextNumber = stop.number + 1
        self.flood = flood
    }

    /// The report that was unadmitted in the lane has its turn next.
    mutating func postpone(_ pending: PendingReport) { candidate = pending }

    /// The report that was in delivery in the lane is in delivery here.
    ///
    /// - Parameters:
    ///   - posting: What was posted.
    ///   - progress: How far it came; nil if that is not known, or if it is not begun.
    mutating func deliverFromLane(_ posting: Posting, from progress: DispatchProgress? = nil) -> PendingReport {
        let pending = PendingReport(posting)
        pending.deliver(as: lastSequence)
        phase = .delivering(Delivery(pending: pending, progress: progress))
        return pending
    }

    /// The report that was in delivery in the lane has come to its end, of which nobody has to be told.
    mutating func count(_ end: HandleOutcome.Disposition) { counters.count(end) }

    /// The report in delivery goes on from here: whoever takes it over, or takes it back, has to know what has failed.
    mutating func goOn(from progress: DispatchProgress, for generation: UInt64) {
        guard generation == self.generation, case .delivering(var delivery) = phase else { return }
        delivery.progress = progress
        phase = .delivering(delivery)
    }
}

// MARK: - Time limits

/// Limiting an action's time.
extension BusStateMachine {
    /// An asynchronous action is about to begin.
    mutating func actionWillBegin(
        _ rule: Rule,
        _ progress: DispatchProgress,
        _ report: ErrorReport,
        at now: Duration,
        for generation: UInt64
    ) -> BeginAnswer {
        guard generation == self.generation, case .delivering(var delivery) = phase else { return .superseded }
        delivery.action = RunningAction(rule: rule, progress: progress, report: report, began: now)
        phase = .delivering(delivery)
        guard actionTimeLimit != nil, !watchdogIsOut else { return .begin }
        watchdogIsOut = true
        return .beginWatched
    }

    /// - Returns: Whether it still had its report.
    mutating func actionDidEnd(for generation: UInt64) -> Bool {
        guard generation == self.generation, case .delivering(var delivery) = phase else { return false }
        delivery.action = nil
        phase = .delivering(delivery)
        return true
    }

    /// The watchdog looks at the action in flight.
    mutating func watch(at now: Duration) -> WatchAnswer {
        guard let actionTimeLimit, case .delivering(var delivery) = phase, let action = delivery.action else {
            watchdogIsOut = false
            return .stop
        }
        let deadline = action.began + min(actionTimeLimit, BusClock.forever)
        guard now >= deadline else { return .sleep(until: deadline) }
        var progress = action.progress
        progress.record(ActionTimeLimitExceeded(limit: actionTimeLimit), of: action.rule, action.report)
        delivery.progress = progress
        delivery.action = nil
        phase = .delivering(delivery)
        generation += 1
        return .replaceWorker(generation: generation)
    }

    /// Tells the worker of a generation to stop, and returns the next one's generation.
    mutating func replaceWorker(_ generation: UInt64) -> UInt64? {
        guard generation == self.generation, !hasEnded else { return nil }
        self.generation += 1
        return self.generation
    }
}

// MARK: - Ending

/// Running, and what ends it.
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

    mutating func runReturned() {
        runPhase = .returned
    }

    /// Everything is delivered, and no more will come.
    mutating func end() { phase = .ended(told: 0) }

    /// What a flood limit holds is let go at once from now on.
    mutating func windUp() { isWindingUp = true }

    /// The tasks have ended; returns how many reports more are accepted.
    mutating func tasksEnded() -> Int {
        isLimited = true
        return isHurried ? 0 : capacity
    }

    /// Nothing more is to be accepted once the tasks have ended; returns whether that is so already.
    mutating func hurry() -> Bool {
        isHurried = true
        return isLimited
    }

    /// Gives back everything that was not delivered, and ends.
    ///
    /// - Parameters:
    ///   - rest: What was still in the intake, notices of drops included, which have been told of them.
    ///   - isAnnouncing: Whether the worker, in the lane, is telling the observers of a report.
    mutating func takeBack(_ rest: [PendingReport], isAnnouncing: Bool) -> Leftovers {
        generation += 1
        var left = Leftovers()
        if case .delivering(let delivery) = phase {
            left.reports.append(delivery.pending)
            left.failures = (delivery.action?.progress ?? delivery.progress)?.failures ?? []
        }
        phase = isAnnouncing || self.isAnnouncing ? .announcing(then: .stop) : .ended(told: left.failures.count)
        while let notice = failureNotices.popFirst() { left.reports.append(notice) }
        // Held ones were posted before what was still in the intake.
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

    /// What was taken back is in its receiver's hands, before anyone hears of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, its worker ends it, once it has told the observers of the report
    ///   that it is telling them of.
    mutating func leftoversWereReceived() -> Bool {
        guard isAnnouncing else { return true }
        phase = .announcing(then: .end)
        return false
    }
}
