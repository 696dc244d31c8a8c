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

        mutating func count(_ end: HandleOutcome.Disposition) {
            switch end {
            case .ignored: ignored += 1
            case .unmatched: unmatched += 1
            default: handled += 1
            }
        }
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
    /// The report in delivery.
    var delivering: PendingReport?
    /// Where a worker that takes it over begins; nil for the beginning.
    var progress: DispatchProgress?
    /// Its asynchronous action that runs.
    var action: RunningAction?
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
                + failureNotices.count + (delivering == nil ? 0 : 1),
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
        /// It counts, and nobody has to hear of it.
        case completed
        /// It counts: tell the observers, who waits for the outcome, and standard error of what nobody else will hear
        /// of.
        case announce(unheard: [ActionFailure])
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
        if let delivering { return .deliver(delivering, from: progress) }
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
        let fingerprint = ErrorFingerprint(of: pending.error, code: stamp.code, at: pending.source)
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

    /// A notice of drops, with what it has to say.
    mutating func taken(_ notice: PendingReport, _ drops: ErrorsDropped) -> PendingReport {
        counters.notices += 1
        counters.toldDrops += drops.count
        notice.tell(drops)
        return notice
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
        counters.count(result.disposition)
        var unheard: [ActionFailure] = []
        if !result.failures.isEmpty {
            counters.actionFailures += result.failures.count
            if pending.kind == .actionFailure {
                unheard = result.failures
            } else {
                counters.failureNotices += result.failures.count
                for failure in result.failures { failureNotices.append(PendingReport(noticeOf: failure)) }
            }
        }
        if !isObserved, pending.promise == nil, unheard.isEmpty { return .completed }
        isAnnouncing = true
        return .announce(unheard: unheard)
    }

    /// Completes the report in delivery and begins the next one, where nothing else is to be done between the two.
    ///
    /// That is ``complete(_:for:isObserved:)`` and ``next(for:at:takeDrops:)`` for the common case, in one.
    ///
    /// - Returns: The next report; or nil, and nothing has changed.
    mutating func goOn(_ result: DispatchProgress, for generation: UInt64) -> PendingReport? {
        guard generation == self.generation, result.failures.isEmpty, failureNotices.isEmpty, flood == nil,
            delivering != nil, let next = batch.popFirst(where: { $0.kind == .posted })
        else { return nil }
        progress = nil
        counters.count(result.disposition)
        counters.released += 1
        lastSequence += 1
        next.deliver(as: lastSequence)
        delivering = next
        return next
    }
}
