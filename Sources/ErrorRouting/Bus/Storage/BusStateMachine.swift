/// The state of every report from its slot in the mailbox to its completion: which reports are in delivery, held back
/// by a flood limit, or being sent to observers, and which callers wait for them.
///
/// Each event is a method that returns its caller's next step; ``BusStorage`` calls the method under a lock, and the
/// caller acts after unlocking. Only events change the state. ``IntakeWord`` decides the callers' steps.
struct BusStateMachine: ~Copyable {
    private let actionTimeLimit: Duration?

    private(set) var phase = BusPhase.idle
    private(set) var relay = WorkerRelay()
    private var hasRun = false
    private(set) var counts: BusCounts

    /// The number of the first report that still waits in its slot.
    private(set) var nextNumber: Int64
    private(set) var flood: FloodLimiter<Posting>?
    private(set) var failureNotices = FIFO<Posting>()

    /// The report that the worker was reading when a shutdown removed it; it stays in its slot until the worker stops.
    private var removed: Delivery?
    private var lastPosts = LastPosts()
    private var flushes = FlushQueue()

    /// - Parameters:
    ///   - capacity: The number of reports that can be pending.
    ///   - actionTimeLimit: The time limit of an asynchronous action.
    ///   - floodLimit: The limit on errors of a kind.
    ///   - start: The first report's number; all reports before it count as handled.
    init(capacity: Int, actionTimeLimit: Duration?, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        self.actionTimeLimit = actionTimeLimit.map { $0.bounded }
        nextNumber = start
        counts = BusCounts(handled: start)
        // Let held reports take at most half the capacity: one flood must not keep all other reports out.
        flood = floodLimit.map { FloodLimiter($0, keeping: max(1, min(capacity / 2, 1_024))) }
    }

    // MARK: - The worker's next step

    /// Returns the next step of a generation's worker.
    ///
    /// - Parameters:
    ///   - generation: The worker's generation.
    ///   - pause: The worker's wait before this call.
    ///   - intake: The intake with the reports.
    mutating func next(
        for generation: UInt64, after pause: WorkerPause = .none, _ intake: borrowing BusIntake
    ) -> WorkerAction {
        guard generation == relay.generation else { return stop(for: generation) }
        switch phase {
        case .delivering(let delivery):
            return relay.checkpoint.map { .goOn(delivery, from: $0.progress) } ?? .deliver(delivery)
        case .idle: return beginNext(after: pause, intake)
        case .ended: return stop(for: generation)
        }
    }

    /// Returns the step that stops a worker after its replacement or the removal of its report.
    ///
    /// A replaced worker has reported all its failures to its successor, except for that of the action for which it was
    /// replaced. A shutdown has the failures before the last checkpoint; the worker reports the others itself.
    ///
    /// - Parameters:
    ///   - generation: The worker's generation.
    ///   - failures: All failed actions of its report.
    ///   - lastIsLate: Whether the last of them failed after the worker was replaced or stopped.
    func stop(
        for generation: UInt64, after failures: [ActionFailure] = [], lastIsLate: Bool = false
    ) -> WorkerAction {
        if generation + 1 == relay.generation, case .ended(let reported?) = phase {
            return .stop(unreported: Array(failures.dropFirst(reported)))
        }
        return .stop(unreported: lastIsLate ? Array(failures.suffix(1)) : [])
    }

    /// Determines the next step while nothing is in delivery.
    @inline(__always)
    private mutating func beginNext(after pause: WorkerPause = .none, _ intake: borrowing BusIntake) -> WorkerAction {
        phase = .idle
        defer { intake.publishReleased(released) }
        while true {
            if !failureNotices.isEmpty || intake.drops.hasNotice || flushes.isDue(at: nextNumber),
                let action = beginWhatComesFirst(intake)
            {
                return action
            }
            if let posting = unsafe intake.mailbox.element(at: nextNumber) {
                let delivery = unsafe Delivery(address: posting, sequence: nextSequence)
                return flood != nil ? beginLimited(delivery, intake) : pass(delivery)
            }
            if let action = beginToWait(after: pause, intake) { return action }
        }
    }

    /// Begins with a notice or a flush that comes before the report in the next slot, if there is one.
    @inline(never)
    private mutating func beginWhatComesFirst(_ intake: borrowing BusIntake) -> WorkerAction? {
        if let failure = failureNotices.popFirst() { return deliver(failure, intake) }
        // Release held reports before a notice of drops: its action might post, and held reports might fill the
        // capacity.
        let isFlushDue = flushes.isDue(at: nextNumber)
        if isFlushDue, let release = flood?.releaseHeld() { return deliver(Posting(release), intake) }
        if let drops = takeDropNotice(before: nextNumber, intake) { return deliver(drops, intake) }
        guard isFlushDue else { return nil }
        // A flush also waits for the notification, and can reach its deadline before that.
        if intake.notification.isUnderway { return .askAgain }
        return .flushed(takeFlushes { [nextNumber] in $0.turn <= nextNumber })
    }

