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
    enum RunPhase {
        case notStarted, running, returned
    }

    struct RunningAction {
        let rule: Rule
        let progress: DispatchProgress
        let report: ErrorReport
        let began: Duration
    }

    /// What became of what was taken; with 64 bits on all systems, since these grow as long as the bus lives.
    struct Counters {
        /// Accepted reports that are over, or in delivery: they take no capacity.
        var released: Int64 = 0
        /// Notices of drops that were taken.
        var notices: Int64 = 0
        /// Notices of failures that were made.
        var failureNotices: Int64 = 0
        var handled: Int64 = 0
        var ignored: Int64 = 0
        var unmatched: Int64 = 0
        var suppressed: Int64 = 0
        /// Errors that a notice has told of.
        var toldDrops: Int64 = 0
        /// Reports that a shutdown has given back.
        var givenBack: Int64 = 0
        var actionFailures: Int64 = 0

        mutating func count(_ end: HandleOutcome.Disposition) {
            switch end {
            case .ignored: ignored += 1
            case .unmatched: unmatched += 1
            default: handled += 1
            }
        }
    }

    let capacity: Int
    let actionTimeLimit: Duration?

    var hasEnded = false
    var runPhase = RunPhase.notStarted
    var counters = Counters()

    /// The number of the report to take from the intake next, unless the lane is open.
    var nextNumber: Int64
    /// The report that was taken last, if a held one has to go first, or if its kind has to be asked for.
    var candidate: PendingReport?
    var failureNotices = FIFO<PendingReport>()
    var flood: FloodLimiter<PendingReport>?
    /// The report in delivery, unless that is in the lane.
    var delivering: PendingReport?
    /// Where a worker that takes it over begins; nil for the beginning.
    var progress: DispatchProgress?
    /// Its asynchronous action that runs.
    var action: RunningAction?
    /// How many failures of the report in delivery a shutdown has told of.
    var toldFailures = 0
    var lastSequence: UInt64

    /// Raised whenever the worker is replaced or told to stop: what earlier ones still report counts for nothing.
    var generation: UInt64 = 0
    var watchdogIsOut = false
    /// The moment for which the flood limit's alarm is set.
    var alarm: Duration?
    /// Whether what a flood limit holds is let go at once, although the bus still accepts.
    var isWindingUp = false
    /// Whether no more is accepted than there is room for, since the tasks have ended.
    var isLimited = false
    /// Whether nothing more is to be accepted once the tasks have ended.
    var isHurried = false
    /// Whether the worker is telling the observers of a report; what ends the bus meanwhile waits for that.
    var isAnnouncing = false
    var endsAfterAnnouncement = false
    /// Who waits until nothing is pending.
    var idleWaiters: [Promise<Void>] = []
    /// Who waits until what was posted before is delivered, in order.
    var flushes: [Flush] = []

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

    /// The counts, in which the law holds whenever they are read.
    ///
    /// Posts and pending reports are counted by the intake, their ends here and in the lane. Where nothing changes
    /// meanwhile each is counted on its own. Else what is pending is the difference of what was posted and what has
    /// ended, both read together: from the posts that came in while the ends were read so many count as there can be at
    /// most when these have come to their end.
    ///
    /// - Parameters:
    ///   - intake: What the intake has counted while the others were read.
    ///   - lane: What the lane has.
    func counts(_ intake: IntakeCounts, _ lane: LaneCounts = LaneCounts()) -> BusCounts {
        let handled = counters.handled + lane.handled
        let ignored = counters.ignored + lane.ignored
        let unmatched = counters.unmatched + lane.unmatched
        let overflowed = counters.toldDrops + intake.untoldDrops
        let notices = counters.notices + intake.notices + counters.failureNotices
        let noticesWaiting = intake.notices + Int64(failureNotices.count)
        let lost = intake.withdrawn + counters.givenBack
        let ended = handled + ignored + unmatched + counters.suppressed + lost
        let mostPending = Int64(capacity) + 1 + noticesWaiting
        let accepted = max(intake.acceptedBefore, min(intake.accepted, ended + mostPending - notices))
        let isAtRest = intake.acceptedBefore == intake.accepted && !lane.isOpen
        // After the end the intake may be wrong about what was released.
        let released = hasEnded ? counters.released : intake.released
        let held = accepted - intake.withdrawn - released + noticesWaiting + (delivering == nil ? 0 : 1)
        return BusCounts(
            posted: accepted + overflowed + intake.refused + notices,
            handled: handled,
            ignored: ignored,
            unmatched: unmatched,
            suppressed: counters.suppressed,
            dropped: overflowed + intake.refused + lost,
            pending: isAtRest ? held : accepted + notices - ended,
            actionFailures: counters.actionFailures
        )
    }
}

// MARK: - Delivering

extension BusStateMachine {
    enum NextAnswer {
        /// Deliver it: from the beginning, or from where another worker has come.
        case deliver(PendingReport, from: DispatchProgress?)
        /// A flood limit has suppressed it: tell who waits for it.
        case suppressed(PendingReport)
        /// Ask the user of what kind it is, and then again what to do next: it waits meanwhile.
        case fingerprint(PendingReport)
        /// Nothing is in hand but what a flood limit may hold: look into the intake, sleep, or end.
        case idle
        /// Everything is delivered or taken back, and no more will come.
        case end
        /// Another worker has taken over: stop.
        case superseded
    }

    enum CompleteAnswer {
        /// It counts, and nobody has to hear of it.
        case completed
        /// It counts: tell the observers, who waits for the outcome, and standard error of what nobody else will hear
        /// of.
        case announce(unheard: [ActionFailure])
        case superseded
    }

