@testable import ErrorRouting

/// Events in the forms that tests need, and what they are made from.
extension DrivenStorage {
    /// Completes the worker's report, of which everybody has to be told; returns the failures that nobody else will
    /// hear of, or nil if it comes too late.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled, failures: [ActionFailure] = [], generation: UInt64 = 0
    ) -> [Event]? {
        let event = complete(disposition, failures: failures, isTold: true, generation: generation)
        return if case .told(let unheard) = event { unheard } else { nil }
    }

    /// Completes a report in the lane, and tells the observers of it, if there are any; returns what comes next.
    func goOn(_ disposition: HandleOutcome.Disposition = .handled) -> Event {
        let event = complete(disposition, isTold: isObserved, mayWait: true)
        return event == .told([]) ? next() : event
    }

    var hasEnded: Bool { storage.hasEnded }
    func run() -> RunAction { storage.run() }
    func watch(at now: Duration) -> WatchAction { storage.watch(at: now) }
    func replaceWorker(_ generation: UInt64) -> UInt64? { storage.replaceWorker(generation) }
    func leftoversWereReceived() -> Bool { storage.leftoversWereReceived() }

    /// Whether the report with a sequence number is in delivery, in the lane or outside.
    func isDelivering(_ sequence: UInt64) -> Bool {
        inLane.map { !$0.isTelling && storage.sequence(inLaneAt: $0.number) == sequence }
            ?? storage.isDelivering(sequence)
    }

    /// Begins an asynchronous action, for which the report leaves the lane.
    func begin(_ rule: Rule, at now: Duration, _ generation: UInt64 = 0) -> BeginAction {
        leaveLane(generation)
        let report = report ?? ErrorReport(error: Numbered(0), source: .init())
        let action = SupervisedAction(rule: rule, progress: progress, report: report)
        return storage.actionWillBegin(action, at: now, for: generation)
    }

    func leaveLane(_ generation: UInt64 = 0) {
        guard case (let number, false)? = inLane else { return }
        _ = storage.leaveLane(at: number, DispatchProgress(), isOver: false, for: generation)
        _ = next(generation)
    }

    /// Ends posting; returns whether a sleeping worker has to be woken.
    func finish() -> Bool { storage.close() == .wake }

    /// Shuts everything, and returns what was not delivered, and the failures in flight.
    func takeBack() -> (reports: [Event], failures: [Event]) {
        let left = storage.takeBack() ?? .init(worker: 0)
        return (left.reports.map { Self.event(of: $0.report()) }, left.failures.map(Self.event(of:)))
    }

    /// Delivers whatever comes, all of it handled, until there is nothing more.
    func drain(_ generation: UInt64 = 0, at now: Duration = .zero) -> [Event] {
        var events: [Event] = []
        while true {
            events.append(next(generation, at: now))
            guard [.asleep, .end, .superseded].contains(events.last) else {
                _ = complete(generation: generation)
                continue
            }
            return events
        }
    }

    /// Returns how far a worker comes that begins where it has to.
    func result(_ disposition: HandleOutcome.Disposition, _ failures: [ActionFailure]) -> DispatchProgress {
        var result = progress
        let step = unsafe RuleStep(.passUnretained(rule), order: 0, isCertain: true)
        switch disposition {
        case .unmatched: _ = result.advance(handlers: 1)
        case .ignored: result.record(.ignored, at: step)
        default: result.record(.next, at: step)
        }
        for failure in failures { result.record(failure.error, of: rule, failure.report) }
        return result
    }

    /// An action that fails on what was delivered last, with an error of a number.
    func failure(_ number: Int) -> ActionFailure {
        let rule = RuleDescription(matcher: "any", source: .init())
        let report = report ?? ErrorReport(error: Numbered(0), source: .init())
        return ActionFailure(error: Numbered(number), report: report, rule: rule)
    }

    static func event(of report: ErrorReport) -> Event {
        switch report.error {
        case let drops as ErrorsDropped: .drops(drops)
        case let failure as ActionFailure: event(of: failure)
        case let error: .error(number(of: error) ?? -1, occurrences: report.occurrences)
        }
    }

    static func event(of failure: ActionFailure) -> Event { .failure(number(of: failure.error)) }

    /// The flood limit's view of a posting, as the poster has noted it down.
    static func mark(of posting: Posting) -> FloodMark {
        guard let stamp = posting.floodStamp else { preconditionFailure("posted without a stamp") }
        return FloodMark(.init(of: stamp.code, at: posting.source, in: []), moment: stamp.moment)
    }

    static func number(of error: any Error) -> Int? { (error as? any ErrorWithNumber)?.number }
}
