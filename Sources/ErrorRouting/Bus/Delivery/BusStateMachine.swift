/// The life of every report from the moment it is taken from the intake to its end, and of the loop that delivers them,
/// as a plain value.
///
/// Events go in as method calls, what is to be done comes out as their answers; the bus calls it under a lock, and acts
/// after unlocking. What posters do meanwhile is the ``IntakeWord``'s part, the other plain value; counters move in these
/// two alone. Each report reaches exactly one end:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer one of its fingerprint)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (given back by shutdown)
///                         └─ dropped                   (given back by shutdown)
struct BusStateMachine: ~Copyable {
    enum RunPhase {
        case notStarted, running, returned
    }

    /// The report in delivery.
    struct Delivery {
        var pending: PendingReport
        /// Where a worker that takes it over begins.
        var progress = DispatchProgress()
        var action: RunningAction?
    }

    struct RunningAction {
        let rule: Rule
        let progress: DispatchProgress
        let report: ErrorReport
        let began: Duration
    }

    /// What became of what was taken.
    struct Counters {
        /// Accepted reports that are over, or in delivery: they take no capacity.
        var released = 0
        /// Notices of drops that were taken.
        var notices = 0
        /// Notices of failures that were made.
        var failureNotices = 0
        var handled = 0
        var ignored = 0
        var unmatched = 0
        var suppressed = 0
        /// Errors that a notice has told of.
        var toldDrops = 0
        /// Reports that a shutdown has given back.
        var givenBack = 0
        var actionFailures = 0
    }

    let actionTimeLimit: Duration?

    var hasEnded = false
    var runPhase = RunPhase.notStarted
    var counters = Counters()

    /// What was taken from the intake and waits for its turn.
    var batch = MailboxBatch<PendingReport>()
    /// The report before those, if a held one has to go first.
    var candidate: PendingReport?
    var failureNotices = FIFO<PendingReport>()
    var flood: FloodLimiter<PendingReport>?
    var delivery: Delivery?
    var lastSequence: UInt64 = 0

    /// Raised whenever the worker is replaced or sent home: answers from earlier ones count for nothing.
    var generation: UInt64 = 0
    var watchdogIsOut = false
    /// The moment for which the flood limit's alarm is set.
    var alarm: Duration?
    /// Whether what a flood limit holds is let go at once, although the bus still accepts.
    var isWindingUp = false
    /// Whether the worker is telling the observers of a report; what ends the bus meanwhile waits for that.
    var isAnnouncing = false
    var endsAfterAnnouncement = false
    /// Who waits until nothing is pending.
    var idleWaiters: [Promise<Void>] = []

    /// - Parameters:
    ///   - capacity: How many reports may be pending.
    ///   - actionTimeLimit: How long an asynchronous action may take.
    ///   - floodLimit: How many errors of a kind pass.
    init(capacity: Int, actionTimeLimit: Duration?, floodLimit: FloodLimit? = nil) {
        self.actionTimeLimit = actionTimeLimit
        // What is held takes capacity: at most half of it, so that one storm does not keep everything else out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(capacity / 2, 1_024))) }
    }

    /// The counts of one moment; the law holds in each of them.
    ///
    /// Posts and pending reports are counted by the intake, their ends here.
    ///
    /// - Parameter intake: What the intake has counted up to this moment.
    func statistics(_ intake: IntakeCounts) -> ErrorBus.Statistics {
        let overflowed = counters.toldDrops + intake.untoldDrops
        let notices = counters.notices + intake.notices + counters.failureNotices
        return ErrorBus.Statistics(
            posted: intake.accepted + overflowed + intake.refused + notices,
            handled: counters.handled,
            ignored: counters.ignored,
            unmatched: counters.unmatched,
            suppressed: counters.suppressed,
            dropped: overflowed + intake.refused + intake.withdrawn + counters.givenBack,
            pending: intake.accepted - intake.withdrawn - counters.released + intake.notices
                + failureNotices.count + (delivery == nil ? 0 : 1),
            actionFailures: counters.actionFailures
        )
    }
}

// MARK: - Delivering

extension BusStateMachine {
    enum NextAnswer {
        case deliver(ErrorReport, from: DispatchProgress)
        /// A flood limit has suppressed it: tell who waits for it.
        case suppressed(PendingReport)
        /// Nothing is in hand: look into the intake, sleep, or end.
        case idle
        /// Nothing is in hand but what a flood limit holds: the same, and ask again with the moment.
        case holding
        /// Everything is delivered or taken back, and no more will come.
        case end
        /// Another worker has taken over: go home.
        case superseded
    }

