/// What became of the reports of a bus, apart from what the intake counts; with 64 bits on all systems, since the
/// counts grow as long as the bus lives.
struct BusCounts {
    /// At the beginning all reports before the first one's number.
    var handled: Int64
    var ignored: Int64 = 0
    var unmatched: Int64 = 0
    var suppressed: Int64 = 0
    /// Notices of drops and of failures that were made.
    var notices: Int64 = 0
    /// Dropped errors of which a notice, or the last resort, has said so.
    var reportedDrops: Int64 = 0
    /// Reports that a shutdown has taken back, or that were still being posted then.
    var takenBack: Int64 = 0
    var actionFailures: Int64 = 0

    /// How many reports were delivered.
    var delivered: Int64 { handled + ignored + unmatched }

    mutating func addDelivered(_ disposition: HandleOutcome.Disposition) {
        switch disposition {
        case .ignored: ignored += 1
        case .unmatched: unmatched += 1
        default: handled += 1
        }
    }
}

extension BusStateMachine {
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
}
