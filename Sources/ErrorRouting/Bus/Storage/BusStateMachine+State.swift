/// What can be read of the machine's state; only events change it.
extension BusStateMachine {
    /// Whether everything is delivered or taken back; the worker may still notify observers of the last report.
    var hasEnded: Bool {
        switch phase {
        case .ended, .notifying(then: .stop), .notifying(then: .end): true
        case .idle, .delivering, .notifying(then: .goOn): false
        }
    }

    /// The number, in the order of delivery, of the report whose delivery begins.
    var nextSequence: UInt64 { UInt64(counts.delivered + 1) }

    /// The report in delivery.
    var delivery: Delivery? { if case .delivering(let delivery) = phase { delivery } else { nil } }

    var isDelivering: Bool { delivery != nil }

    /// Whether the report with a sequence number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool { delivery?.sequence == sequence }

    var isNotifying: Bool { if case .notifying = phase { true } else { false } }

    /// How many of the accepted reports take no capacity any more: they have ended, or are in delivery.
    var released: Int64 { nextNumber - Int64(flood?.heldCount ?? 0) }

    /// Whether nothing is pending, and everyone was notified of the last report.
    func isIdle(_ intake: borrowing BusIntake) -> Bool {
        !isNotifying && (hasEnded || statistics(intake).pending == 0)
    }

    /// Whether the worker sleeps, and the caller has to wake it; the next caller gets false.
    func isAsleep(_ intake: borrowing BusIntake) -> Bool { intake.mailbox.rouse(at: nextNumber) }

    /// The counts of the bus, which balance whenever they are read.
    ///
    /// Each end is counted, by the machine or by the intake, and so is what is pending: posts that come in meanwhile
    /// are left out.
    func statistics(_ intake: borrowing BusIntake) -> ErrorBus.Statistics {
        let overflowed = counts.reportedDrops + intake.drops.unreported
        // Before the count of accepted reports, so that no more are lost than accepted.
        let refused = intake.refused
        // Nobody delivers one that is announced after the end.
        let hasDropNotice = !hasEnded && intake.drops.hasNotice
        let accepted = intake.accepted
        let notices = counts.notices + (hasDropNotice ? 1 : 0)
        let waitingNotices = Int64(failureNotices.count) + (hasDropNotice ? 1 : 0)
        let dropped = overflowed + refused + counts.takenBack
        let pending = accepted - released + waitingNotices + (isDelivering ? 1 : 0)
        // `Int` has 32 bits on some systems.
        return ErrorBus.Statistics(
            posted: Int(clamping: accepted + overflowed + refused + notices),
            handled: Int(clamping: counts.handled), ignored: Int(clamping: counts.ignored),
            unmatched: Int(clamping: counts.unmatched), suppressed: Int(clamping: counts.suppressed),
            dropped: Int(clamping: dropped), pending: Int(clamping: pending),
            actionFailures: Int(clamping: counts.actionFailures))
    }

    /// Returns the action that stops a worker that was replaced, or whose report was taken back.
    ///
    /// A worker that was replaced has reported all its failures: its successor knows of them. A shutdown knows of those
    /// that failed before the last checkpoint; the worker reports the others itself.
    ///
    /// - Parameters:
    ///   - generation: The worker's.
    ///   - failures: All failed actions of its report.
    func stop(for generation: UInt64, after failures: [ActionFailure] = []) -> WorkerAction {
        let isLast = generation + 1 == relay.generation
        return .stop(unreported: isLast ? phase.unreported(failures) : [])
    }
}
