/// The counts of a bus, with 64 bits on all systems; ``ErrorBus/Statistics`` documents each.
struct BusCounts: Equatable {
    var posted: Int64
    var handled: Int64
    var ignored: Int64
    var unmatched: Int64
    var suppressed: Int64
    var dropped: Int64
    var pending: Int64
    var actionFailures: Int64

    /// How many reports were delivered.
    var delivered: Int64 { handled + ignored + unmatched }

    /// The same counts as `Int`s, which have 32 bits on some systems.
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
    /// What the machine counts; with 64 bits on all systems, since the counts grow as long as the bus lives.
    struct Counters {
        /// Accepted reports that have ended, or are in delivery: they take no capacity.
        var released: Int64 = 0
        /// Notices of drops that were taken from the intake.
        var notices: Int64 = 0
        /// Notices of failures that were made.
        var failureNotices: Int64 = 0
        var handled: Int64 = 0
        var ignored: Int64 = 0
        var unmatched: Int64 = 0
        var suppressed: Int64 = 0
        /// Dropped errors of which a notice, or the last resort, has told.
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

    /// The counts of the bus, which balance whenever they are read.
    ///
    /// The intake counts posts and pending reports; the machine and the lane count ends. If nothing changes while they
    /// are read, each count is taken as it is. Else pending is the difference of posts and ends; and of the posts that
    /// came in while the ends were read, only as many count as can be pending beside these ends.
    ///
    /// - Parameters:
    ///   - intake: The intake's counts, read before and after the others.
    ///   - lane: The lane's counts.
    func counts(_ intake: IntakeCounts, _ lane: LaneCounts = LaneCounts()) -> BusCounts {
        let handled = counters.handled + lane.handled
        let ignored = counters.ignored + lane.ignored
        let unmatched = counters.unmatched + lane.unmatched
        let overflowed = counters.toldDrops + intake.untoldDrops
        let notices = counters.notices + intake.notices + counters.failureNotices
        let noticesWaiting = intake.notices + Int64(failureNotices.count)
        let lost = intake.reclaimed + counters.givenBack
        let ended = handled + ignored + unmatched + counters.suppressed + lost
        let mostPending = Int64(capacity) + 1 + noticesWaiting
        let accepted = max(intake.acceptedBefore, min(intake.accepted, ended + mostPending - notices))
        let isAtRest = intake.acceptedBefore == intake.accepted && !lane.isOpen
        // After the end, a worker that is late may have set the intake's count to an older one.
        let released = hasEnded ? counters.released : intake.released
        let held = accepted - intake.reclaimed - released + noticesWaiting + (isDelivering ? 1 : 0)
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
