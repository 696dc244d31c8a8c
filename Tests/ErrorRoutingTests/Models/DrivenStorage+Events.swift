@testable import ErrorRouting

/// Events in the forms that tests need, and the inputs of these events.
extension DrivenStorage {
    /// Completes the worker's report, for which every observer must be notified.
    ///
    /// Returns the failures that no other code reports, or nil if it is too late.
    func complete(_ decision: Decision = .handled, failures: [ActionFailure] = []) -> [Event]? {
        let event = complete(decision, failures: failures, isObserved: true)
        return if case .notifies(let unreported) = event { unreported } else { nil }
    }

    /// Begins an asynchronous action; nil if it must not begin.
    func begin(at now: Duration, limit: Duration = .seconds(30)) -> RunningAction? {
        let report = report ?? ErrorReport(error: Numbered(0), source: .init())
        let rule = MatcherRule(ErrorMatcher<any Error>.any, at: .init(), .asynchronous { _ in .stop })
        let action = RunningAction(PreparedAction(rule: rule, report: report) { .stop }, limit: limit)
        let hasStarted = storage.apply { $0.actionStarts(action, until: now + limit) }
        return hasStarted ? action : nil
    }

    /// Lets the timer fire too early; returns the time at which it must fire again.
    func timer(at now: Duration) -> Duration? {
        if case .wait(let end) = storage.apply({ $0.timeIsUp(at: now) }) { end } else { nil }
    }

    /// Lets the timer fire; returns whether the worker must be woken.
    func wakes(at now: Duration) -> Bool {
        if case .wake = storage.apply({ $0.timeIsUp(at: now) }) { true } else { false }
    }

    /// Lets the action in delivery exceed its time limit, then returns it.
    func overdue(at now: Duration) -> RunningAction? {
        let step = storage.apply { $0.timeIsUp(at: now) }
        guard case .abandon(let action, .failed(let failure)) = step else { return nil }
        failures.append(failure)
        return action
    }

    /// Removes and returns the undelivered reports, and the failures in flight.
    func abort() -> (reports: [Event], failures: [Event]) {
        let left = storage.apply { $0.abort() }
        return ((left?.reports ?? []).map(Self.event(of:)), (left?.failures ?? []).map(Self.event(of:)))
    }

    /// Delivers reports until none is left, all of them as handled.
    func drain(at now: Duration = .zero) -> [Event] {
        var events: [Event] = []
        while true {
            events.append(next(at: now))
            guard [.asleep, .end, .stop].contains(events.last) else {
                _ = complete()
                continue
            }
            return events
        }
    }

    /// An action that fails for the report delivered last, with a numbered error.
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

    static func number(of error: any Error) -> Int? { (error as? any ErrorWithNumber)?.number }
}