    /// Determines the next step while the next slot is empty; nil if the slot is filled by then.
    @inline(never)
    private mutating func beginToWait(after pause: WorkerPause, _ intake: borrowing BusIntake) -> WorkerAction? {
        if let release = flood?.release(after: pause, isClosed: intake.state.isClosed) {
            return deliver(Posting(release), intake)
        }
        if endIfDone(intake) { return .end }
        if case .none = pause { return .wait(for: nextNumber, readsTime: flood != nil) }
        guard intake.mailbox.sleep(at: nextNumber) else { return nil }
        return .sleep(until: flood?.nextEnd)
    }

    /// Begins to deliver a notice or a formerly held report, which has no number.
    private mutating func deliver(_ posting: consuming Posting, _ intake: borrowing BusIntake) -> WorkerAction {
        let sequence = nextSequence
        let delivery = unsafe Delivery(address: intake.mailbox.insert(posting, at: sequence), sequence: sequence)
        phase = .delivering(delivery)
        return .deliver(delivery)
    }

    /// Begins with the report in the next slot under a flood limit, which decides about the report unless it is a
    /// notice: a notice is delivered after the reports held in windows that ended before it.
    @inline(never)
    private mutating func beginLimited(_ delivery: Delivery, _ intake: borrowing BusIntake) -> WorkerAction {
        guard delivery.posting.escapesFloodLimit else { return .computeFloodToken(delivery) }
        let moment = delivery.posting.floodMoment
        return flood?.release(endingBy: moment).map { deliver(Posting($0), intake) } ?? pass(delivery)
    }

    /// Begins to deliver the report in the next slot.
    @inline(__always)
    private mutating func pass(_ delivery: Delivery) -> WorkerAction {
        nextNumber += 1
        phase = .delivering(delivery)
        return .deliver(delivery)
    }

    /// Applies the flood limit to the report in the next slot with the key that the worker has computed.
    ///
    /// If another report must go first, this report stays in its slot, and the worker must compute the key again.
    ///
    /// - Parameters:
    ///   - token: The report's kind and time.
    ///   - generation: The worker's generation.
    ///   - suppressed: Set to the suppressed report, if there is one.
    ///   - intake: The intake with the reports.
    mutating func admit(
        _ token: FloodToken, for generation: UInt64, suppressing suppressed: inout Posting?,
        _ intake: borrowing BusIntake
    ) -> WorkerAction {
        guard generation == relay.generation, let posting = unsafe intake.mailbox.element(at: nextNumber) else {
            return stop(for: generation)
        }
        defer { intake.publishReleased(released) }
        let delivery = unsafe Delivery(address: posting, sequence: nextSequence)
        let waiting = delivery.posting.isWaitedFor ? delivery.posting.promise : nil
        let decision = flood?.admit(token, suppressing: &suppressed) {
            let moment = delivery.posting.moment
            return unsafe (intake.mailbox.take(delivery.address), moment)
        }
        switch decision {
        case .passes, nil:
            return pass(delivery)
        case .comesAfter(let release):
            return deliver(Posting(release), intake)
        case .isHeld:
            nextNumber += 1
            if suppressed != nil { counts.suppressed += 1 }
            return waiting.map { .held($0) } ?? beginNext(intake)
        }
    }

    /// Counts the completion of the report in delivery, queues notices of its failed actions, and begins the next one.
    ///
    /// - Parameters:
    ///   - disposition: The report's disposition.
    ///   - failures: The failures of its actions; nil if there are none.
    ///   - generation: The worker's generation.
    ///   - isObserved: Whether there are observers.
    ///   - hasToNotify: Set to whether the worker must notify anyone of the report, and end that notification, before
    ///     it carries out the next step.
    ///   - intake: The intake with the reports.
    /// - Returns: The worker's next step.
    @inline(__always)
    mutating func complete(
        _ disposition: HandleOutcome.Disposition, _ failures: [ActionFailure]?, for generation: UInt64,
        isObserved: Bool, notifying hasToNotify: inout Bool, _ intake: borrowing BusIntake
    ) -> WorkerAction {
        guard generation == relay.generation, case .delivering(let delivery) = phase else {
            return stop(for: generation, after: failures ?? [])
        }
        relay.reportDidEnd()
        counts.addDelivered(disposition)
        hasToNotify = unsafe isObserved || delivery.address.pointee.isWaitedFor
        if let failures, note(failures, of: delivery) { hasToNotify = true }
        if hasToNotify { intake.notification.begin() }
        return beginNext(intake)
    }

    /// Queues notices of a report's failed actions; returns true if there are none because the report itself is such a
    /// notice, so that the worker writes the failures to the last resort.
    @inline(never)
    private mutating func note(_ failures: [ActionFailure], of delivery: Delivery) -> Bool {
        counts.actionFailures += Int64(failures.count)
        if delivery.posting.isActionFailure { return true }
        for failure in failures {
            counts.notices += 1
            failureNotices.append(Posting(noticeOf: failure, in: delivery.posting.scope))
        }
        return false
    }

