import Synchronization

/// The task in which actions run, one report after another, until the bus has ended or has replaced the worker.
///
/// To limit an action's time by wrapping it in a task would be expensive for each action. Instead each worker has a
/// generation: the bus replaces a worker whose action is overdue by one of the next generation, which goes on after
/// that action's rule. When the action returns, the old worker finds that it is not current, and stops.
final class DeliveryWorker: ActionSupervisor {
    private let bus: ErrorBus
    private let generation: UInt64
    private let audience: Audience
    /// The bus's rules, not retained for each report: the bus retains them.
    private let rules: RuleSet.Reference
    /// Whether the worker's task was cancelled.
    ///
    /// While the worker is current, only one of its actions can have done that: the bus cancels only workers that it
    /// has replaced or stopped.
    ///
    /// Set by a cancellation handler: to ask the task for every report may cost more than to deliver the report.
    private let isCancelled = Atomic<Bool>(false)

    init(bus: ErrorBus, generation: UInt64) {
        self.bus = bus
        self.generation = generation
        audience = Audience(of: bus.observers)
        rules = bus.handler.rules.reference
    }

    @concurrent
    func work() async {
        // The scope in which the bus was run is not the actions' scope. And a worker that a watchdog has started is not
        // inside the action that had started the watchdog.
        let outer = ErrorBus.actions.filter { $0.bus != bus.number }
        await ErrorBus.$current.withValue(bus) {
            await ErrorScope.$bound.withValue(nil) {
                await ErrorBus.$actions.withValue(outer) {
                    await withTaskCancellationHandler {
                        await loop()
                    } onCancel: {
                        isCancelled.store(true, ordering: .releasing)
                    }
                }
            }
        }
    }

    private func loop() async {
        defer { audience.wakeReaders() }
        var action = next()
        var untilYield = Self.turn
        while true {
            switch action {
            case .deliver where isCancelled.load(ordering: .acquiring):
                return bus.replaceCancelledWorker(generation)
            // While reports come one after the other, the worker may suspend nowhere else. Outcomes that are counted
            // are announced first.
            case .deliver where untilYield <= 0, .deliverInLane where untilYield <= 0:
                await giveWay(&untilYield)
            case .deliver(let pending, let progress):
                bus.noteDelivery()
                untilYield -= 1
                action = await deliver(pending, from: progress)
            case .deliverInLane(let number):
                action = deliverInLane(number, untilYield: &untilYield)
            case .announce(let pending, let outcome, let unheard):
                if !audience.isEmpty { audience.send(pending.report(outcome), of: pending.posting.scope) }
                pending.posting.promise?.fulfill(outcome)
                for failure in unheard { bus.lastResort.write(failure) }
                action = next()
            case .held(let pending, _):
                untilYield -= 1
                pending.posting.promise?.fulfill(.pending)
                if untilYield <= 0 { await giveWay(&untilYield) }
                action = next()
            case .mark(let pending):
                pending.floodMark = bus.floodMark(of: pending.posting)
                action = next()
            case .flushed(let promises):
                audience.wakeReaders()
                for promise in promises { promise.fulfill(true) }
                action = next()
            case .readClock:
                action = next(at: bus.clock.now())
            case .sleep(let idle, let alarm):
                if let alarm { bus.setAlarm(alarm) }
                audience.wakeReaders()
                for promise in idle { promise.fulfill(()) }
                // Not before: the storage has handed these promises out, and will not do so again.
                if isCancelled.load(ordering: .acquiring) { return bus.replaceCancelledWorker(generation) }
                await bus.wakeUp()
                action = next()
            case .end:
                return bus.end()
            case .stop(let failures):
                for failure in failures { bus.lastResort.write(failure) }
                return
            }
        }
    }

    /// Lets other tasks have the thread.
    private func giveWay(_ untilYield: inout Int) async {
        untilYield = Self.turn
        audience.wakeReaders()
        await Task.yield()
    }

    private func next(at now: Duration? = nil) -> WorkerAction { bus.storage.next(for: generation, at: now) }

