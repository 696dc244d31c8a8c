@testable import ErrorRouting

/// A bus without locks, tasks and clock: intake and machine put together as `ErrorBus` does it, for one thread.
final class PlainBus {
    /// What comes out of the bus, in what can be compared.
    enum Event: Equatable {
        case error(Int, occurrences: Int)
        case drops(ErrorsDropped)
        /// An action's failure, by the number of what it threw; nil if it took too long.
        case failure(Int?)
        case suppressed(Int)
        case asleep
        case end
        case superseded
    }

    let box: IntakeBox
    var machine: BusStateMachine
    /// Where a worker would begin with what was delivered last.
    private(set) var progress = DispatchProgress()
    /// What was delivered last.
    private(set) var report: ErrorReport?
    private let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _, _ in .stop }

    init(capacity: Int = 8, limit: Duration? = .seconds(30), flood: FloodLimit? = nil) {
        box = IntakeBox(capacity: capacity)
        machine = BusStateMachine(capacity: capacity, actionTimeLimit: limit, floodLimit: flood)
    }

    var statistics: ErrorBus.Statistics { machine.statistics(box.intake.counts) }

    // MARK: Posters

    /// Posts from beginning to end; answers whether the worker has to be woken, or nil if the error was dropped.
    @discardableResult
    func post(_ number: Int, line: UInt = 1, at moment: Duration = .zero) -> Bool? {
        switch box.reserve(number) {
        case .accepted:
            return box.push(pending(Numbered(number), line: line, at: moment)) == .pushedToSleeper
        case .full(let makesNotice):
            if makesNotice, box.reserveNotice() { _ = box.pushNotice() }
            return nil
        case .closed:
            return nil
        }
    }

    /// What a poster pushes.
    func pending(_ error: any Error, line: UInt, at moment: Duration) -> PendingReport {
        StampedReport(
            error,
            at: .init(fileID: "M/A.swift", line: line),
            metadata: [:],
            scope: [],
            promise: nil,
            stamp: .init(code: ErrorCode(of: error), moment: moment)
        )
    }

    // MARK: The worker

    /// What the worker of a generation does next, as `ErrorBus.decide` has it.
    func next(_ generation: UInt64 = 0, at now: Duration = .zero) -> Event {
        var moment = BusStateMachine.FloodMoment.unknown
        while true {
            let answer = machine.next(for: generation, at: moment) { [box] in box.intake.takeDrops(for: $0) }
            box.intake.release(machine.counters.released)
            switch answer {
            case .deliver(let pending, let progress):
                (report, self.progress) = (pending.report(), progress ?? DispatchProgress())
                return Self.event(of: pending)
            case .suppressed(let pending): return .suppressed(Self.number(of: pending.error) ?? -1)
            case .end: return .end
            case .superseded: return .superseded
            case .idle, .holding: break
            }
            let batch = box.intake.takeAll()
            if !batch.isEmpty {
                machine.batch = batch
                continue
            }
            if case .holding = answer {
                let letsGo = box.intake.state.isClosed || machine.isWindingUp
                let upTo = letsGo ? BusStateMachine.FloodMoment.end : .moment(now)
                if moment != upTo {
                    moment = upTo
                    continue
                }
            }
            if box.end() {
                machine.hasEnded = true
                return .end
            }
            if box.sleep() { return .asleep }
        }
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

    /// The worker is through; answers the failures that nobody else will hear of, or nil if it comes too late.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled,
        failures: [ActionFailure] = [],
        isObserved: Bool = true,
        generation: UInt64 = 0
    ) -> [Event]? {
        let result = result(disposition, failures)
        switch machine.complete(result, for: generation, isObserved: isObserved) {
        case .completed: return []
        case .announce(let unheard): return unheard.map(Self.event(of:))
        case .superseded: return nil
        }
    }

    /// Both in one, where the machine has the next report in hand.
    func goOn(
        _ disposition: HandleOutcome.Disposition = .handled,
        failures: [ActionFailure] = [],
        generation: UInt64 = 0
    ) -> Event? {
        guard let pending = machine.goOn(result(disposition, failures), for: generation) else { return nil }
        box.intake.release(machine.counters.released)
        (report, progress) = (pending.report(), DispatchProgress())
        return Self.event(of: pending)
    }

    /// How far a worker comes that begins where it was told to.
    private func result(_ disposition: HandleOutcome.Disposition, _ failures: [ActionFailure]) -> DispatchProgress {
        var result = progress
        let rule = unsafe Unmanaged<Rule>.passUnretained(rule)
        switch disposition {
        case .unmatched: _ = result.advance()
        case .ignored: unsafe result.record(.ignored, of: rule)
        default: unsafe result.record(.next, of: rule)
        }
        for failure in failures { unsafe result.record(failure, of: rule) }
        return result
    }

    /// An action that fails on what was delivered last, with an error of a number.
    func failure(_ number: Int) -> ActionFailure {
        let rule = RuleDescription(matcher: "any", source: .init())
        let report = report ?? ErrorReport(error: Numbered(0), source: .init())
        return ActionFailure(error: Numbered(number), report: report, rule: rule)
    }

    // MARK: The end

    /// Ends posting; answers whether a sleeping worker has to be woken.
    func finish() -> Bool { box.close() && box.rouse() }

    /// Shuts everything, and answers what was not delivered, and the failures in flight.
    func takeBack() -> (reports: [Event], failures: [Event]) {
        let left = machine.takeBack(box.intake.shut()) { [box] in box.intake.takeDrops(for: $0) }
        return (left.reports.map(Self.event(of:)), left.failures.map(Self.event(of:)))
    }

    // MARK: The machine's answers, to be compared

    enum WatchAnswer: Equatable {
        case goHome
        case sleep(until: Duration)
        case replaceWorker(UInt64)
    }

    func watch(at now: Duration) -> WatchAnswer {
        switch machine.watch(at: now) {
        case .goHome: .goHome
        case .sleep(let deadline): .sleep(until: deadline)
        case .replaceWorker(let generation): .replaceWorker(generation)
        }
    }

    func run() -> BusStateMachine.RunAnswer { machine.run() }
    func isDelivering(_ sequence: UInt64) -> Bool { machine.isDelivering(sequence) }
    func replaceWorker(_ generation: UInt64) -> UInt64? { machine.replaceWorker(generation) }
    func leftoversWereReceived() -> Bool { machine.leftoversWereReceived() }

    static func event(of pending: PendingReport) -> Event {
        switch pending.error {
        case let drops as ErrorsDropped: .drops(drops)
        case let failure as ActionFailure: event(of: failure)
        case let error: .error(number(of: error) ?? -1, occurrences: pending.report().occurrences)
        }
    }

    static func event(of failure: ActionFailure) -> Event { .failure(number(of: failure.error)) }

    private static func number(of error: any Error) -> Int? { (error as? any ErrorWithNumber)?.number }
}
