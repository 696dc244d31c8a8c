/// The readable part of the machine's state; only events change the state.
extension BusStateMachine {
    /// Whether every report is delivered or removed; after a shutdown, the worker might still be notifying observers of
    /// a report.
    var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// The sequence number of the report that begins its delivery.
    var nextSequence: UInt64 { UInt64(counts.delivered + 1) }

    var isDelivering: Bool { if case .delivering = phase { true } else { false } }

    /// Whether the report with a sequence number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool { isDelivering && delivery.sequence == sequence }

    /// The error of the report in delivery.
    var errorInDelivery: UnboxedError? { isDelivering ? delivery.posting.error : nil }

    /// The number of accepted reports that no longer take capacity: completed reports and the one in delivery.
    var released: Int64 { nextNumber - Int64(flood?.heldCount ?? 0) }

    /// Whether nothing is pending and everyone was notified of the last report.
    func isIdle(_ intake: borrowing BusIntake) -> Bool {
        switch phase {
        case .delivering, .notifying: false
        case .created, .idle: statistics(intake).pending == 0
        case .ended(let ending): !ending.isNotifying
        }
    }

    /// Ends the worker's sleep; returns whether it slept, so that the caller must wake it.
    func rouse(_ intake: borrowing BusIntake) -> Bool { intake.mailbox.rouse(at: nextNumber) }

    /// The counts of the bus, which balance at every read.
    ///
    /// The machine or the intake counts each outcome and the pending reports. Posts that arrive during the read are
    /// left out.
    func statistics(_ intake: borrowing BusIntake) -> ErrorBus.Statistics {
        let overflowed = counts.reportedDrops + intake.drops.unreported
        // Read it before the count of accepted reports: there must not be more lost reports than accepted ones.
        let refused = intake.refused
        // No worker delivers a notice that is announced after the end.
        let hasDropNotice = !hasEnded && intake.drops.hasNotice
        let accepted = intake.accepted
        let notices = counts.notices + (hasDropNotice ? 1 : 0)
        let waitingNotices = Int64(failureNotices.count) + (hasDropNotice ? 1 : 0)
        let dropped = overflowed + refused + counts.removed
        let pending = accepted - released + waitingNotices + (isDelivering ? 1 : 0)
        // `Int` has 32 bits on some systems.
        return ErrorBus.Statistics(
            posted: Int(clamping: accepted + overflowed + refused + notices),
            handled: Int(clamping: counts.handled), ignored: Int(clamping: counts.ignored),
            unmatched: Int(clamping: counts.unmatched), suppressed: Int(clamping: counts.suppressed),
            dropped: Int(clamping: dropped), pending: Int(clamping: pending),
            actionFailures: Int(clamping: counts.actionFailures))
    }
}