    /// What the worker of a generation does next.
    mutating func next(for generation: UInt64) -> NextAnswer {
        isAnnouncing = false
        if endsAfterAnnouncement {
            endsAfterAnnouncement = false
            return .end
        }
        guard generation == self.generation else { return .superseded }
        if let delivering { return .deliver(delivering, from: progress) }
        if let notice = failureNotices.popFirst() { return deliver(notice) }
        if let pending = candidate.take(), let answer = take(pending) { return answer }
        return .idle
    }

    /// Whether a flood limit holds anything.
    var isHolding: Bool { flood.map { $0.heldCount > 0 } ?? false }

    /// Lets go of one report that a flood limit holds; for when the intake is empty, since what is in there was posted
    /// before the moment.
    ///
    /// - Parameter moment: Up to when windows end; nil for all of them.
    mutating func release(endingBy moment: Duration?) -> NextAnswer? {
        flood?.release(endingBy: moment).map { deliver($0) }
    }

    /// Lets go of one report that a flood limit holds, whose window goes on; for who waits for what was posted before.
    mutating func releaseHeld() -> NextAnswer? { flood?.releaseHeld().map { deliver($0) } }

    /// A report was taken from the intake, or a notice of drops that is to be told of them.
    ///
    /// - Returns: What the worker does next; nil if the report is held, and none before it was suppressed.
    mutating func take(_ pending: PendingReport) -> NextAnswer? {
        if pending.kind == .errorsDropped { return deliver(pending) }
        guard let stamp = pending.posting.floodStamp, flood != nil else {
            counters.released += 1
            return deliver(pending)
        }
        let fingerprint: ErrorFingerprint
        if let given = pending.fingerprint {
            fingerprint = given
        } else if flood?.limit.fingerprint == nil {
            fingerprint = ErrorFingerprint(of: pending.error, code: stamp.code, at: pending.posting.source)
        } else {
            candidate = pending
            return .fingerprint(pending)
        }
        if let release = flood?.release(toAdmit: fingerprint, at: stamp.moment) {
            candidate = pending
            return deliver(release)
        }
        switch flood?.admit(pending, fingerprint, at: stamp.moment) {
        case .passes(let pending):
            counters.released += 1
            return deliver(pending)
        case .isHeld(let suppressed):
            guard let suppressed else { return nil }
            counters.released += 1
            counters.suppressed += 1
            return .suppressed(suppressed)
        case nil:
            return nil
        }
    }

    private mutating func deliver(_ release: FloodLimiter<PendingReport>.Release) -> NextAnswer {
        counters.released += 1
        release.held.standFor(release.occurrences)
        return deliver(release.held)
    }

    private mutating func deliver(_ pending: PendingReport) -> NextAnswer {
        lastSequence += 1
        pending.deliver(as: lastSequence)
        delivering = pending
        return .deliver(pending, from: nil)
    }

    /// A notice of drops has its turn, with what it has to say.
    mutating func tell(_ drops: DropCounts, by notice: PendingReport) {
        counters.notices += 1
        counters.toldDrops += drops.total
        notice.tell(drops.notice)
    }

    /// When the worker, which is about to sleep, has to be woken; nil if nothing is held, or if that is arranged.
    mutating func nextAlarm() -> Duration? {
        guard alarm == nil, let end = flood?.nextEnd else { return nil }
        alarm = end
        return end
    }

    /// The worker of a generation is through with the report in delivery.
    ///
    /// - Parameters:
    ///   - result: How far it has come: to the end.
    ///   - generation: The worker's.
    ///   - isObserved: Whether anyone has to be told of the report.
    mutating func complete(
        _ result: DispatchProgress,
        for generation: UInt64,
        isObserved: Bool
    ) -> CompleteAnswer {
        guard generation == self.generation, let pending = delivering.take() else { return .superseded }
        progress = nil
        action = nil
        counters.count(result.disposition)
        var unheard: [ActionFailure] = []
        if !result.failures.isEmpty {
            counters.actionFailures += Int64(result.failures.count)
            if pending.kind == .actionFailure {
                unheard = result.failures
            } else {
                counters.failureNotices += Int64(result.failures.count)
                for failure in result.failures {
                    failureNotices.append(PendingReport(noticeOf: failure, in: pending.posting.scope))
                }
            }
        }
        if !isObserved, pending.posting.promise == nil, unheard.isEmpty { return .completed }
        isAnnouncing = true
        return .announce(unheard: unheard)
    }
}

// MARK: - The lane

extension BusStateMachine {
    /// The report that would be taken next is delivered in the lane.
    ///
    /// - Returns: Its number, and its place in the order of delivery.
    mutating func beginInLane() -> (number: Int64, sequence: UInt64) {
        counters.released += 1
        lastSequence += 1
        return (nextNumber, lastSequence)
    }

    /// The lane is closed, or was withdrawn.
    ///
    /// - Parameter number: The report that is in delivery there.
    mutating func laneClosed(at number: Int64) {
        // It was opened at `nextNumber`.
        let passed = number - nextNumber
        counters.released += passed
        lastSequence += UInt64(passed)
        nextNumber = number + 1
    }

    /// The report that was in delivery in the lane is in delivery here.
    ///
    /// - Parameters:
    ///   - posting: What was posted.
    ///   - progress: How far it came; nil if that is not known, or if it is not begun.
    mutating func deliverFromLane(_ posting: Posting, from progress: DispatchProgress? = nil) -> PendingReport {
        let pending = PendingReport(posting)
        pending.deliver(as: lastSequence)
        delivering = pending
        self.progress = progress
        return pending
    }

    /// The report in delivery goes on from here: whoever takes it over, or takes it back, has to know what has failed.
    mutating func goOn(from progress: DispatchProgress, for generation: UInt64) {
        if generation == self.generation, delivering != nil { self.progress = progress }
    }
}
