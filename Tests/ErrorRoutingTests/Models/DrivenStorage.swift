import Testing

@testable import ErrorRouting

/// A bus's storage whose events come one by one, from one thread, and whose actions can be compared.
final class DrivenStorage {
    /// What comes out of the bus, in a comparable form.
    enum Event: Equatable {
        case error(Int, occurrences: Int)
        case drops(ErrorsDropped)
        /// An action's failure, by the number of what it threw; nil if it took too long.
        case failure(Int?)
        case suppressed(Int)
        /// A worker in the lane has come to a report, and the flood limit has not looked at it yet.
        case unadmitted
        case asleep
        case end
        case superseded
    }

    /// What follows the end of a report.
    enum Completion: Equatable {
        case superseded
        /// Everybody who waits has been told; nobody else will hear of these failures.
        case announced([Event])
        case next(Event)
    }

    let storage: BusStorage
    /// Whether anyone observes the reports.
    var isObserved = false
    /// Where a worker would begin with what was delivered last.
    var progress = DispatchProgress()
    /// What was delivered last.
    var report: ErrorReport?
    private var pending: PendingReport?
    /// The report at which a worker is in the lane, and the worker's generation.
    private(set) var inLane: (number: Int64, generation: UInt64)?
    /// Whether the worker is to stop where it has come to a report in the lane that a flood limit has to let pass.
    var stopsUnadmitted = false
    /// The moment at which the worker wanted to be woken, when it last went to sleep.
    private(set) var alarm: Duration?
    let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _ in .stop }

    init(capacity: Int = 8, limit: Duration? = .seconds(30), flood: FloodLimit? = nil, isRunning: Bool = true) {
        storage = BusStorage(capacity: capacity, actionTimeLimit: limit, floodLimit: flood)
        if isRunning { #expect(run() == .start(generation: 0)) }
    }

    var statistics: ErrorBus.Statistics { storage.counts.statistics }
    var hasEnded: Bool { storage.hasEnded }

    // MARK: Posters

    func reserve(_ number: Int) -> IntakeBox.Reservation { reserve(for: Numbered(number)) }

    func reserve(for error: any Error) -> IntakeBox.Reservation { .init(storage.reserve(for: error)) }

    @discardableResult
    func fill(_ place: Int, with number: Int) -> IntakeBox.FillAnswer {
        fill(place, with: IntakeBox.posting(Numbered(number)))
    }

    func fill(_ place: Int, with posting: Posting) -> IntakeBox.FillAnswer {
        let answer = storage.fill(Int64(place), with: posting)
        if answer == .refused {
            #expect(Self.number(of: storage.reclaim(Int64(place)).error) == Self.number(of: posting.error))
        }
        return answer
    }

    func announce() -> Bool { storage.announceDrops(at: .init()) }

    /// - Returns: The drops that no notice will announce, and whether the worker has to be woken.
    func settle(_ isAnnounced: Bool) -> (drops: ErrorsDropped?, wakes: Bool) {
        let answer = storage.settleDrops(at: .init(), isAnnounced: isAnnounced)
        return (answer.untold, answer.wakes)
    }

    /// Posts from beginning to end; returns whether the worker has to be woken, or nil if the error was dropped.
    @discardableResult
    func post(_ number: Int, line: UInt = 1, at moment: Duration = .zero, isWaitedFor: Bool = false) -> Bool? {
        switch reserve(number) {
        case .accepted(let place):
            let posting = IntakeBox.posting(Numbered(number), line: line, at: moment, isWaitedFor: isWaitedFor)
            return fill(place, with: posting) == .filledForSleeper
        case .full(let makesNotice):
            if makesNotice { _ = settle(announce()) }
            return nil
        case .closed:
            return nil
        }
    }

    // MARK: The worker

    /// Returns what the worker of a generation does next; a worker in the lane leaves it.
    func next(_ generation: UInt64 = 0, at now: Duration = .zero) -> Event {
        let isInLane = inLane?.generation == generation
        return event(isInLane ? leaveLane(generation) : storage.next(for: generation), generation, at: now)
    }

    /// Leaves the lane at a report that needs more than the lane, and has not begun.
    private func leaveLane(_ generation: UInt64, _ mark: FloodMark? = nil) -> WorkerAction {
        guard let (number, generation) = inLane else { return storage.next(for: generation) }
        inLane = nil
        return storage.leaveLane(
            at: number, DispatchProgress(), isOver: false, mark: mark, isObserved: false, for: generation)
    }

    private func event(_ action: WorkerAction, _ generation: UInt64, at now: Duration = .zero) -> Event {
        switch action {
        case .deliver(let pending, let progress): return began(pending, from: progress ?? DispatchProgress())
        case .deliverInLane(let number):
            inLane = (number, generation)
            return arrive(at: now)
        case .mark(let pending):
            pending.floodMark = Self.mark(of: pending.posting)
            return event(storage.next(for: generation), generation, at: now)
        case .held(_, suppressing: let suppressed?): return .suppressed(Self.number(of: suppressed.error) ?? -1)
        case .held: return event(storage.next(for: generation), generation, at: now)
        case .readClock: return event(storage.next(for: generation, at: now), generation)
        case .sleep(let idle, let alarm):
            self.alarm = alarm
            for promise in idle { promise.fulfill(()) }
            return .asleep
        case .end: return .end
        case .stop: return .superseded
        case .announce, .flushed: preconditionFailure("\(action)")
        }
    }

    /// Goes on from one report to the next in the lane.
    ///
    /// - Returns: The next report, or that the lane was withdrawn; nil if there is none in the lane, or no lane.
    func goOn(_ disposition: HandleOutcome.Disposition = .handled) -> Event? {
        switch step(disposition) {
        case .next:
            if isObserved { #expect(announced()) }
            return arrive()
        case .last: return nil
        case .withdrawn: return .superseded
        }
    }

    /// Does the same up to the moment at which observers are told, if there are any.
    func step(_ disposition: HandleOutcome.Disposition = .handled) -> DeliveryLane.Step {
        guard let (number, generation) = inLane else { return .last }
        let step = storage.goOnInLane(from: number, disposition, isObserved: isObserved)
        switch step {
        case .next:
            inLane = (number + 1, generation)
            if isObserved { _ = storage.takeFromLane(number) }
        case .last: break
        case .withdrawn: inLane = nil
        }
        return step
    }

    /// Begins with the report that the worker has come to in the lane, or leaves the report to the machine.
    func arrive(at now: Duration = .zero) -> Event {
        guard let (number, generation) = inLane else { return .superseded }
        guard storage.isLimitingFloods else { return beganInLane(number) }
        if stopsUnadmitted { return .unadmitted }
        let mark = Self.mark(of: unsafe storage.posting(inLaneAt: number).pointee)
        switch storage.admitInLane(number, mark) {
        case true?: return beganInLane(number)
        case false?: return event(leaveLane(generation, mark), generation, at: now)
        case nil:
            inLane = nil
            return event(storage.leaveWithdrawnLane(at: number, telling: [], for: generation), generation)
        }
    }

    /// Notes that the observers have been told; returns whether the lane is still there.
    func announced() -> Bool { inLane.map { storage.announcedInLane(at: $0.number) } ?? false }

    /// Completes the worker's report.
    ///
    /// - Parameter isHeard: Whether observers have to be told of it: then the worker asks what to do next after that.
    func completion(
        _ disposition: HandleOutcome.Disposition = .handled,
        failures: [ActionFailure] = [],
        isHeard: Bool,
        generation: UInt64 = 0,
        at now: Duration = .zero
    ) -> Completion {
        let result = result(disposition, failures)
        let action: WorkerAction
        if let (number, worker) = inLane, worker == generation {
            inLane = nil
            action = storage.leaveLane(at: number, result, isOver: true, isObserved: isHeard, for: worker)
        } else if let pending {
            action = storage.complete(pending, result, for: generation, isObserved: isHeard)
        } else {
            return .superseded
        }
        switch action {
        case .stop: return .superseded
        case .announce(_, _, let unheard): return .announced(unheard.map(Self.event(of:)))
        default: return .next(event(action, generation, at: now))
        }
    }

    /// Completes the worker's report, and tells those who wait; returns the failures that nobody else will hear of, or
    /// nil if it comes too late.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled,
        failures: [ActionFailure] = [],
        generation: UInt64 = 0
    ) -> [Event]? {
        if case .announced(let unheard) = completion(
            disposition, failures: failures, isHeard: true, generation: generation)
        {
            return unheard
        }
        return nil
    }

    func replaceWorker(_ generation: UInt64) -> UInt64? {
        if inLane?.generation == generation { _ = event(leaveLane(generation), generation) }
        return storage.replaceWorker(generation)
    }

    func begin(_ rule: Rule, at now: Duration, _ generation: UInt64 = 0) -> BusStateMachine.BeginAnswer {
        if inLane?.generation == generation { _ = event(leaveLane(generation), generation) }
        let report = report ?? ErrorReport(error: Numbered(0), source: .init())
        let action = SupervisedAction(rule: rule, progress: progress, report: report)
        return storage.actionWillBegin(action, at: now, for: generation)
    }

    // MARK: The end

    /// Ends posting; returns whether a sleeping worker has to be woken.
    func finish() -> Bool { storage.close() == .wake }

    /// Shuts everything, and returns what was not delivered, and the failures in flight.
    func takeBack() -> (reports: [Event], failures: [Event]) {
        let left = storage.takeBack().left ?? .init()
        return (left.reports.map(Self.event(of:)), left.failures.map(Self.event(of:)))
    }

    // MARK: What begins

    private func began(_ pending: PendingReport, from progress: DispatchProgress) -> Event {
        (report, self.progress, self.pending) = (pending.report(), progress, pending)
        return Self.event(of: pending)
    }

    private func beganInLane(_ number: Int64) -> Event {
        let posting = unsafe storage.posting(inLaneAt: number).pointee
        report = posting.report(sequence: storage.sequence(inLaneAt: number))
        (progress, pending) = (DispatchProgress(), nil)
        return .error(Self.number(of: posting.error) ?? -1, occurrences: 1)
    }

    /// Whether somebody waits for what was delivered last.
    var isWaitedFor: Bool { pending?.posting.promise != nil }
}
