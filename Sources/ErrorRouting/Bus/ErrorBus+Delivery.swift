import Synchronization

/// What the worker and the watchdog do with the bus.
extension ErrorBus {
    /// The tasks that work for the bus.
    struct Staff {
        var worker: (generation: UInt64, task: Task<Void, Never>)?
        var watchdog: Task<Void, Never>?
        /// Wakes the worker when a flood limit's window ends.
        var alarm: Task<Void, Never>?
    }

    func startWorker(_ generation: UInt64) {
        let task = Task { await DeliveryWorker(bus: self, generation: generation).work() }
        let isLate = staff.withLock { staff in
            // It may have been replaced before it was noted down.
            if let worker = staff.worker, worker.generation > generation { return true }
            staff.worker = (generation, task)
            return false
        }
        if isLate || !isCurrent(generation) { task.cancel() }
    }

    func cancelWorker(_ generation: UInt64) {
        let task = staff.withLock { staff in
            staff.worker?.generation == generation ? staff.worker?.task : nil
        }
        task?.cancel()
    }

    /// A worker whose task was cancelled, which only an action can have done, makes room for another: cancellation
    /// shall not reach the actions after it, and would end the stream of wake-ups.
    func replaceCancelledWorker(_ generation: UInt64) {
        let next = machine.withLock { machine in
            let next = machine.replaceWorker(generation)
            self.generation.store(machine.generation, ordering: .releasing)
            return next
        }
        if let next { startWorker(next) }
    }

    /// What a worker does next.
    enum Work {
        /// From the beginning, or from where another worker has come.
        case deliver(PendingReport, from: DispatchProgress?)
        /// The report of this number in the lane.
        case deliverInLane(Int64)
        /// Let others in, and ask again: much has come to its end without a delivery.
        case giveWay
        case sleep
        case stop
    }

    /// What the worker of a generation does next.
    func next(for generation: UInt64) -> Work {
        work(machine.withLock { decide(for: generation, at: nil, &$0) }, for: generation)
    }

    /// The worker of a generation has brought a report to its end.
    ///
    /// - Parameters:
    ///   - pending: The report, which lives until this returns, so that it does not end under the lock.
    ///   - progress: How far it came.
    ///   - generation: The worker's.
    /// - Returns: What the worker does next.
    func complete(
        _ pending: PendingReport,
        _ progress: DispatchProgress,
        for generation: UInt64
    ) -> Work {
        let isObserved = !observers.isEmpty
        // With nobody to tell, one lock is enough for both, the end of this report and the next one's beginning.
        let (announcement, decision) = machine.withLock { machine -> ([ActionFailure]?, Decision?) in
            switch machine.complete(progress, for: generation, isObserved: isObserved) {
            case .announce(let unheard): return (unheard, nil)
            case .completed: return (nil, decide(for: generation, at: nil, &machine))
            case .superseded: return (nil, nil)
            }
        }
        if let decision { return work(decision, for: generation) }
        guard let announcement else { return stop(telling: progress.failures) }
        let outcome = progress.outcome
        if isObserved { observers.send(pending.report(outcome), of: pending.posting.scope) }
        pending.posting.promise?.fulfill(outcome)
        for failure in announcement { lastResort.write(failure) }
        return next(for: generation)
    }

    /// The report was taken away from its worker: what has failed, and nobody else knows of, goes to the last resort.
    ///
    /// - Parameters:
    ///   - failures: What has failed.
    ///   - known: How many of them whoever goes on with the report knows of; a shutdown has told of what it knew.
    func stop(telling failures: [ActionFailure], known: Int = 0) -> Work {
        if failures.isEmpty { return .stop }
        let told = max(known, machine.withLock { $0.toldFailures })
        for failure in failures.dropFirst(told) { lastResort.write(failure) }
        return .stop
    }

