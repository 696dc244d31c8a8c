/// How a bus runs, is closed, and ends.
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

    mutating func runReturned() { runPhase = .returned }

    /// Ends, if the intake is closed, everything is delivered, and no more will come; returns whether it did.
    mutating func end(_ shared: borrowing BusShared) -> Bool {
        guard shared.intake.end(released: released) else { return false }
        phase = .ended(told: 0)
        return true
    }

    /// Accepts no more posts; what is pending is still delivered.
    ///
    /// - Parameters:
    ///   - intake: The bus's shared.intake.
    ///   - lane: The bus's shared.lane.
    ///   - delivered: How many reports were delivered by a moment since which nothing may have been delivered; nil to
    ///     close the bus even if reports are pending.
    /// - Returns: What the caller does; nil if the bus is not closed, since it is not idle.
    mutating func close(
        _ shared: borrowing BusShared, ifIdleSince delivered: Int64? = nil
    ) -> BusStorage.CloseAction? {
        let state = shared.intake.state
        if let delivered, !state.isClosed {
            guard isIdle(shared), shared.lane.delivered == delivered, shared.intake.close(ifStill: state) else {
                return nil
            }
        } else if !shared.intake.close() {
            return .nothing
        }
        if runPhase == .notStarted, counts(shared).pending == 0, end(shared) { return .end }
        return isAsleep(shared) ? .wake : .nothing
    }

    /// Releases what a flood limit holds, from now on at once; returns whether the worker has to be woken.
    mutating func windUp(_ shared: borrowing BusShared) -> Bool {
        isWindingUp = true
        return isAsleep(shared)
    }

    /// Notes that the tasks have ended: from now on no more posts are accepted than the bus has room for.
    mutating func tasksEnded(_ shared: borrowing BusShared) {
        isLimited = true
        shared.intake.accept(atMost: isHurried ? 0 : shared.intake.capacity)
    }

    /// Accepts no more posts once the tasks have ended.
    mutating func hurry(_ shared: borrowing BusShared) {
        isHurried = true
        if isLimited { shared.intake.accept(atMost: 0) }
    }

    /// Ends the bus, and gives back everything that was not delivered; nil if the bus has ended already.
    mutating func takeBack(_ shared: borrowing BusShared) -> Leftovers? {
        if hasEnded { return nil }
        generation += 1
        var left = Leftovers()
        var (isTelling, inLane) = (false, nil as Int64?)
        switch phase {
        case .delivering(let pending, let checkpoint):
            left.reports.append(pending)
            left.failures = (checkpoint?.action?.running.progress ?? checkpoint?.progress)?.failures ?? []
        case .inLane:
            let stop = shared.lane.withdraw()
            (nextNumber, isTelling, inLane) = (stop.number, stop.isTelling, stop.number)
            if !stop.isUnadmitted {
                left.reports.append(copy(of: stop.number, in: shared, sequence: shared.lane.sequence(of: stop.number)))
                nextNumber += 1
            }
        case .announcing: isTelling = true
        case .idle, .ended: break
        }
        phase = isTelling ? .announcing(then: .stop) : .ended(told: left.failures.count)
        while let notice = failureNotices.popFirst() { left.reports.append(notice) }
        // Held reports were posted before what is still in the shared.intake.
        while let release = flood?.release(endingBy: nil) {
            release.held.occurrences = release.occurrences
            left.reports.append(release.held)
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

    /// Returns the report that the worker was at in the lane, whose posting stays in its place: the worker may still be
    /// reading it.
    private func copy(of number: Int64, in shared: borrowing BusShared, sequence: UInt64 = 0) -> PendingReport {
        PendingReport(unsafe shared.intake.mailbox.element(at: number).pointee, sequence: sequence)
    }

    /// Notes that the receiver has what was taken back, before anyone hears of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, the worker ends it once it has told the observers of a report.
    mutating func leftoversWereReceived() -> Bool {
        guard isAnnouncing else { return true }
        phase = .announcing(then: .end)
        return false
    }
}
