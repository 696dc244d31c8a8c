/// What a bus has taken, and what became of it, in counts that are not cut off; ``ErrorBus/Statistics`` says what each
/// means.
struct BusCounts: Equatable {
    var posted: Int64
    var handled: Int64
    var ignored: Int64
    var unmatched: Int64
    var suppressed: Int64
    var dropped: Int64
    var pending: Int64
    var actionFailures: Int64

    /// The same in `Int`s, which have 32 bits on some systems.
    var statistics: ErrorBus.Statistics {
        ErrorBus.Statistics(
            posted: Int(clamping: posted),
            handled: Int(clamping: handled),
            ignored: Int(clamping: ignored),
            unmatched: Int(clamping: unmatched),
            suppressed: Int(clamping: suppressed),
            dropped: Int(clamping: dropped),
            pending: Int(clamping: pending),
            actionFailures: Int(clamping: actionFailures)
        )
    }
}

extension BusStateMachine {
    /// What became of what was taken; with 64 bits on all systems, since these grow as long as the bus lives.
    struct Counters {
        /// Accepted reports that are over, or in delivery: they take no capacity.
        var released: Int64 = 0
        /// Notices of drops that were taken.
        var notices: Int64 = 0
        /// Notices of failures that were made.
        var failureNotices: Int64 = 0
        var handled: Int64 = 0
        var ignored: Int64 = 0
        var unmatched: Int64 = 0
        var suppressed: Int64 = 0
        /// Errors that a notice has told of.
        var toldDrops: Int64 = 0
        /// Reports that a shutdown has given back.
        var givenBack: Int64 = 0
        var actionFailures: Int64 = 0

        mutating func count(_ end: HandleOutcome.Disposition) {
            switch end {
            case .ignored: ignored += 1
            case .unmatched: unmatched += 1
            default: handled += 1
            }
        }
    }

    /// The counts, in which the law holds whenever they are read.
    ///
    /// Posts and pending reports are counted by the intake, their ends here and in the lane. Where nothing changes
    /// meanwhile each is counted on its own. Else what is pending is the difference of what was posted and what has
    /// ended, both read together: from the posts that came in while the ends were read so many count as there can be at
    /// most when these have come to their end.
    ///
    /// - Parameters:
    ///   - intake: What the intake has counted while the others were read.
    ///   - lane: What the lane has.
    func counts(_ intake: IntakeCounts, _ lane: LaneCounts = LaneCounts()) -> BusCounts {
        let handled = counters.handled + lane.handled
        let ignored = counters.ignored + lane.ignored
        let unmatched = counters.unmatched + lane.unmatched
        let overflowed = counters.toldDrops + intake.untoldDrops
        let notices = counters.notices + intake.notices + counters.failureNotices
        let noticesWaiting = intake.notices + Int64(failureNotices.count)
        let lost = intake.withdrawn + counters.givenBack
        let ended = handled + ignored + unmatched + counters.suppressed + lost
        let mostPending = Int64(capacity) + 1 + noticesWaiting
        let accepted = max(intake.acceptedBefore, min(intake.accepted, ended + mostPending - notices))
        let isAtRest = intake.acceptedBefore == intake.accepted && !lane.isOpen
        // After the end the intake may be wrong about what was released.
        let released = hasEnded ? counters.released : intake.released
        let held = accepted - intake.withdrawn - released + noticesWaiting + (isDelivering ? 1 : 0)
        return BusCounts(
            posted: accepted + overflowed + intake.refused + notices,
            handled: handled,
            ignored: ignored,
            unmatched: unmatched,
            suppressed: counters.suppressed,
            dropped: overflowed + intake.refused + lost,
            pending: isAtRest ? held : accepted + notices - ended,
            actionFailures: counters.actionFailures
        )
    }
}