    /// The worker is at the last report in the lane, or at one that needs more than delivery.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - progress: How far it came.
    ///   - isOver: Whether it came to its end.
    ///   - generation: The worker's.
    /// - Returns: What the worker does next.
    func leaveLane(
        at number: Int64,
        _ progress: DispatchProgress,
        isOver: Bool,
        for generation: UInt64
    ) -> Work {
        let isPlain = isOver && progress.failures.isEmpty && observers.isEmpty
        // The posting is taken out, since its place has to be empty before the next one is, but ends outside the lock:
        // an error's end may run code of the user's.
        let (posting, pending, decision) = machine.withLock { machine -> (Posting?, PendingReport?, Decision) in
            guard let number = lane.close(), let posting = intake.mailbox.take(number) else {
                return (nil, nil, .superseded)
            }
            machine.laneClosed(at: number)
            guard isPlain else {
                return (posting, machine.deliverFromLane(posting, from: isOver ? nil : progress), .superseded)
            }
            machine.counters.count(progress.disposition)
            return (posting, nil, decide(for: generation, at: nil, &machine))
        }
        defer { withExtendedLifetime(posting) {} }
        if posting == nil { return leaveWithdrawnLane(at: number, telling: progress.failures) }
        guard let pending else { return work(decision, for: generation) }
        return isOver ? complete(pending, progress, for: generation) : .deliver(pending, from: progress)
    }

    /// A shutdown has taken the lane away, and has a copy of the report that the worker was at: nobody looks at its
    /// place any more, which would else keep the report as long as there is the bus.
    func leaveWithdrawnLane(at number: Int64, telling failures: [ActionFailure]) -> Work {
        // Under the lock, since the copy is made there; what is let go ends outside.
        let posting = machine.withLock { _ in intake.mailbox.shut(number) }
        withExtendedLifetime(posting) {}
        return stop(telling: failures)
    }

    /// The report in delivery goes on from here.
    func goOn(from progress: DispatchProgress, for generation: UInt64) {
        machine.withLock { $0.goOn(from: progress, for: generation) }
    }

    private enum Decision {
        case deliver(PendingReport, from: DispatchProgress?)
        case deliverInLane(Int64)
        case suppressed(PendingReport)
        case fingerprint(PendingReport)
        /// All that was posted before these were made is delivered.
        case flushed([Promise<Bool>])
        /// A flood limit holds reports; ask again with the moment.
        case readClock
        /// Sleep until woken; tell those who wait until nothing is pending, and set an alarm.
        case sleep([Promise<Void>], alarm: Duration?)
        case end
        case superseded
    }

    /// Does what a decision asks for, up to the worker's part.
    private func work(_ decision: Decision, for generation: UInt64) -> Work {
        var (decision, now) = (decision, Duration?.none)
        var untilWay = DeliveryWorker.turn
        while true {
            switch decision {
            case .deliver(let pending, let progress):
                return .deliver(pending, from: progress)
            case .deliverInLane(let number):
                return .deliverInLane(number)
            case .suppressed(let pending):
                pending.posting.promise?.fulfill(HandleOutcome(disposition: .suppressed))
                untilWay -= 1
                if untilWay <= 0 { return .giveWay }
            case .fingerprint(let pending):
                pending.fingerprint = fingerprint(of: pending)
            case .flushed(let promises):
                observers.wakeReaders()
                for promise in promises { promise.fulfill(true) }
            case .readClock:
                now = clock.now()
            case .sleep(let idle, let alarm):
                if let alarm { setAlarm(alarm) }
                observers.wakeReaders()
                for promise in idle { promise.fulfill(()) }
                return .sleep
            case .end:
                end()
                return .stop
            case .superseded:
                return .stop
            }
            decision = machine.withLock { decide(for: generation, at: now, &$0) }
        }
    }

