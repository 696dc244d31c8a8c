/// What the bus does with every report from its place in the mailbox to its end, as a plain value: what is in delivery,
/// held or being told of, and who waits for what.
///
/// Each event is a method call that returns what the bus has to do; the storage calls the methods under a lock, and the
/// bus acts after unlocking. What posters do meanwhile is the part of ``IntakeWord``, the other plain value. Its fields
/// are changed in this file and its extensions alone. Each report reaches exactly one end:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer one of its fingerprint)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (given back by shutdown)
///                         └─ dropped                   (given back by shutdown)
///
/// Where the events of the worker and of a shutdown lead from each phase; an event that has no place in a row comes
/// from a worker that was superseded, and stops it:
///
/// | in the phase | event | leads to |
/// | --- | --- | --- |
/// | `idle` | `next` | a notice or a held report: `delivering`; one in its place: `inLane`; none: sleep, or `ended` |
/// | `inLane` | `next` | `inLane`: another worker takes the report over in its place |
/// | | `admit` | it passes: `inLane`; it is held: as `next` in `idle`; a held one goes first: `delivering` |
/// | | `leaveLane` | a rule that needs more: `delivering`; finished: as `complete` |
/// | | `takeBack` | `ended`; if observers are being told of the report before: `telling` |
/// | `delivering` | `complete` | somebody has to be told: `telling`; nobody: as `next` in `idle` |
/// | | `watch`, `replaceWorker`, `next` | `delivering`: another worker goes on with the report |
/// | | `takeBack` | `ended` |
/// | `telling` | `next` | as `next` in `idle`; after a `takeBack`: `ended` |
/// | | `takeBack` | `telling`, and the end waits for that |
struct BusStateMachine: ~Copyable {
    let actionTimeLimit: Duration?

    var phase = Phase.idle
    var runPhase = RunPhase.notStarted
    var counters = Counters()

    /// The number of the first report that is still in its place, and neither in delivery nor taken back.
    ///
    /// While the worker is in the lane, this stays as it was when the machine last heard of it. If the lane was opened
    /// at report 7, this is 8, until the worker leaves the lane, say after report 20: then it is 21.
    var nextNumber: Int64
    /// The flood mark of the report of that number, if it is known already.
    private var nextMark: FloodMark?
    var flood: FloodLimiter<Posting>?
    var failureNotices = FIFO<PendingReport>()
    var dropNotice: DropNotice?
    /// The report that was suppressed in the event, to be deallocated after unlocking.
    private var suppressed: Posting?
    /// Whether there is one: every event asks, and a flag is asked faster than so large an optional.
    private(set) var hasSuppressed = false
    /// How many reports were accepted, but their places not filled, when everything was taken back.
    var unfilled: Int64 = 0

    /// The current worker's generation, raised whenever that is replaced or told to stop: events of earlier workers are
    /// ignored.
    var generation: UInt64 = 0
    var watchdogIsOut = false
    /// Whether what a flood limit holds is released at once, although the bus still accepts posts.
    var isWindingUp = false
    /// Whether the bus's tasks have ended, so that no more posts are accepted than there is room for.
    var tasksHaveEnded = false
    /// Whether no posts are accepted once the tasks have ended.
    var isHurried = false
    /// Promises to those who wait until nothing is pending.
    var idleWaiters: [Promise<Void>] = []
    /// Promises to those who wait until all reports before a number are delivered, in order of these numbers.
    var flushes: [(turn: Int64, promise: Promise<Bool>)] = []

    /// - Parameters:
    ///   - capacity: How many reports may be pending.
    ///   - actionTimeLimit: How long an asynchronous action may take.
    ///   - floodLimit: How many errors of a kind pass.
    ///   - start: The first report's number.
    init(capacity: Int, actionTimeLimit: Duration?, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        self.actionTimeLimit = actionTimeLimit
        nextNumber = start
        // Held reports take capacity: at most half of it, so that one storm does not keep everything else out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(capacity / 2, 1_024))) }
    }
}

// MARK: - State

extension BusStateMachine {
    /// Whether everything is delivered or taken back; the worker may still be telling observers of the last report.
    var hasEnded: Bool {
        switch phase {
        case .ended, .telling(then: .stop), .telling(then: .end): true
        case .idle, .inLane, .delivering, .telling(then: .goOn): false
        }
    }

    /// The report in delivery outside the lane.
    var delivery: PendingReport? { if case .delivering(let pending, _) = phase { pending } else { nil } }

    /// Whether the worker is telling everyone of the end of a report that was delivered outside the lane.
    var isTelling: Bool { if case .telling = phase { true } else { false } }

    /// Whether the worker delivers reports without the lock.
    var isInLane: Bool { if case .inLane = phase { true } else { false } }

