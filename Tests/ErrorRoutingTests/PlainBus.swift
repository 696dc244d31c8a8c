@testable import ErrorRouting

/// A bus without locks, tasks and clock: intake, lane and machine put together as `ErrorBus` does it, for one thread.
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
    let lane = DeliveryLane()
    var machine: BusStateMachine
    /// Whether anyone observes the reports: such a bus does not use the lane.
    var isObserved = false
    /// Where a worker would begin with what was delivered last.
    var progress = DispatchProgress()
    /// What was delivered last.
    var report: ErrorReport?
    var isWaitedFor = false
    /// The report at which a worker is in the lane, and the worker's generation.
    var inLane: (number: Int64, generation: UInt64)?
    let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _, _ in .stop }

    init(capacity: Int = 8, limit: Duration? = .seconds(30), flood: FloodLimit? = nil) {
        box = IntakeBox(capacity: capacity)
        machine = BusStateMachine(capacity: capacity, actionTimeLimit: limit, floodLimit: flood)
    }

    var statistics: ErrorBus.Statistics { machine.counts(box.intake.counts, lane.counts).statistics }
    var mailbox: Mailbox<Posting> { _read { yield box.intake.mailbox } }

    // MARK: Posters

    /// Posts from beginning to end; answers whether the worker has to be woken, or nil if the error was dropped.
    @discardableResult
    func post(_ number: Int, line: UInt = 1, at moment: Duration = .zero, isWaitedFor: Bool = false) -> Bool? {
        switch box.reserve(number) {
        case .accepted(let place):
            let posting = IntakeBox.posting(Numbered(number), line: line, at: moment, isWaitedFor: isWaitedFor)
            return box.fill(place, with: posting) == .filledForSleeper
        case .full(let makesNotice):
            if makesNotice { _ = settle(box.announce()) }
            return nil
        case .closed:
            return nil
        }
    }

    /// A notice was announced, or could not be: what a dropper does then under the lock.
    ///
    /// - Returns: What nobody is left to be told of, and whether the worker has to be woken.
    func settle(_ isAnnounced: Bool) -> (drops: ErrorsDropped?, wakes: Bool) {
        guard machine.hasEnded else { return (nil, isAsleep) }
        if isAnnounced, box.intake.takeNotice() == nil { return (nil, false) }
        let drops = box.intake.takeDrops(for: IntakeBox.notice)
        machine.counters.toldDrops += drops.total
        return (drops.notice, false)
    }

    private var isAsleep: Bool { !lane.isOpen && mailbox.rouse(at: machine.nextNumber) }

    // MARK: The worker

    /// What the worker of a generation does next, as `ErrorBus.decide` has it.
    ///
    /// In the lane it comes out of that, as it does to go on with what the lane is not for.
    func next(_ generation: UInt64 = 0, at now: Duration = .zero) -> Event {
        if inLane?.generation == generation, lane.isOpen { return leaveLane() }
        while true {
            if let event = event(machine.next(for: generation)) { return event }
            let number = machine.nextNumber
            if let answer = take(), let event = event(answer) { return event }
            if machine.nextNumber != number { continue }
            if canUseLane { return enterLane(generation) }
            if mailbox.isFilled(at: machine.nextNumber) { continue }
            if machine.isHolding {
                let isEnding = box.intake.state.isClosed || machine.isWindingUp
                if let answer = machine.release(endingBy: isEnding ? nil : now), let event = event(answer) {
                    return event
                }
            }
            if box.end() {
                machine.hasEnded = true
                return .end
            }
            if mailbox.sleep(at: machine.nextNumber) { return .asleep }
        }
    }

    private func event(_ answer: BusStateMachine.NextAnswer) -> Event? {
        box.intake.release(machine.counters.released)
        return switch answer {
        case .deliver(let pending, let progress): began(pending, from: progress ?? DispatchProgress())
        case .suppressed(let pending): .suppressed(Self.number(of: pending.error) ?? -1)
        case .end: .end
        case .superseded: .superseded
        // The flood limits of these tests go by the library's way.
        case .fingerprint: nil
        case .idle: nil
        }
    }

    private var canUseLane: Bool {
        machine.flood == nil && !isObserved && mailbox.isPlain(at: machine.nextNumber)
    }

    private func take() -> BusStateMachine.NextAnswer? {
        if box.intake.hasNotice(before: machine.nextNumber), let notice = box.intake.takeNotice() {
            machine.tell(box.intake.takeDrops(for: notice), by: notice)
            return machine.take(notice)
        }
        if canUseLane { return nil }
        // What is held must not let the reports after it go before a notice.
        while !box.intake.hasNotice(before: machine.nextNumber), let posting = mailbox.take(machine.nextNumber) {
            machine.nextNumber += 1
            if let answer = machine.take(PendingReport(posting)) { return answer }
        }
        return nil
    }

    /// The worker is through; answers the failures that nobody else will hear of, or nil if it comes too late.
    func complete(
        _ disposition: HandleOutcome.Disposition = .handled,
        failures: [ActionFailure] = [],
        generation: UInt64 = 0
    ) -> [Event]? {
        if inLane?.generation == generation {
            guard let posting = closeLane() else { return nil }
            if failures.isEmpty, !isObserved {
                machine.counters.count(disposition)
                return []
            }
            _ = machine.deliverFromLane(posting)
        }
        let result = result(disposition, failures)
        switch machine.complete(result, for: generation, isObserved: isObserved) {
        case .completed: return []
        case .announce(let unheard): return unheard.map(Self.event(of:))
        case .superseded: return nil
        }
    }

    func replaceWorker(_ generation: UInt64) -> UInt64? {
        if inLane?.generation == generation, lane.isOpen { _ = leaveLane() }
        return machine.replaceWorker(generation)
    }

    func begin(_ rule: Rule, at now: Duration, _ generation: UInt64 = 0) -> BusStateMachine.BeginAnswer {
        if inLane?.generation == generation, lane.isOpen { _ = leaveLane() }
        let report = report ?? ErrorReport(error: Numbered(0), source: .init())
        return machine.actionWillBegin(rule, progress, report, at: now, for: generation)
    }

    // MARK: The end

    /// Ends posting; answers whether a sleeping worker has to be woken.
    func finish() -> Bool { box.close() && isAsleep }

    /// Shuts everything, and answers what was not delivered, and the failures in flight.
    func takeBack() -> (reports: [Event], failures: [Event]) {
        if let number = lane.withdraw() {
            machine.laneClosed(at: number)
            _ = unsafe machine.deliverFromLane(mailbox.element(at: number).pointee)
        }
        let left = machine.takeBack(machine.hasEnded ? [] : shutIntake())
        box.intake.release(machine.counters.released)
        return (left.reports.map(Self.event(of:)), left.failures.map(Self.event(of:)))
    }

    private func shutIntake() -> [PendingReport] {
        var rest: [PendingReport] = []
        let end = box.intake.shut()
        for number in machine.nextNumber...max(end, machine.nextNumber) {
            if box.intake.hasNotice(before: number), let notice = box.intake.takeNotice() {
                machine.tell(box.intake.takeDrops(for: notice), by: notice)
                rest.append(notice)
            }
            if number < end, let posting = mailbox.shut(number) { rest.append(PendingReport(posting)) }
        }
        return rest
    }

    func began(_ pending: PendingReport, from progress: DispatchProgress) -> Event {
        (report, self.progress) = (pending.report(), progress)
        isWaitedFor = pending.posting.promise != nil
        return Self.event(of: pending)
    }
}
