/// The events that come from the bus's owner: to wait for it, to run it, and to end it.
extension BusStateMachine {
    // MARK: Waiting

    /// Somebody who waits until everything posted before is delivered.
    struct Flush {
        /// The number before which all reports have to be delivered.
        let turn: Int64
        /// When the caller wants to wait no longer; nil to wait as long as it takes.
        let deadline: Duration?
        let promise: Promise<Bool>
    }

    /// Lets a caller wait for everything posted before.
    ///
    /// - Parameters:
    ///   - promise: Fulfilled by whoever takes it out.
    ///   - deadline: When the caller wants to wait no longer; nil to wait as long as it takes.
    ///   - intake: Where the reports are.
    mutating func flush(
        _ promise: Promise<Bool>, until deadline: Duration?, _ intake: borrowing BusIntake
    ) -> FlushAction {
        if isIdle(intake) { return .nothing }
        // The count of accepted posts never falls: so the order is kept.
        flushes.append(Flush(turn: intake.accepted, deadline: deadline, promise: promise))
        return isAsleep(intake) ? .wakeAndWait : .wait
    }

    /// Removes those of whom a closure says that their waiting is over, and returns their promises.
    mutating func takeFlushes(where isOver: (Flush) -> Bool) -> [Promise<Bool>] {
        defer { flushes.removeAll(where: isOver) }
        return flushes.filter(isOver).map(\.promise)
    }

    // MARK: Running and ending

    /// Notes that the bus runs; returns whether this is the first time.
    mutating func run() -> Bool {
        defer { hasRun = true }
        return !hasRun
    }

    /// Ends, if the intake is closed, everything is delivered, and no more will come; returns whether it did.
    mutating func endIfDone(_ intake: borrowing BusIntake) -> Bool {
        guard intake.state.isClosed, intake.update({ $0.end(released: released) }) else { return false }
        // A worker that was replaced before has reported all its failures.
        phase = .ended(reported: .max)
        return true
    }

    /// Accepts no more posts; what is pending is still delivered.
    mutating func close(_ intake: borrowing BusIntake) -> CloseAction {
        intake.update { $0.close() } ? didClose(intake) : .nothing
    }

    /// Accepts no more posts, if nothing is pending and nothing was delivered since a moment; else returns nil.
    ///
    /// - Parameters:
    ///   - delivered: How many reports were delivered by that moment.
    ///   - intake: Where the reports are.
    mutating func close(ifIdleSince delivered: Int64, _ intake: borrowing BusIntake) -> CloseAction? {
        let state = intake.state
        if state.isClosed { return .nothing }
        guard isIdle(intake), counts.delivered == delivered, intake.close(ifStill: state) else { return nil }
        return didClose(intake)
    }

    private mutating func didClose(_ intake: borrowing BusIntake) -> CloseAction {
        if !hasRun, statistics(intake).pending == 0, endIfDone(intake) { return .end }
        return isAsleep(intake) ? .wake : .nothing
    }

    /// Notes that the tasks have ended: from now on no more posts are accepted than the bus has room for.
    mutating func tasksEnded(_ intake: borrowing BusIntake) {
        tasksHaveEnded = true
        intake.accept(atMost: isCancelled ? 0 : intake.capacity)
    }

    /// Accepts no more posts once the tasks have ended.
    mutating func cancel(_ intake: borrowing BusIntake) {
        isCancelled = true
        if tasksHaveEnded { intake.accept(atMost: 0) }
    }

    /// Ends the bus, and returns everything that was not delivered; nil if the bus has ended already.
    mutating func abort(_ intake: borrowing BusIntake) -> Leftovers? {
        if hasEnded { return nil }
        var left = Leftovers(worker: generation)
        generation += 1
        abandoned = delivery
        if let delivery { left.append(unsafe delivery.posting.pointee, sequence: delivery.sequence) }
        // The worker may be reading this one too, to compute its fingerprint.
        let isNextRead = hasFloodLimit && delivery == nil
        left.failures = checkpoint?.progress.failures ?? []
        checkpoint = nil
        phase = isNotifying ? .notifying(then: .stop) : .ended(reported: left.failures.count)
        while let notice = failureNotices.popFirst() { left.append(notice) }
        // Held reports were posted before what is still in the intake.
        while let release = flood?.release() { left.append(Posting(release)) }
        let end = intake.update { $0.abort() }
        var unfilled: Int64 = 0
        for number in nextNumber...end {
            if let notice = takeDropNotice(before: number, intake) { left.append(notice) }
            if number == end { break }
            if isNextRead, number == nextNumber, let posting = unsafe intake.mailbox.element(at: number) {
                left.append(unsafe posting.pointee)
            } else if let posting = intake.mailbox.close(number) {
                left.append(posting)
            } else {
                // Its poster will be refused, and writes it to the last resort.
                unfilled += 1
            }
        }
        nextNumber = end
        counts.takenBack += Int64(left.postings.count) + unfilled
        counts.actionFailures += Int64(left.failures.count)
        intake.publishReleased(released)
        return left
    }

    /// Notes that the receiver has what was taken back, before anyone hears of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, the worker ends it once it has notified the observers of a report.
    mutating func leftoversWereReceived() -> Bool {
        guard isNotifying else { return true }
        phase = .notifying(then: .end)
        return false
    }
}
