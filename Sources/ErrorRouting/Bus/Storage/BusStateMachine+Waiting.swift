/// Notices of drops, which wait for their turn.
extension BusStateMachine {
    /// Queues a notice of drops behind what is accepted up to now, for the first drop since the last notice.
    mutating func needsNotice(at source: ErrorReport.Source, _ shared: borrowing BusShared) -> NoticeAction {
        // The bus has ended since it was full.
        if hasEnded { return .tell(takeDrops(from: shared).drops) }
        queueDropNotice(at: source, shared)
        return isAsleep(shared) ? .wake : .nothing
    }

    private mutating func queueDropNotice(at source: ErrorReport.Source, _ shared: borrowing BusShared) {
        counters.notices += 1
        dropNotice = DropNotice(turn: shared.intake.accepted, source: source)
        updateInterruption(of: shared)
    }

    /// Takes the notice of drops that is delivered before the report of a number, and the drops that it tells of.
    mutating func takeDropNotice(before number: Int64, _ shared: borrowing BusShared) -> PendingReport? {
        guard let notice = dropNotice, notice.turn <= number else { return nil }
        dropNotice = nil
        updateInterruption(of: shared)
        let (drops, isMoreUntold) = takeDrops(from: shared)
        if isMoreUntold { queueDropNotice(at: notice.source, shared) }
        return PendingReport(Posting(drops, at: notice.source, moment: notice.moment))
    }

    /// Takes the drops for a notice; returns whether another notice has to be made, since more was dropped meanwhile.
    private mutating func takeDrops(from shared: borrowing BusShared) -> (drops: ErrorsDropped, isMoreUntold: Bool) {
        var counts = DropCounts()
        var isMoreUntold = shared.intake.drops.take(into: &counts)
        // After the end nobody would deliver another notice.
        while isMoreUntold, hasEnded { isMoreUntold = shared.intake.drops.take(into: &counts) }
        counters.toldDrops += counts.total
        return (counts.notice, isMoreUntold)
    }
}

// MARK: - Those who wait

extension BusStateMachine {
    /// Lets a caller wait for everything posted before.
    mutating func flush(_ promise: Promise<Bool>?, _ shared: borrowing BusShared) -> FlushAction {
        if isIdle(shared) { return .idle }
        guard let promise else { return .busy }
        // The count of accepted posts never falls: so the order is kept.
        flushes.append((shared.intake.accepted, promise))
        updateInterruption(of: shared)
        return .waits(wakes: isAsleep(shared))
    }

    /// Removes a promise that nobody waits for any more.
    mutating func forgetFlush(_ promise: Promise<Bool>, _ shared: borrowing BusShared) {
        flushes.removeAll { $0.promise === promise }
        updateInterruption(of: shared)
    }

    /// Returns true if the bus is idle; else keeps a promise, which is fulfilled when it is.
    mutating func waitUntilIdle(_ promise: Promise<Void>, _ shared: borrowing BusShared) -> Bool {
        if isIdle(shared) { return true }
        idleWaiters.append(promise)
        return false
    }

    /// Removes and returns all waiters, since the bus has ended.
    mutating func takeWaiters() -> (idle: [Promise<Void>], flushes: [Promise<Bool>]) {
        (exchange(&idleWaiters, with: []), takeFlushes(before: .max))
    }

    /// Removes and returns the promises to those who wait only for reports before a number.
    mutating func takeFlushes(before number: Int64) -> [Promise<Bool>] {
        let due = flushes.prefix { $0.turn <= number }.map(\.promise)
        flushes.removeFirst(due.count)
        return due
    }

    /// Lets the worker leave the lane where a notice or a flush comes next.
    func updateInterruption(of shared: borrowing BusShared) {
        shared.lane.interrupt(before: [dropNotice?.turn, flushes.first?.turn].compactMap(\.self).min())
    }
}

// MARK: - Time limits

extension BusStateMachine {
    /// Changes the checkpoint of a worker's report; returns false if the worker has the report no more.
    private mutating func change(for generation: UInt64, _ change: (Checkpoint?) -> Checkpoint?) -> Bool {
        guard generation == self.generation, case .delivering(let pending, let checkpoint) = phase else { return false }
        phase = .delivering(pending, change(checkpoint))
        return true
    }

    /// Notes how far the report in delivery has come: whoever takes it over, or takes it back, has to know which of its
    /// actions have failed.
    ///
    /// - Returns: Whether the worker of the generation still has the report.
    mutating func note(_ progress: DispatchProgress, for generation: UInt64) -> Bool {
        change(for: generation) { _ in Checkpoint(progress) }
    }

    /// Notes the asynchronous action that is about to begin, if it may.
    mutating func actionWillBegin(_ action: SupervisedAction, at now: Duration, for generation: UInt64) -> BeginAction {
        let isCurrent = change(for: generation) {
            Checkpoint($0?.progress ?? DispatchProgress(), running: (action, began: now))
        }
        guard isCurrent else { return .superseded }
        guard actionTimeLimit != nil, !watchdogIsOut else { return .begin }
        watchdogIsOut = true
        return .beginWatched
    }

    /// Notes that the action has returned; returns whether its worker still had the report.
    mutating func actionDidEnd(for generation: UInt64) -> Bool {
        change(for: generation) { $0.map { Checkpoint($0.progress) } }
    }

    /// Abandons the action in flight if it is overdue: it counts as failed, and the next worker goes on after it.
    mutating func watch(at now: Duration) -> WatchAction {
        guard let actionTimeLimit, case .delivering(let pending, let checkpoint) = phase,
            let (action, began) = checkpoint?.action
        else {
            watchdogIsOut = false
            return .stop
        }
        let deadline = began + min(actionTimeLimit, BusClock.forever)
        guard now >= deadline else { return .sleep(until: deadline) }
        var progress = action.progress
        progress.record(ActionTimeLimitExceeded(limit: actionTimeLimit), of: action.rule, action.report)
        phase = .delivering(pending, Checkpoint(progress))
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