    private func deliver(_ pending: PendingReport, from progress: DispatchProgress?) async -> WorkerAction {
        // The bus retains its own rules, and the posting those of its scope.
        defer { withExtendedLifetime((bus, pending)) {} }
        let path = unsafe Self.path(of: pending.posting.unretainedScope)
        var start = progress ?? DispatchProgress()
        if progress == nil {
            var report = LazyReport(pending)
            switch unsafe DispatchWalk.run(
                pending.error, through: rules.program, on: path, &report, under: self, into: &start)
            {
            case .needsSuspension:
                if !start.failures.isEmpty { bus.storage.goOn(from: start, for: generation) }
            case .completed:
                return complete(pending, start)
            case .superseded:
                return bus.storage.superseded(telling: start.failures)
            }
        }
        // The action may take long: readers must not wait for it.
        audience.wakeReaders()
        var walk = unsafe DispatchWalk(rules.programInUse, on: path, pending.error, from: start)
        switch await walk.finish(LazyReport(pending), under: self) {
        case .completed: return complete(pending, walk.progress)
        case .superseded(let known): return bus.storage.superseded(telling: walk.progress.failures, known: known)
        case .needsNewTask:
            guard bus.storage.goOn(from: walk.progress, for: generation) else {
                return bus.storage.superseded(telling: walk.progress.failures)
            }
            // The loop sees the cancellation, and lets a new worker deliver the rest.
            return .deliver(pending, from: walk.progress)
        }
    }

    private func complete(_ pending: PendingReport, _ progress: DispatchProgress) -> WorkerAction {
        bus.storage.complete(pending, progress, for: generation, isObserved: !audience.isEmpty)
    }

    /// Waits for the next report, some microseconds at most; returns whether it can be delivered in the lane.
    ///
    /// To sleep and be woken costs the worker and the poster more than that, and a worker that is a little faster than
    /// a single poster would do so for every report. The worker reads the report's place rarely, since each read takes
    /// its cache line away from the poster, who is about to write there; meanwhile a few reports can come together.
    private func nextComesSoon(after number: Int64) -> Bool {
        for _ in 0..<8 {
            for _ in 0..<Self.pause where isCancelled.load(ordering: .acquiring) { return false }
            if let goesOn = bus.storage.laneGoesOn(after: number) { return goesOn }
        }
        return false
    }

    /// How many reads of the worker's own flag make up a pause of some tenths of a microsecond.
    private static let pause = 500

    /// Returns the rules on the path of a scope; nil if there is no scope, so that the bus's rules are all.
    @inline(__always)
    private static func path(of scope: Unmanaged<ScopeContext>?) -> HandlerPath.Steps? {
        unsafe scope?._withUnsafeGuaranteedRef { $0.handlers }
    }

    /// How many reports are delivered before other tasks get the thread.
    static let turn = 4_096

    /// Delivers reports in the lane until none is left, one needs more than delivery, or it is another task's turn.
    private func deliverInLane(_ first: Int64, untilYield: inout Int) -> WorkerAction {
        var number = first
        bus.noteDelivery()
        while true {
            if number % 64 == 0 { bus.noteDelivery() }
            if isCancelled.load(ordering: .acquiring) {
                return leaveLane(at: number, DispatchProgress(), isOver: false)
            }
            // The report is in delivery: a shutdown takes it back while the worker is suspended.
            if untilYield <= 0 { return .deliverInLane(number) }
            untilYield -= 1
            if bus.storage.isLimitingFloods, let action = admit(number) { return action }
            if let action = deliver(number) { return action }
            number += 1
        }
    }

    /// Asks the flood limit about the report that the worker has come to in the lane.
    ///
    /// - Returns: What to do next; nil if the report passes, and is in delivery.
    private func admit(_ number: Int64) -> WorkerAction? {
        let mark = unsafe bus.floodMark(of: bus.storage.posting(inLaneAt: number))
        guard let passes = bus.storage.admitInLane(number, mark) else { return leaveWithdrawnLane(at: number) }
        return passes ? nil : leaveLane(at: number, DispatchProgress(), isOver: false, mark: mark)
    }