    // MARK: - Asynchronous actions

    /// Records the progress of the report in delivery and the asynchronous action that is about to begin: code that
    /// takes over or removes the report needs the failures of its actions.
    ///
    /// - Returns: Whether the worker of the generation still has the report.
    mutating func note(_ checkpoint: Checkpoint, for generation: UInt64) -> Bool {
        guard generation == relay.generation, isDelivering else { return false }
        relay.note(checkpoint)
        return true
    }

    /// Records that the action has returned or that its rule didn't match; returns whether its worker still had the
    /// report.
    mutating func actionDidEnd(for generation: UInt64) -> Bool {
        guard generation == relay.generation, isDelivering else { return false }
        relay.actionDidEnd()
        return true
    }

    /// Stops the worker of a generation and returns the next generation; nil if the worker was already stopped.
    mutating func replaceWorker(_ generation: UInt64) -> UInt64? {
        guard generation == relay.generation, !hasEnded else { return nil }
        return relay.replace()
    }

    /// Applies the limits that have passed: an overdue action in flight counts as failed and the next worker continues
    /// after it, an overdue flush is over, and the worker wakes for held reports.
    mutating func timeIsUp(at now: Duration, _ intake: borrowing BusIntake) -> TimerAction {
        var action = TimerAction(timedOut: takeFlushes { $0.deadline.map { $0 <= now } ?? false })
        var moments = flushes.deadlines
        if let end = flood?.nextEnd {
            if end <= now { action.wakes = rouse(intake) } else { moments.append(end) }
        }
        if let actionTimeLimit {
            let (replacement, end) = relay.replaceOverdue(at: now, limit: actionTimeLimit)
            action.replacement = replacement
            if let end { moments.append(end) }
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

    // MARK: - Running and ending

    /// Records that the bus runs; returns whether this is the first time.
    mutating func run() -> Bool {
        defer { hasRun = true }
        return !hasRun
    }

    /// Ends the bus if the intake is closed, every report is delivered, and no more will come; returns whether it did.
    mutating func endIfDone(_ intake: borrowing BusIntake) -> Bool {
        // The worker asks again after the notification of the last report.
        if intake.notification.isUnderway { return false }
        guard intake.state.isClosed, intake.update({ $0.end(released: released) }) else { return false }
        phase = .ended(reported: nil)
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
    ///   - delivered: The number of reports delivered by that time.
    ///   - intake: The intake with the reports.
    mutating func close(ifIdleSince delivered: Int64, _ intake: borrowing BusIntake) -> CloseAction? {
        let state = intake.state
        if state.isClosed { return .nothing }
        guard isIdle(intake), counts.delivered == delivered, intake.close(ifStill: state) else { return nil }
        return didClose(intake)
    }

    private mutating func didClose(_ intake: borrowing BusIntake) -> CloseAction {
        if !hasRun, statistics(intake).pending == 0, endIfDone(intake) { return .end }
        return rouse(intake) ? .wake : .nothing
    }

    /// Records that the tasks have ended; from now on, no more posts are accepted than the bus has room for.
    mutating func tasksEnded(_ intake: borrowing BusIntake) { lastPosts.tasksEnded(intake) }

    /// Stops accepting posts once the tasks have ended.
    mutating func cancel(_ intake: borrowing BusIntake) { lastPosts.cancel(intake) }

    /// Ends the bus and returns the undelivered reports; nil if the bus has already ended.
    mutating func abort(_ intake: borrowing BusIntake) -> Leftovers? {
        if hasEnded { return nil }
        var left = relay.takeLeftovers()
        removed = delivery
        if let delivery {
            left.append(delivery.posting, sequence: delivery.sequence)
        } else if flood != nil, hasRun {
            // The worker might be reading the next one to compute its token.
            removed = unsafe intake.mailbox.element(at: nextNumber).map { unsafe Delivery(address: $0, sequence: 0) }
        }
        let isNextRead = removed != nil && !isDelivering
        phase = .ended(reported: left.failures.count)
        while let notice = failureNotices.popFirst() { left.append(notice) }
        // Held reports were posted before the reports that are still in the intake.
        while let release = flood?.release() { left.append(Posting(release)) }
        let end = intake.update { $0.abort() }
        var unfilled: Int64 = 0
        for number in nextNumber...end {
            if let notice = takeDropNotice(before: number, intake) { left.append(notice) }
            if number == end { break }
            if let posting = intake.remove(number, isRead: isNextRead && number == nextNumber) {
                left.append(posting)
            } else {
                // Its caller will be refused and writes it to the last resort.
                unfilled += 1
            }
        }
        nextNumber = end
        counts.removed += Int64(left.postings.count) + unfilled
        counts.actionFailures += Int64(left.failures.count)
        intake.publishReleased(released)
        return left
    }

    /// Takes the report that a stopped worker was reading when a shutdown removed it; the worker empties the slot.
    mutating func takeRemoved(by generation: UInt64) -> Delivery? {
        generation + 1 == relay.generation ? removed.take() : nil
    }
}
