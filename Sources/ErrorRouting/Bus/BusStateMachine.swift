/// A report on its way through the bus, and who waits for its outcome.
struct PendingReport: Sendable {
    enum Kind {
        case posted
        /// A notice that an action failed. Its own failures go to standard error and no further.
        case actionFailure
        /// A notice that errors were dropped. Its error is made when it is taken for delivery: until then drops add to
        /// it.
        case errorsDropped
    }

    var report: ErrorReport
    var kind = Kind.posted
    var promise: Promise<HandleOutcome>?
}

/// The life of every report from post to its end, and of the loop that delivers them, as a plain value.
///
/// The only place where counters move. Events go in as method calls, what is to be done comes out as their answers; the
/// bus calls it under a lock, and acts after unlocking. Each report reaches exactly one end:
///
///     posted ─┬─ dropped                             (full, finished)
///             └─ pending ─┬─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped  (given back by shutdown)
///                         └─ dropped                 (given back by shutdown)
struct BusStateMachine {
    private enum Life {
        /// Takes posts.
        case open
        /// Takes no more posts, and drains.
        case finished
        /// Has nothing left, and never will.
        case ended
    }

    private enum RunPhase {
        case notStarted, running, returned
    }

    /// The report in delivery.
    private struct Delivery {
        var pending: PendingReport
        /// Where a worker that takes it over begins.
        var progress = DispatchProgress()
        var action: RunningAction?
    }

    private struct RunningAction {
        let rule: Rule
        let progress: DispatchProgress
        let report: ErrorReport
        let began: Duration
    }

    private let capacity: Int
    private let actionTimeLimit: Duration?
    private var life = Life.open
    private var runPhase = RunPhase.notStarted
    private(set) var statistics = ErrorBus.Statistics()

    private var queue = FIFO<PendingReport>()
    private var notices = FIFO<PendingReport>()
    private var delivery: Delivery?
    private var lastSequence: UInt64 = 0
    /// Errors dropped since the last notice; positive exactly while a notice is outstanding.
    private var unannouncedDrops = 0

    /// Raised whenever the worker is replaced or sent home: answers from earlier ones count for nothing.
    private(set) var generation: UInt64 = 0
    private var workerSleeps = false
    private var watchdogIsOut = false
    /// Whether the worker is telling the observers of a report; what ends the bus meanwhile waits for that.
    private var isAnnouncing = false
    private var endsAfterAnnouncement = false
    /// Who waits until nothing is pending.
    private var idleWaiters: [Promise<Void>] = []

    init(capacity: Int, actionTimeLimit: Duration?) {
        self.capacity = capacity
        self.actionTimeLimit = actionTimeLimit
    }
}

// MARK: - Posting

extension BusStateMachine {
    enum PostAnswer {
        /// It is pending; the worker sleeps and has to be woken, or not.
        case accepted(wake: Bool)
        /// It was dropped, since the bus is full.
        case overflowed
        /// It was dropped, since the bus has finished.
        case refused
    }

    mutating func post(_ pending: PendingReport) -> PostAnswer {
        statistics.posted += 1
        guard life == .open else {
            statistics.dropped += 1
            return .refused
        }
        // An outstanding notice stands in the queue, and takes no capacity.
        let occupied = queue.count - (unannouncedDrops > 0 ? 1 : 0)
        guard occupied < capacity else {
            statistics.dropped += 1
            unannouncedDrops += 1
            if unannouncedDrops == 1 {
                // Not a copy of the dropped report: an error's end may call the bus, and must not come under the lock.
                let dropped = pending.report
                let report = ErrorReport(
                    error: ErrorsDropped(count: 0),
                    source: dropped.source,
                    instant: dropped.instant,
                    scope: dropped.scope
                )
                enqueue(PendingReport(report: report, kind: .errorsDropped), counted: true)
            }
            return .overflowed
        }
        enqueue(pending, counted: false)
        return .accepted(wake: wakeWorker())
    }

    private mutating func enqueue(_ pending: PendingReport, counted isNotice: Bool) {
        if isNotice { statistics.posted += 1 }
        statistics.pending += 1
        queue.append(pending)
    }

