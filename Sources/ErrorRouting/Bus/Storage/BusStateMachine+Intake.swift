/// Taking reports and notices out of the intake, under the bus's lock.
extension BusStateMachine {
    /// Whether the next report, as far as can be seen, needs nothing but delivery.
    func canUseLane(of intake: borrowing BusIntake) -> Bool {
        !isHolding && intake.mailbox.isPlain(at: nextNumber)
    }

    /// Takes what is next in the intake, unless that is a report for the lane.
    ///
    /// - Returns: What the worker does next; nil if nothing was taken, or only reports that a flood limit holds.
    mutating func take(from intake: borrowing BusIntake) -> WorkerAction? {
        if intake.hasNotice(before: nextNumber), let notice = intake.takeNotice() {
            return take(notice, telling: intake.takeDrops(at: notice.posting.source))
        }
        if waiters.hasFlush(before: nextNumber) { return releaseHeld() }
        if canUseLane(of: intake) { return nil }
        // A notice goes before what was accepted after it, even if a flood limit holds all that was accepted before.
        while !intake.hasNotice(before: nextNumber), !waiters.hasFlush(before: nextNumber),
            let posting = intake.mailbox.take(nextNumber)
        {
            if let action = take(posting) { return action }
        }
        return nil
    }

    /// Removes and returns those who wait for what was posted before the next report; nil if there are none.
    ///
    /// All of that is delivered: ``take(from:)`` has found nothing left of it.
    mutating func takeFlushes(from intake: borrowing BusIntake) -> [Promise<Bool>]? {
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
        return takeBack(takeRest(from: intake), isAnnouncing: laneStop?.isAnnouncing ?? false)
    }

    /// Shuts the intake, and takes what is left in it.
    private mutating func takeRest(from intake: borrowing BusIntake) -> [PendingReport] {
        var rest: [PendingReport] = []
        let end = intake.shut()
        for number in nextNumber...max(end, nextNumber) {
            if intake.hasNotice(before: number), let notice = intake.takeNotice() {
                tell(intake.takeDrops(at: notice.posting.source), by: notice)
                rest.append(notice)
            }
            // If a place is not filled yet, its poster will be refused.
            if number < end, let posting = intake.mailbox.shut(number) { rest.append(PendingReport(posting)) }
        }
        return rest
    }
}
