/// What the machine does with the intake beside it, under the bus's lock.
extension BusStateMachine {
    /// The counts of the bus, which balance whenever they are read.
    func counts(of intake: borrowing BusIntake, _ lane: borrowing DeliveryLane) -> BusCounts {
        // The accepted posts are read before the ends and after them.
        let before = intake.state
        let lane = lane.counts
        return counts(intake.counts(since: before), lane)
    }

    /// Returns what the worker of a generation does next.
    ///
    /// - Parameters:
    ///   - generation: The worker's.
    ///   - now: The current moment, if the caller knows it: windows of the flood limit that end by then end.
    ///   - intake: The bus's intake.
    ///   - lane: The bus's lane; if the worker is to deliver there, the caller opens it.
    mutating func next(
        for generation: UInt64,
        at now: Duration?,
        from intake: borrowing BusIntake,
        _ lane: borrowing DeliveryLane
    ) -> WorkerAction {
        while true {
            let ownAction = next(for: generation)
            publishRoom(before: ownAction, in: intake)
            if let ownAction { return ownAction }
            let number = nextNumber
            let action = take(from: intake)
            publishRoom(before: action, in: intake)
            if let action { return action }
            if nextNumber != number { continue }
            if let promises = takeFlushes(from: intake) { return .flushed(promises) }
            if canUseLane(of: intake) { return .deliverInLane(nextNumber) }
            if intake.mailbox.isFilled(at: nextNumber) { continue }
            if isHolding {
                let isEnding = intake.state.isClosed || isWindingUp
                guard isEnding || now != nil else { return .readClock }
                let action = release(endingBy: isEnding ? nil : now)
                publishRoom(before: action, in: intake)
                if let action { return action }
            }
            if intake.end() {
                end()
                return .end
            }
            guard intake.mailbox.sleep(at: nextNumber) else { continue }
            let isIdle = counts(of: intake, lane).pending == 0
            return .sleep(isIdle ? waiters.takeIdle() : [], alarm: alarm)
        }
    }

    /// Publishes how many reports are released.
    ///
    /// Not for a worker that was replaced: its successor may be in the lane, where it publishes the count itself.
    private func publishRoom(before action: WorkerAction?, in intake: borrowing BusIntake) {
        if case .stop = action { return }
        intake.publishReleased(counters.released)
    }

    /// Whether the next report, as far as can be seen, needs nothing but delivery.
    private func canUseLane(of intake: borrowing BusIntake) -> Bool {
        !isHolding && intake.mailbox.isPlain(at: nextNumber)
    }

    /// Takes what is next in the intake, unless that is a report for the lane.
    ///
    /// - Returns: What the worker does next; nil if nothing was taken, or only reports that a flood limit holds.
    private mutating func take(from intake: borrowing BusIntake) -> WorkerAction? {
        if intake.hasNotice(before: nextNumber), let notice = intake.takeNotice() {
            return receive(notice, with: intake.takeDrops(at: notice.posting.source))
        }
        if waiters.hasFlush(before: nextNumber) { return releaseHeld() }
        if canUseLane(of: intake) { return nil }
        // A notice goes before what was accepted after it, even if a flood limit holds all that was accepted before.
        while !intake.hasNotice(before: nextNumber), !waiters.hasFlush(before: nextNumber),
            let posting = intake.mailbox.take(nextNumber)
        {
            if let action = receive(posting) { return action }
        }
        return nil
    }

    /// Removes and returns those who wait for what was posted before the next report; nil if there are none.
    ///
    /// All of that is delivered: ``take(from:)`` has found nothing left of it.
    private mutating func takeFlushes(from intake: borrowing BusIntake) -> [Promise<Bool>]? {
        guard waiters.hasFlush(before: nextNumber) else { return nil }
        let promises = waiters.takeFlushes(before: nextNumber)
        intake.interruptLane(before: waiters.firstFlush)
        return promises
    }

    /// Ends the bus, and gives back everything that was not delivered.
    ///
    /// - Parameters:
    ///   - intake: The intake, which is shut.
    ///   - laneStop: Where the lane was withdrawn; nil if it was closed.
    mutating func takeBack(from intake: borrowing BusIntake, laneStop: DeliveryLane.Stop?) -> Leftovers {
        if let laneStop {
            // Without the flood limiter, which the worker may be using; it holds nothing.
            laneClosed(at: laneStop, nil)
            // A copy, since the worker may still be reading the posting in its place.
            let posting = unsafe intake.mailbox.element(at: laneStop.number).pointee
            if laneStop.isUnadmitted {
                postpone(PendingReport(posting))
            } else {
                _ = deliverFromLane(posting)
            }
        }
        return giveBack(takeRest(from: intake), isAnnouncing: laneStop?.isAnnouncing ?? false)
    }

    /// Shuts the intake, and takes what is left in it.
    private mutating func takeRest(from intake: borrowing BusIntake) -> [PendingReport] {
        var rest: [PendingReport] = []
        let end = intake.shut()
        for number in nextNumber...max(end, nextNumber) {
            if intake.hasNotice(before: number), let notice = intake.takeNotice() {
                fill(notice, with: intake.takeDrops(at: notice.posting.source))
                rest.append(notice)
            }
            // If a place is not filled yet, its poster will be refused.
            if number < end, let posting = intake.mailbox.shut(number) { rest.append(PendingReport(posting)) }
        }
        return rest
    }
}