    /// Asks the machine, and where that has nothing in hand the intake.
    ///
    /// - Parameter now: The moment, where it is known; windows that have ended by then are over.
    private func decide(for generation: UInt64, at now: Duration?, _ machine: inout BusStateMachine) -> Decision {
        while true {
            if let decision = decision(machine.next(for: generation), machine) { return decision }
            let number = machine.nextNumber
            if let answer = take(&machine), let decision = decision(answer, machine) { return decision }
            if machine.nextNumber != number { continue }
            if let promises = flushed(&machine) { return .flushed(promises) }
            if canUseLane(machine) {
                let (number, sequence) = machine.beginInLane()
                intake.release(machine.counters.released)
                lane.open(at: number, sequence: sequence)
                return .deliverInLane(number)
            }
            if intake.mailbox.isFilled(at: machine.nextNumber) { continue }
            if machine.isHolding {
                let isEnding = intake.state.isClosed || machine.isWindingUp
                guard isEnding || now != nil else { return .readClock }
                let answer = machine.release(endingBy: isEnding ? nil : now)
                if let answer, let decision = decision(answer, machine) { return decision }
            }
            if intake.end() {
                machine.hasEnded = true
                return .end
            }
            guard intake.mailbox.sleep(at: machine.nextNumber) else { continue }
            let isIdle = counted(machine).pending == 0
            return .sleep(isIdle ? machine.takeIdleWaiters() : [], alarm: machine.nextAlarm())
        }
    }

    /// What the machine's answer asks for; nil if it has nothing in hand.
    private func decision(
        _ answer: BusStateMachine.NextAnswer,
        _ machine: borrowing BusStateMachine
    ) -> Decision? {
        // Another worker may be in the lane, and count there what is released.
        if case .superseded = answer { return .superseded }
        intake.release(machine.counters.released)
        return switch answer {
        case .deliver(let pending, let progress): .deliver(pending, from: progress)
        case .suppressed(let pending): .suppressed(pending)
        case .fingerprint(let pending): .fingerprint(pending)
        case .end: .end
        case .superseded: .superseded
        case .idle: nil
        }
    }

    /// Whether nothing is to be done with the next report but deliver it.
    private func canUseLane(_ machine: borrowing BusStateMachine) -> Bool {
        machine.flood == nil && observers.isEmpty && intake.mailbox.isPlain(at: machine.nextNumber)
    }

    /// Takes what is next in the intake, if it is more than a report to deliver.
    private func take(_ machine: inout BusStateMachine) -> BusStateMachine.NextAnswer? {
        if intake.hasNotice(before: machine.nextNumber), let notice = intake.takeNotice() {
            machine.tell(intake.takeDrops(for: notice), by: notice)
            return machine.take(notice)
        }
        if machine.hasFlush(before: machine.nextNumber) { return machine.releaseHeld() }
        if canUseLane(machine) { return nil }
        // A notice goes before what was accepted after it, also where what is before it is held.
        while !intake.hasNotice(before: machine.nextNumber), !machine.hasFlush(before: machine.nextNumber),
            let posting = intake.mailbox.take(machine.nextNumber)
        {
            machine.nextNumber += 1
            if let answer = machine.take(PendingReport(posting)) { return answer }
        }
        return nil
    }

    /// Those who wait for what was posted before the next report, which is delivered: nobody else's are left to take.
    private func flushed(_ machine: inout BusStateMachine) -> [Promise<Bool>]? {
        guard machine.hasFlush(before: machine.nextNumber) else { return nil }
        let promises = machine.takeFlushes(before: machine.nextNumber)
        intake.leaveLane(before: machine.firstFlush)
        return promises
    }

    /// Asks the user of what kind an error is: the worker, under no lock.
    private func fingerprint(of pending: PendingReport) -> ErrorFingerprint {
        guard let given = floodFingerprint else { preconditionFailure("the flood limit has a way of its own") }
        return ErrorFingerprint(given: given(pending.report()))
    }

    /// Looks at the clock for ``Statistics/deliveryTime``.
    func noteDelivery() {
        deliveryBegan.set(clock.now().nanoseconds)
    }

    func isCurrent(_ generation: UInt64) -> Bool {
        self.generation.load(ordering: .acquiring) == generation
    }

    /// The next wake-up; comes at once if there was one since the last.
    func wakeUp() async {
        for await _ in wakeUps { return }
    }
}