    /// Delivers a report in the lane, in its place in the mailbox, where it stays until the worker has gone on.
    ///
    /// - Returns: What to do next; nil to go on with the next report in the lane.
    private func deliver(_ number: Int64) -> WorkerAction? {
        defer { withExtendedLifetime(bus) {} }
        let posting = unsafe bus.storage.posting(inLaneAt: number)
        // Before the error is read, which would else be retained meanwhile.
        let path = unsafe Self.path(of: posting.pointee.unretainedScope)
        var report = unsafe LazyReport(posting, sequence: bus.storage.sequence(inLaneAt: number))
        var progress = DispatchProgress()
        switch unsafe DispatchWalk.run(
            posting.pointee.error, through: rules.program, on: path, &report, under: self, into: &progress)
        {
        case .needsSuspension:
            return leaveLane(at: number, progress, isOver: false)
        case .superseded:
            return leaveWithdrawnLane(at: number, telling: progress.failures)
        case .completed:
            guard progress.failures.isEmpty else { return leaveLane(at: number, progress, isOver: true) }
            return audience.isEmpty ? goOn(from: number, progress) : goOnTelling(from: number, progress)
        }
    }

    /// Goes on to the next report in the lane; returns what to do next if there is none.
    @inline(__always)
    private func goOn(from number: Int64, _ progress: DispatchProgress) -> WorkerAction? {
        repeat {
            switch bus.storage.goOnInLane(from: number, progress.disposition, isObserved: false) {
            case .next: return nil
            case .withdrawn: return leaveWithdrawnLane(at: number)
            case .last: continue
            }
        } while nextComesSoon(after: number) && audience.isEmpty
        return leaveLane(at: number, progress, isOver: true)
    }

    /// Goes on to the next report in the lane, and tells the observers of the one before; returns what to do next if
    /// there is none.
    private func goOnTelling(from number: Int64, _ progress: DispatchProgress) -> WorkerAction? {
        repeat {
            switch bus.storage.goOnInLane(from: number, progress.disposition, isObserved: true) {
            case .next:
                // The posting is moved into the report, not copied. The last one's report is made outside the lane.
                guard let posting = bus.storage.takeFromLane(number) else { preconditionFailure("it was taken") }
                let (scope, sequence) = (posting.scope, bus.storage.sequence(inLaneAt: number))
                audience.send(posting.report(sequence: sequence, outcome: progress.outcome), of: scope)
                return bus.storage.announcedInLane(at: number + 1) ? nil : leaveWithdrawnLane(at: number + 1)
            case .withdrawn: return leaveWithdrawnLane(at: number)
            case .last: continue
            }
        } while nextComesSoon(after: number)
        return leaveLane(at: number, progress, isOver: true)
    }

    @inline(never)
    private func leaveLane(
        at number: Int64, _ progress: DispatchProgress, isOver: Bool, mark: FloodMark? = nil
    ) -> WorkerAction {
        bus.storage.leaveLane(
            at: number, progress, isOver: isOver, mark: mark, isObserved: !audience.isEmpty, for: generation)
    }

    @inline(never)
    private func leaveWithdrawnLane(at number: Int64, telling failures: [ActionFailure] = []) -> WorkerAction {
        bus.storage.leaveWithdrawnLane(at: number, telling: failures, for: generation)
    }

    func supervising<Result>(
        _ report: ErrorReport,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        let action = ErrorBus.ActionMark(bus: bus.number, sequence: report.sequence)
        return try await ErrorBus.$actions.withValue(ErrorBus.actions + [action], operation: operation)
    }

    func actionWillBegin(_ action: SupervisedAction) -> Bool { bus.actionWillBegin(action, for: generation) }

    func actionDidEnd() -> Bool { bus.storage.actionDidEnd(for: generation) }

    var isCurrent: Bool { bus.storage.isCurrent(generation) }

    var isTaskCancelled: Bool { isCancelled.load(ordering: .acquiring) }
}