    private mutating func wakeWorker() -> Bool {
        defer { workerSleeps = false }
        return workerSleeps
    }
}

// MARK: - Delivering

extension BusStateMachine {
    enum NextAnswer {
        case deliver(ErrorReport, from: DispatchProgress)
        /// Nothing to do: tell those who wait for that, and sleep until woken.
        case sleep([Promise<Void>])
        /// Everything is delivered or taken back, and no more will come.
        case end
        /// Another worker has taken over: go home.
        case superseded
    }

    enum CompleteAnswer {
        /// It counts: tell the observers, who waits for the outcome, and standard error of what nobody else will hear
        /// of.
        case completed(ErrorReport, Promise<HandleOutcome>?, unheard: [ActionFailure])
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
        if let delivery { return .deliver(delivery.pending.report, from: delivery.progress) }
        guard var pending = notices.popFirst() ?? queue.popFirst() else {
            if life == .open {
                workerSleeps = true
                defer { idleWaiters = [] }
                return .sleep(idleWaiters)
            }
            life = .ended
            return .end
        }
        prepare(&pending)
        lastSequence += 1
        pending.report.sequence = lastSequence
        delivery = Delivery(pending: pending)
        return .deliver(pending.report, from: DispatchProgress())
    }

    /// The worker of a generation has an outcome for the report in delivery.
    mutating func complete(_ outcome: HandleOutcome, for generation: UInt64) -> CompleteAnswer {
        guard generation == self.generation, let delivery else { return .superseded }
        self.delivery = nil
        isAnnouncing = true
        var report = delivery.pending.report
        report.outcome = outcome
        statistics.pending -= 1
        switch outcome.disposition {
        case .ignored: statistics.ignored += 1
        case .unmatched: statistics.unmatched += 1
        default: statistics.handled += 1
        }
        statistics.actionFailures += outcome.failures.count
        if delivery.pending.kind == .actionFailure {
            return .completed(report, delivery.pending.promise, unheard: outcome.failures)
        }
        for failure in outcome.failures {
            statistics.posted += 1
            statistics.pending += 1
            notices.append(PendingReport(report: ErrorReport(noticeOf: failure), kind: .actionFailure))
        }
        return .completed(report, delivery.pending.promise, unheard: [])
    }

    private mutating func prepare(_ pending: inout PendingReport) {
        guard pending.kind == .errorsDropped else { return }
        pending.report.error = ErrorsDropped(count: unannouncedDrops)
        unannouncedDrops = 0
    }
}

// MARK: - Limiting an action's time

extension BusStateMachine {
    enum WatchAnswer {
        /// No action runs: the watchdog may go home, and is sent out again by the next action.
        case goHome
        case sleep(until: Duration)
        /// The action is abandoned; a worker of this generation takes over after it.
        case replaceWorker(generation: UInt64)
    }

    enum BeginAnswer {
        case begin
        /// It begins, and a watchdog has to be sent out.
        case beginWatched
        /// Another worker has taken over, or the report was taken back: it must not begin.
        case superseded
    }

    /// An asynchronous action is about to begin.
    mutating func actionWillBegin(
        _ rule: Rule,
        _ progress: DispatchProgress,
        _ report: ErrorReport,
        at now: Duration,
        for generation: UInt64
    ) -> BeginAnswer {
        guard generation == self.generation, delivery != nil else { return .superseded }
        delivery?.action = RunningAction(rule: rule, progress: progress, report: report, began: now)
        guard actionTimeLimit != nil, !watchdogIsOut else { return .begin }
        watchdogIsOut = true
        return .beginWatched
    }

    mutating func actionDidEnd(for generation: UInt64) {
        guard generation == self.generation else { return }
        delivery?.action = nil
    }