    private var isHolding: Bool { flood.map { $0.heldCount > 0 } ?? false }

    /// How many notices are pending, apart from one in delivery.
    var waitingNotices: Int64 { Int64(failureNotices.count) + (dropNotice == nil ? 0 : 1) }

    /// How many of the accepted reports take no capacity any more, unless the worker in the lane knows better: they
    /// have ended, or are in delivery.
    var released: Int64 { nextNumber - Int64(flood?.heldCount ?? 0) - unfilled }

    /// Whether nothing is pending, and everyone has been told of the last report.
    func isIdle(_ shared: borrowing BusShared) -> Bool {
        !isTelling && (hasEnded || counts(shared).pending == 0)
    }

    /// Whether the worker sleeps, and the caller has to wake it; the next caller gets false.
    func isAsleep(_ shared: borrowing BusShared) -> Bool {
        // In the lane the worker is awake, and empties places of the mailbox without the lock.
        !isInLane && shared.intake.mailbox.rouse(at: nextNumber)
    }

    /// Removes and returns the report that was suppressed.
    mutating func takeSuppressed() -> Posting? {
        hasSuppressed = false
        return suppressed.take()
    }
}

// MARK: - What the worker does next

extension BusStateMachine {
    /// Returns what the worker of a generation does next.
    ///
    /// - Parameters:
    ///   - generation: The worker's.
    ///   - now: The current moment, if the caller knows it: windows of the flood limit that end by then end.
    ///   - shared: What is used without the lock too.
    mutating func next(for generation: UInt64, at now: Duration?, _ shared: borrowing BusShared) -> WorkerAction {
        if case .telling(let then) = phase {
            phase = then == .goOn ? .idle : .ended(told: 0)
            if then == .end { return .end }
        }
        guard generation == self.generation else { return .stop(unheard: []) }
        switch phase {
        case .delivering(let pending, let checkpoint):
            return .deliver(pending, from: checkpoint)
        case .inLane:
            let position = shared.lane.position
            return position.isUnadmitted ? .markInLane(position.number) : .deliverInLane(position.number)
        case .idle:
            return beginNext(at: now, shared)
        case .telling, .ended:
            return .stop(unheard: [])
        }
    }

    /// Finds out what comes next, since nothing is in delivery.
    private mutating func beginNext(at now: Duration? = nil, _ shared: borrowing BusShared) -> WorkerAction {
        phase = .idle
        defer { shared.intake.publishReleased(released) }
        if let notice = failureNotices.popFirst() { return deliver(notice, shared) }
        while true {
            if let notice = takeDropNotice(before: nextNumber, shared) { return deliver(notice, shared) }
            if flushes.first.map({ $0.turn <= nextNumber }) ?? false {
                if let release = flood?.releaseHeld() { return deliver(PendingReport(release), shared) }
                defer { updateInterruption(of: shared) }
                return .flushed(takeFlushes(before: nextNumber))
            }
            if shared.intake.mailbox.isFilled(at: nextNumber) { return enterLane(shared) }
            if isHolding {
                let isEnding = shared.intake.state.isClosed || isWindingUp
                guard isEnding || now != nil else { return .readClock(before: nextNumber) }
                let release = flood?.release(endingBy: isEnding ? nil : now?.nanoseconds)
                if let release { return deliver(PendingReport(release), shared) }
            }
            if endIfDone(shared) { return .end }
            guard shared.intake.mailbox.sleep(at: nextNumber) else { continue }
            let isIdle = counts(shared).pending == 0
            return .sleep(isIdle ? exchange(&idleWaiters, with: []) : [], alarm: flood?.nextEnd)
        }
    }

    private mutating func deliver(_ pending: PendingReport, _ shared: borrowing BusShared) -> WorkerAction {
        pending.sequence = shared.lane.nextSequence
        phase = .delivering(pending, nil)
        return .deliver(pending, from: nil)
    }

    /// Counts the end of the report in delivery, and queues notices of its failed actions.
    ///
    /// - Parameters:
    ///   - result: The report's finished dispatch.
    ///   - generation: The worker's.
    ///   - isObserved: Whether observers have to be told of the report.
    ///   - shared: What is used without the lock too.
    mutating func complete(
        _ result: DispatchProgress, for generation: UInt64, isObserved: Bool, _ shared: borrowing BusShared
    ) -> WorkerAction {
        guard generation == self.generation, case .delivering(let pending, _) = phase else {
            return superseded(after: result.failures)
        }
        shared.lane.count(result.disposition)
        counters.actionFailures += Int64(result.failures.count)
        let isFailureNotice = pending.isFailureNotice
        for failure in result.failures where !isFailureNotice {
            counters.notices += 1
            failureNotices.append(PendingReport(noticeOf: failure, in: pending.posting.scope))
        }
        let unheard = isFailureNotice ? result.failures : []
        if !isObserved, !pending.posting.isWaitedFor, unheard.isEmpty { return beginNext(shared) }
        phase = .telling(then: .goOn)
        return .tell(pending, result.outcome, unheard: unheard)
    }

