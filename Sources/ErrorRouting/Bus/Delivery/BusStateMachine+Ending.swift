/// Running, and what ends it.
extension BusStateMachine {
    enum RunAnswer: Equatable {
        case start(generation: UInt64)
        /// It was finished with nothing to deliver: there is nothing to run.
        case alreadyEnded
        case runsAlready, ranBefore
    }

    mutating func run() -> RunAnswer {
        switch runPhase {
        case .running: return .runsAlready
        case .returned: return .ranBefore
        case .notStarted:
            runPhase = .running
            return hasEnded ? .alreadyEnded : .start(generation: generation)
        }
    }

    mutating func runReturned() {
        runPhase = .returned
    }

    /// Whether the report of a number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool {
        delivering?.sequence == sequence
    }

    /// Those who wait until nothing is pending, when that is so.
    mutating func takeIdleWaiters() -> [Promise<Void>] {
        defer { idleWaiters = [] }
        return idleWaiters
    }

    /// What a shutdown has taken back.
    struct Leftovers {
        /// What was not delivered, the report in flight first.
        var reports: [PendingReport] = []
        /// Actions of the report in flight that have failed, and were to be told of after it.
        var failures: [ActionFailure] = []
    }

    /// Gives back everything that was not delivered, and ends.
    ///
    /// - Parameter rest: What was still in the intake, notices of drops included, which have been told of them.
    mutating func takeBack(_ rest: [PendingReport]) -> Leftovers {
        guard !hasEnded else { return Leftovers() }
        hasEnded = true
        generation += 1
        var left = Leftovers()
        if let pending = delivering.take() {
            left.reports.append(pending)
            left.failures = (action?.progress ?? progress)?.failures ?? []
        }
        toldFailures = left.failures.count
        action = nil
        progress = nil
        while let notice = failureNotices.popFirst() { left.reports.append(notice) }
        // Held ones were posted before what was still in the intake.
        while let release = flood?.release(endingBy: nil) {
            release.held.standFor(release.occurrences)
            left.reports.append(release.held)
            counters.released += 1
        }
        if let candidate = candidate.take() { left.reports.append(candidate); counters.released += 1 }
        left.reports += rest
        counters.released += Int64(rest.count { $0.kind == .posted })
        counters.givenBack += Int64(left.reports.count)
        counters.actionFailures += Int64(left.failures.count)
        return left
    }

    /// What was taken back is in its receiver's hands, before anyone hears of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, its worker ends it, once it has told the observers of the report
    ///   that it is telling them of.
    mutating func leftoversWereReceived() -> Bool {
        endsAfterAnnouncement = isAnnouncing
        return !isAnnouncing
    }
}
