@testable import ErrorRouting

/// Events in the forms that tests need, and their inputs.
extension DrivenStorage {
    /// Completes the worker's report, for which every observer must be notified; returns the failures that nobody else
    /// reports, or nil if it comes too late.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled, failures: [ActionFailure] = [], generation: UInt64 = 0
    ) -> [Event]? {
        let event = complete(disposition, failures: failures, isObserved: true, generation: generation)
        return if case .notifies(let unreported) = event { unreported } else { nil }
    }

    var hasEnded: Bool { storage.hasEnded }
    func replaceWorker(_ generation: UInt64) -> UInt64? { storage.perform { $0.replaceWorker(generation) } }
    func leftoversWereReceived() -> Bool { storage.leftoversWereReceived() }
    func isDelivering(_ sequence: UInt64) -> Bool { storage.perform { $0.isDelivering(sequence) } }
    func isIdle() -> Bool { storage.perform { $0.isIdle($1) } }

    /// Fires the timer; returns the generation of a replacing worker, and the timer's next time.
    func timeIsUp(at now: Duration) -> [Duration?] {
        let action = storage.perform { $0.timeIsUp(at: now, $1) }
        return [action.replacement.map { .seconds($0) }, action.next]
    }

    /// Begins an asynchronous action; returns whether it may.
    func begin(_ rule: Rule, at now: Duration, _ generation: UInt64 = 0) -> Bool {
        let report = report ?? ErrorReport(error: Numbered(0), source: .init())
        let action = SupervisedAction(rule: rule, progress: progress, report: report)
        return storage.perform { $0.note(.running(action, began: now), for: generation) }
    }

    /// Ends posting; returns whether a sleeping worker must be woken.
    func finish() -> Bool { storage.perform { $0.close($1) } == .wake }

    /// Removes and returns the undelivered reports, and the failures in flight.
    func abort() -> (reports: [Event], failures: [Event]) {
        let left = storage.perform { $0.abort($1) } ?? .init([], of: 0)
        return (left.reports.map(Self.event(of:)), left.failures.map(Self.event(of:)))
    }

    /// Delivers reports, all of them as handled, until none is left.
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

    /// Returns how far a worker gets from its starting position.
    func result(_ disposition: HandleOutcome.Disposition, _ failures: [ActionFailure]) -> DispatchProgress {
        var result = progress
        if disposition == .unmatched { _ = Self.fallback.rules.path.read { result.position.advance(on: $0) } }
        for failure in failures { result.record(failure.error, of: rule, failure.report) }
        switch disposition {
        case .unmatched: break
        case .ignored: result.position.record(.stop, of: Borrowed(Self.ignoring))
        default: result.position.record(.next, of: Borrowed(rule))
        }
        return result
    }

    private static let ignoring = SynchronousRule(ignoring: ErrorMatcher<any Error>.any, at: .init())
    private static let fallback = ErrorHandler().onNoMatch { _ in .next }

    /// An action that fails on the report delivered last, with a numbered error.
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

    /// The data of a posting that a flood limit needs, as the caller stored it.
    static func token(of posting: Posting) -> FloodToken {
        guard let stamp = posting.floodParts.stamp else { preconditionFailure("posted without a stamp") }
        return FloodToken(kind: .init(of: stamp.code, at: posting.source, in: []), moment: stamp.moment)
    }

    static func number(of error: any Error) -> Int? { (error as? any ErrorWithNumber)?.number }
}