    /// Stops a worker whose report was taken away; it writes the failures that nobody else tells of to the last resort.
    ///
    /// Others may tell of the first few failures. Say three actions have failed. If the worker was replaced while the
    /// second ran, its successor tells of the first and the second, and the third is left for the worker. If a shutdown
    /// came while the third ran, it has told of the first two, and again the third is left.
    ///
    /// - Parameters:
    ///   - failures: All failed actions of the report.
    ///   - known: How many of them the worker's successor tells of.
    func superseded(after failures: [ActionFailure], known: Int = 0) -> WorkerAction {
        let told = if case .ended(let told) = phase { told } else { 0 }
        return .stop(unheard: Array(failures.dropFirst(max(known, told))))
    }
}

// MARK: - The lane

extension BusStateMachine {
    /// Opens the lane at the next report, whose place is filled.
    private mutating func enterLane(_ shared: borrowing BusShared) -> WorkerAction {
        let number = nextNumber
        shared.lane.open(at: number, isUnadmitted: shared.lane.isLimited)
        phase = .inLane
        if shared.lane.isLimited {
            guard let mark = nextMark.take() else { return .markInLane(number) }
            return admit(mark, at: number, shared) ?? .deliverInLane(number)
        }
        nextNumber += 1
        return .deliverInLane(number)
    }

    /// Lets the flood limit decide about the report that the worker is at in the lane, which must not be withdrawn.
    ///
    /// - Parameters:
    ///   - mark: The report's flood mark; nil for a report that passes whatever the limit.
    ///   - number: The report.
    ///   - shared: What is used without the lock too.
    /// - Returns: What the worker does next; nil to deliver the report.
    mutating func admit(_ mark: FloodMark?, at number: Int64, _ shared: borrowing BusShared) -> WorkerAction? {
        nextNumber = number
        defer { shared.intake.publishReleased(released) }
        var waiting: Promise<HandleOutcome>?
        var verdict = FloodLimiter<Posting>.Verdict?.none
        if let mark {
            verdict = flood?.admit(mark, suppressing: &suppressed) {
                let posting = shared.intake.mailbox.take(number)
                waiting = posting.promise
                return (posting, posting.moment)
            }
        }
        switch verdict {
        case .passes, nil:
            nextNumber += 1
            shared.lane.open(at: number)
            return nil
        case .comesAfter(let release):
            // The report stays in its place meanwhile.
            nextMark = mark
            return deliver(PendingReport(release), shared)
        case .isHeld(let suppressesOne):
            nextNumber += 1
            assert(!hasSuppressed, "the report that was suppressed before is still here")
            hasSuppressed = suppressesOne
            if suppressesOne { counters.suppressed += 1 }
            phase = .idle
            return waiting.map { .held($0) } ?? beginNext(shared)
        }
    }

    /// Takes the report that the worker is at out of the lane, since it is the last one there, or needs more than
    /// delivery; or, if a shutdown has withdrawn the lane, stops the worker.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - progress: How far its dispatch has come.
    ///   - isOver: Whether its dispatch is finished.
    ///   - isTold: Whether anyone has to be told of it once it is finished.
    ///   - generation: The worker's.
    ///   - shared: What is used without the lock too.
    /// - Returns: The posting, which has to be deallocated after unlocking, and what the worker does next.
    mutating func leaveLane(
        at number: Int64, _ progress: DispatchProgress, isOver: Bool, isTold: Bool, for generation: UInt64,
        _ shared: borrowing BusShared
    ) -> (Posting?, WorkerAction) {
        guard case .inLane = phase else {
            // The shutdown has a copy of the posting. Nobody looks at its place any more, where it would be retained as
            // long as the bus lives. If the worker was telling observers, the bus's end waits for it to ask.
            let posting = shared.intake.mailbox.shut(number)
            let isUnheard = !progress.failures.isEmpty
            return (posting, isUnheard ? superseded(after: progress.failures) : next(for: generation, at: nil, shared))
        }
        let posting = shared.intake.mailbox.take(number)
        nextNumber = number + 1
        if isOver, !isTold, progress.failures.isEmpty {
            shared.lane.count(progress.disposition)
            return (posting, beginNext(shared))
        }
        let pending = PendingReport(posting, sequence: shared.lane.sequence(of: number))
        let checkpoint = isOver ? nil : Checkpoint(progress)
        phase = .delivering(pending, checkpoint)
        if !isOver { return (nil, .deliver(pending, from: checkpoint)) }
        return (nil, complete(progress, for: generation, isObserved: isTold, shared))
    }
}
