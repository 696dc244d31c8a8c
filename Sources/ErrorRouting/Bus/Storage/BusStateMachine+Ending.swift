/// How a bus runs, is closed, and ends.
extension BusStateMachine {
    mutating func run() -> RunAction {
        switch runPhase {
        case .running: return .runsAlready
        case .returned: return .ranBefore
        case .notStarted:
            runPhase = .running
            return hasEnded ? .alreadyEnded : .start(generation: generation)
        }
    }

    mutating func runReturned() { runPhase = .returned }

    /// Ends, if the intake is closed, everything is delivered, and no more will come; returns whether it did.
    mutating func endIfDone(_ shared: borrowing BusShared) -> Bool {
        guard shared.intake.end(released: released) else { return false }
        phase = .ended(told: 0)
        return true
    }

    /// Accepts no more posts; what is pending is still delivered.
    ///
    /// - Parameters:
    ///   - delivered: How many reports were delivered by a moment since which nothing may have been delivered; nil to
    ///     close the bus even if reports are pending.
    ///   - shared: What is used without the lock too.
    /// - Returns: What the caller does; nil if the bus is not closed, since it is not idle.
    mutating func close(ifIdleSince delivered: Int64?, _ shared: borrowing BusShared) -> CloseAction? {
        let state = shared.intake.state
        if let delivered, !state.isClosed {
            let isIdle = isIdle(shared) && shared.lane.delivered == delivered
            guard isIdle, shared.intake.close(ifStill: state) else { return nil }
        } else if !shared.intake.close() {
            return .nothing
        }
        if runPhase == .notStarted, counts(shared).pending == 0, endIfDone(shared) { return .end }
        return isAsleep(shared) ? .wake : .nothing
    }

    /// Releases what a flood limit holds, from now on at once; returns whether the worker has to be woken.
    mutating func windUp(_ shared: borrowing BusShared) -> Bool {
        isWindingUp = true
        return isAsleep(shared)
    }

    /// Notes that the tasks have ended: from now on no more posts are accepted than the bus has room for.
    mutating func tasksEnded(_ shared: borrowing BusShared) {
        tasksHaveEnded = true
        shared.intake.accept(atMost: isHurried ? 0 : shared.intake.capacity)
    }

    /// Accepts no more posts once the tasks have ended.
    mutating func hurry(_ shared: borrowing BusShared) {
        isHurried = true
        if tasksHaveEnded { shared.intake.accept(atMost: 0) }
    }

    /// Ends the bus, and gives back everything that was not delivered; nil if the bus has ended already.
    mutating func takeBack(_ shared: borrowing BusShared) -> Leftovers? {
        if hasEnded { return nil }
        var left = Leftovers(worker: generation)
        generation += 1
        var (isTelling, inLane) = (self.isTelling, nil as Int64?)
        switch phase {
        case .delivering(let pending, let checkpoint):
            left.reports.append(pending)
            left.failures = (checkpoint?.action?.running.progress ?? checkpoint?.progress)?.failures ?? []
        case .inLane:
            let position = shared.lane.withdraw()
            let number = position.number
            (nextNumber, isTelling, inLane) = (number, position.isTelling, number)
            if !position.isUnadmitted {
                left.reports.append(copy(of: number, in: shared, sequence: shared.lane.sequence(of: number)))
                nextNumber += 1
            }
        case .idle, .telling, .ended: break
        }
        phase = isTelling ? .telling(then: .stop) : .ended(told: left.failures.count)
        while let notice = failureNotices.popFirst() { left.reports.append(notice) }
        // Held reports were posted before what is still in the intake.
        while let release = flood?.release(endingBy: nil) {
            left.reports.append(PendingReport(release))
        }
        let end = shared.intake.shut()
        for number in nextNumber...end {
            if let notice = takeDropNotice(before: number, shared) { left.reports.append(notice) }
            if number == end { break }
            if number == inLane {
                left.reports.append(copy(of: number, in: shared))
            } else if let posting = shared.intake.mailbox.shut(number) {
                left.reports.append(PendingReport(posting))
            } else {
                // Its place is not filled yet: its poster will be refused.
                unfilled += 1
            }
        }
        nextNumber = end
        counters.givenBack += Int64(left.reports.count)
        counters.actionFailures += Int64(left.failures.count)
        shared.intake.publishReleased(released)
        return left
    }

    /// Returns the report that the worker is at in the lane, with a copy of its posting: the worker may still be
    /// reading the one in its place.
    private func copy(of number: Int64, in shared: borrowing BusShared, sequence: UInt64 = 0) -> PendingReport {
        PendingReport(unsafe shared.intake.mailbox.element(at: number).pointee, sequence: sequence)
    }

    /// Notes that the receiver has what was taken back, before anyone hears of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, the worker ends it once it has told the observers of a report.
    mutating func leftoversWereReceived() -> Bool {
        guard isTelling else { return true }
        phase = .telling(then: .end)
        return false
    }
}
