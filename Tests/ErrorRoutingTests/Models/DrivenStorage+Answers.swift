@testable import ErrorRouting

/// Comparable forms of the storage's results, and the steps of workers.
extension DrivenStorage {
    enum WatchAnswer: Equatable {
        case stop
        case sleep(until: Duration)
        case replaceWorker(UInt64)
    }

    func watch(at now: Duration) -> WatchAnswer {
        switch storage.watch(at: now) {
        case .stop: .stop
        case .sleep(let deadline): .sleep(until: deadline)
        case .replaceWorker(let generation): .replaceWorker(generation)
        }
    }

    func run() -> BusStateMachine.RunAnswer { storage.run() }
    func leftoversWereReceived() -> Bool { storage.leftoversWereReceived() }

    /// Whether the report of a number is in delivery, in the lane or outside.
    func isDelivering(_ sequence: UInt64) -> Bool {
        storage.isDelivering(sequence)
            || storage.countsAndDelivery.isDelivering
                && inLane.map { storage.sequence(inLaneAt: $0.number) } == sequence
    }

    /// Delivers whatever comes, all of it handled, until there is nothing more.
    func drain(_ generation: UInt64 = 0, at now: Duration = .zero) -> [Event] {
        var events: [Event] = []
        while true {
            events.append(next(generation, at: now))
            switch events.last {
            case .error, .drops, .failure: _ = complete(generation: generation)
            case .suppressed: break
            default: return events
            }
        }
    }

    /// Returns how far a worker comes that begins where it has to.
    func result(_ disposition: HandleOutcome.Disposition, _ failures: [ActionFailure]) -> DispatchProgress {
        var result = progress
        let step = RuleStep(rule, order: 0, isCertain: true)
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

    static func event(of pending: PendingReport) -> Event {
        switch pending.error {
        case let drops as ErrorsDropped: .drops(drops)
        case let failure as ActionFailure: event(of: failure)
        case let error: .error(number(of: error) ?? -1, occurrences: pending.report().occurrences)
        }
    }

    static func event(of failure: ActionFailure) -> Event { .failure(number(of: failure.error)) }

    /// The flood limit's view of a posting, as the poster has noted it down.
    static func mark(of posting: Posting) -> FloodMark {
        guard let stamp = posting.floodStamp else { preconditionFailure("posted without a stamp") }
        return FloodMark(.init(of: posting.error, code: stamp.code, at: posting.source, in: []), moment: stamp.moment)
    }

    static func number(of error: any Error) -> Int? { (error as? any ErrorWithNumber)?.number }
}
