extension BusStateMachine {
    /// What the machine counts; with 64 bits on all systems, since the counts grow as long as the bus lives.
    struct Counters {
        /// Notices of drops and of failures that were made.
        var notices: Int64 = 0
        var suppressed: Int64 = 0
        /// Dropped errors of which a notice, or the last resort, has told.
        var toldDrops: Int64 = 0
        /// Reports that a shutdown has given back.
        var givenBack: Int64 = 0
        var actionFailures: Int64 = 0
    }

    /// The counts of the bus, which balance whenever they are read.
    ///
    /// The intake counts posts, the lane and the machine count ends. If neither changes while they are read, pending
    /// reports are counted too. Else pending is the difference of posts and ends.
    ///
    /// Posts that come in while the ends are read may be left out, so that no more are pending than the bus can hold.
    /// Say that 8 may be pending, and that 100 reports have ended when the ends are read. Until the posts are read, 12
    /// more end, and 120 posts are found: then 109 count, for the 100, 8 that are pending and one in delivery.
    func counts(_ shared: borrowing BusShared) -> ErrorBus.Statistics {
        let before = shared.intake.accepted
        let (handled, ignored, unmatched) = (shared.lane[.handled], shared.lane[.ignored], shared.lane[.unmatched])
        // After the end, a worker that is late may have published an older count.
        let released = hasEnded ? self.released : shared.intake.released
        let overflowed = counters.toldDrops + shared.intake.drops.untold
        let (refused, reclaimed) = (shared.intake.refused, shared.intake.reclaimed)
        // Read last, so that no more reports are released than accepted.
        let after = shared.intake.accepted
        let lost = reclaimed + counters.givenBack
        let ended = handled + ignored + unmatched + counters.suppressed + lost
        let mostPending = Int64(shared.intake.capacity) + 1 + waitingNotices
        let accepted = max(before, min(after, ended + mostPending - counters.notices))
        let pending =
            before == after && !isInLane
            ? accepted - reclaimed - released + waitingNotices + (delivery == nil ? 0 : 1)
            : accepted + counters.notices - ended
        // `Int` has 32 bits on some systems.
        return ErrorBus.Statistics(
            posted: Int(clamping: accepted + overflowed + refused + counters.notices),
            handled: Int(clamping: handled), ignored: Int(clamping: ignored), unmatched: Int(clamping: unmatched),
            suppressed: Int(clamping: counters.suppressed), dropped: Int(clamping: overflowed + refused + lost),
            pending: Int(clamping: pending), actionFailures: Int(clamping: counters.actionFailures))
    }
}