    /// The watchdog looks at the action in flight.
    mutating func watch(at now: Duration) -> WatchAnswer {
        guard let actionTimeLimit, life != .ended, let action = delivery?.action else {
            watchdogIsOut = false
            return .goHome
        }
        let deadline = action.began + min(actionTimeLimit, BusClock.forever)
        guard now >= deadline else { return .sleep(until: deadline) }
        let failure = ActionFailure(
            error: ActionTimeLimitExceeded(limit: actionTimeLimit),
            report: action.report,
            rule: action.rule.registration.description
        )
        delivery?.progress = action.progress
        unsafe delivery?.progress.record(failure, of: Unmanaged.passUnretained(action.rule))
        delivery?.action = nil
        generation += 1
        return .replaceWorker(generation: generation)
    }
}

// MARK: - Ending

extension BusStateMachine {
    enum RunAnswer: Equatable {
        case start(generation: UInt64)
        /// It was finished with nothing to deliver: there is nothing to run.
        case alreadyEnded
        case runsAlready, ranBefore
    }

    enum FinishAnswer {
        case nothing
        case wake
        /// It has nothing to deliver and no one to deliver it, so it ends here.
        case end
    }

    var hasEnded: Bool { life == .ended }

    mutating func run() -> RunAnswer {
        switch runPhase {
        case .running: return .runsAlready
        case .returned: return .ranBefore
        case .notStarted:
            runPhase = .running
            return life == .ended ? .alreadyEnded : .start(generation: generation)
        }
    }

    mutating func runReturned() {
        runPhase = .returned
    }

    /// Whether nothing is pending.
    ///
    /// If something is, a promise is fulfilled once it no longer is.
    mutating func isIdle(elseTell promise: Promise<Void>) -> Bool {
        if statistics.pending == 0 || life == .ended { return true }
        idleWaiters.append(promise)
        return false
    }

    /// Finishes, unless something is pending or was posted since a count was taken; then it answers nil.
    mutating func finish(ifIdleSince posted: Int) -> FinishAnswer? {
        guard life == .open else { return .nothing }
        guard statistics.pending == 0, statistics.posted == posted else { return nil }
        return finish()
    }

    /// Whether the report of a number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool { delivery?.pending.report.sequence == sequence }

    mutating func finish() -> FinishAnswer {
        guard life == .open else { return .nothing }
        life = .finished
        if statistics.pending == 0, runPhase == .notStarted {
            life = .ended
            return .end
        }
        return wakeWorker() ? .wake : .nothing
    }

    /// Those who wait until nothing is pending, when the bus ends.
    mutating func takeIdleWaiters() -> [Promise<Void>] {
        defer { idleWaiters = [] }
        return idleWaiters
    }

    /// What a shutdown has taken back.
    struct Leftovers {
        /// What was not delivered, the report in flight first.
        var reports: [PendingReport] = []
        /// Actions of the report in flight that have failed, and were to be told of after it.
        var failures: [ActionFailure] = []
    }

    /// Gives back everything that was not delivered, and ends.
    mutating func takeBack() -> Leftovers {
        guard life != .ended else { return Leftovers() }
        life = .ended
        generation += 1
        workerSleeps = false
        var left = Leftovers()
        if let delivery {
            left.reports.append(delivery.pending)
            left.failures = (delivery.action?.progress ?? delivery.progress).failures
        }
        delivery = nil
        while var pending = notices.popFirst() ?? queue.popFirst() {
            prepare(&pending)
            left.reports.append(pending)
        }
        statistics.pending -= left.reports.count
        statistics.dropped += left.reports.count
        statistics.actionFailures += left.failures.count
        return left
    }

    /// What was taken back is in its receiver's hands, before anyone hears of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, its worker ends it, once it has told the observers of the report
    ///   that it is telling them of.
    mutating func leftoversWereReceived() -> Bool {
        endsAfterAnnouncement = isAnnouncing
        return !isAnnouncing
    }

    /// Sends the worker of a generation home, and answers the next one's.
    mutating func replaceWorker(_ generation: UInt64) -> UInt64? {
        guard generation == self.generation, life != .ended else { return nil }
        self.generation += 1
        return self.generation
    }
}

extension ErrorReport {
    /// The report of an action's failure: posted where the rule was registered, in the scope of what it was handling.
    fileprivate init(noticeOf failure: ActionFailure) {
        self.init(
            error: failure,
            source: failure.rule.source,
            metadata: failure.report.metadata,
            scope: failure.report.scope
        )
    }
}