    /// Up to when what a flood limit holds is let go.
    enum FloodMoment: Equatable {
        /// More reports may be there, whose moments come first.
        case unknown
        case moment(Duration)
        /// All is let go.
        case end
    }

    enum CompleteAnswer {
        /// It counts: tell the observers, who waits for the outcome, and standard error of what nobody else will hear
        /// of.
        case completed(ErrorReport, Promise<HandleOutcome>?, unheard: [ActionFailure])
        case superseded
    }

    /// What the worker of a generation does next.
    ///
    /// - Parameters:
    ///   - generation: The worker's.
    ///   - now: The moment, if the bus has no more reports than those in hand.
    ///   - takeDrops: Asked for what was dropped, when a notice of that has its turn.
    mutating func next(
        for generation: UInt64,
        at now: FloodMoment = .unknown,
        takeDrops: (PendingReport) -> ErrorsDropped
    ) -> NextAnswer {
        isAnnouncing = false
        if endsAfterAnnouncement {
            endsAfterAnnouncement = false
            return .end
        }
        guard generation == self.generation else { return .superseded }
        if let delivery { return .deliver(delivery.pending.report, from: delivery.progress) }
        if let notice = failureNotices.popFirst() { return deliver(notice) }
        while let pending = candidate.take() ?? batch.popFirst() {
            if pending.kind == .errorsDropped { return deliver(taken(pending, takeDrops(pending))) }
            guard let stamp = pending.floodStamp, flood != nil else {
                counters.released += 1
                return deliver(pending)
            }
            if let answer = admit(pending, stamp) { return answer }
        }
        guard let held = flood?.heldCount, held > 0 else { return .idle }
        let release: FloodLimiter<PendingReport>.Release?
        switch now {
        case .unknown: release = nil
        case .moment(let moment): release = flood?.release(endingBy: moment)
        case .end: release = flood?.release(endingBy: nil)
        }
        return release.map { deliver($0) } ?? .holding
    }

    /// Asks the flood limit; nil if the report is held, and none before it was suppressed.
    private mutating func admit(_ pending: PendingReport, _ stamp: PendingReport.FloodStamp) -> NextAnswer? {
        let fingerprint = ErrorFingerprint(of: pending.report.error, code: stamp.code, at: pending.report.source)
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
        var pending = release.held
        pending.report.occurrences = release.occurrences
        return deliver(pending)
    }

    private mutating func deliver(_ pending: consuming PendingReport) -> NextAnswer {
        lastSequence += 1
        pending.report.sequence = lastSequence
        let report = pending.report
        delivery = Delivery(pending: pending)
        return .deliver(report, from: DispatchProgress())
    }

    /// A notice of drops, with what it has to say.
    mutating func taken(_ notice: PendingReport, _ drops: ErrorsDropped) -> PendingReport {
        counters.notices += 1
        counters.toldDrops += drops.count
        var notice = notice
        notice.report.error = drops
        return notice
    }

    /// When the worker, which is about to sleep, has to be woken; nil if nothing is held, or if that is arranged.
    mutating func nextAlarm() -> Duration? {
        guard alarm == nil, let end = flood?.nextEnd else { return nil }
        alarm = end
        return end
    }

    /// The worker of a generation has an outcome for the report in delivery.
    mutating func complete(_ outcome: HandleOutcome, for generation: UInt64) -> CompleteAnswer {
        guard generation == self.generation, let delivery = self.delivery.take() else { return .superseded }
        isAnnouncing = true
        var report = delivery.pending.report
        report.outcome = outcome
        switch outcome.disposition {
        case .ignored: counters.ignored += 1
        case .unmatched: counters.unmatched += 1
        default: counters.handled += 1
        }
        counters.actionFailures += outcome.failures.count
        if delivery.pending.kind == .actionFailure {
            return .completed(report, delivery.pending.promise, unheard: outcome.failures)
        }
        counters.failureNotices += outcome.failures.count
        for failure in outcome.failures { failureNotices.append(PendingReport(noticeOf: failure)) }
        return .completed(report, delivery.pending.promise, unheard: [])
    }
}
