import Synchronization

/// The task in which actions run, one report after another, until the bus has ended or has replaced it.
///
/// Limiting an action's time by wrapping it in a task would cost each action dearly. In its place each worker has a
/// generation: the bus replaces a worker whose action is overdue by one of the next generation, which goes on after the
/// rule in question; the old one finds on return that it is no longer current, and stops.
final class DeliveryWorker: ActionSupervisor {
    private let bus: ErrorBus
    private let generation: UInt64
    private let audience: Audience
    /// The bus's rules, not retained for each report: the bus holds them.
    private let rules: RuleSet.Reference
    /// Whether the worker's task was cancelled, which only an action can have done.
    ///
    /// Told by a handler, since to ask the task for every report costs more than to deliver many a report.
    private let isCancelled = Atomic<Bool>(false)

    init(bus: ErrorBus, generation: UInt64) {
        self.bus = bus
        self.generation = generation
        audience = Audience(of: bus.observers)
        rules = bus.handler.rules.reference
    }

    @concurrent
    func work() async {
        // A scope that whoever ran the bus was in is none of the actions'. And where a watchdog has started the worker,
        // the action that it was sent out by is not around it.
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
            // Nothing else may suspend for as long as there is a report after the other; what counts already is told
            // first.
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
            case .suppressed(let pending):
                untilYield -= 1
                pending.posting.promise?.fulfill(HandleOutcome(disposition: .suppressed))
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
                // Not before: what the storage has handed out it will not hand out again.
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

    /// Lets others have the thread.
    private func giveWay(_ untilYield: inout Int) async {
        untilYield = Self.turn
        audience.wakeReaders()
        await Task.yield()
    }

    private func next(at now: Duration? = nil) -> WorkerAction { bus.storage.next(for: generation, at: now) }

    private func deliver(_ pending: PendingReport, from progress: DispatchProgress?) async -> WorkerAction {
        // Of the rules the bus holds its own, and what was posted those of its scope.
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
        // The action may take its time: who reads along shall not wait for it.
        audience.wakeReaders()
        var walk = unsafe DispatchWalk(rules.programInUse, on: path, pending.error, from: start)
        switch await walk.finish(LazyReport(pending), under: self) {
        case .completed: return complete(pending, walk.progress)
        case .superseded(let known): return bus.storage.superseded(telling: walk.progress.failures, known: known)
        }
    }

    private func complete(_ pending: PendingReport, _ progress: DispatchProgress) -> WorkerAction {
        bus.storage.complete(pending, progress, for: generation, isObserved: !audience.isEmpty)
    }

    /// Waits a moment for the next report: some microseconds at most.
    ///
    /// To sleep and be woken costs the worker and the poster more than that; where the worker is a little faster than a
    /// single poster, they would else do so for every report. Meanwhile it looks elsewhere, or it would take the poster
    /// away the very cache line that it writes to, and lets a few reports come together.
    private func nextComesSoon(after number: Int64) -> Bool {
        for _ in 0..<8 {
            for _ in 0..<Self.pause where isCancelled.load(ordering: .acquiring) { return false }
            if let goesOn = bus.storage.laneGoesOn(after: number) { return goesOn }
        }
        return false
    }

    /// How many looks at a line of its own make up a pause of some tenths of a microsecond.
    private static let pause = 500

    /// The rules of the path of a scope; nil where they are those of the bus alone.
    @inline(__always)
    private static func path(of scope: Unmanaged<ScopeContext>?) -> HandlerPath.Steps? {
        unsafe scope?._withUnsafeGuaranteedRef { $0.handlers }
    }

    /// How many reports are delivered before others that wait for the thread are let in.
    static let turn = 4_096

    /// Delivers what is in the lane, until that is empty or needs more, or others are to be let in.
    private func deliverInLane(_ first: Int64, untilYield: inout Int) -> WorkerAction {
        var number = first
        bus.noteDelivery()
        while true {
            if number % 64 == 0 { bus.noteDelivery() }
            if isCancelled.load(ordering: .acquiring) {
                return leaveLane(at: number, DispatchProgress(), isOver: false)
            }
            // The report is in delivery; a shutdown meanwhile takes it back.
            if untilYield <= 0 { return .deliverInLane(number) }
            untilYield -= 1
            if bus.storage.isLimitingFloods, let action = admit(number) { return action }
            if let action = deliver(number) { return action }
            number += 1
        }
    }

    /// Asks the flood limit about the report that the worker has come to in the lane.
    ///
    /// - Returns: What to do next; nil if the report passes, and is in delivery now.
    private func admit(_ number: Int64) -> WorkerAction? {
        let mark = unsafe bus.floodMark(of: bus.storage.posting(inLaneAt: number))
        guard let passes = bus.storage.admitInLane(number, mark) else { return leaveWithdrawnLane(at: number) }
        return passes ? nil : leaveLane(at: number, DispatchProgress(), isOver: false, mark: mark)
    }

    /// Delivers a report in the lane, where it lies: it stays there until the worker has gone on.
    ///
    /// - Returns: What to do next; nil if that is the next report in the lane.
    private func deliver(_ number: Int64) -> WorkerAction? {
        defer { withExtendedLifetime(bus) {} }
        let posting = unsafe bus.storage.posting(inLaneAt: number)
        // Before the error is looked at, which would be retained meanwhile.
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

    /// Goes on to the next report in the lane; returns what to do if there is none.
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

    /// Goes on to the next report in the lane, and tells the observers of the one before; returns what to do if there
    /// is none.
    private func goOnTelling(from number: Int64, _ progress: DispatchProgress) -> WorkerAction? {
        repeat {
            switch bus.storage.goOnInLane(from: number, progress.disposition, isObserved: true) {
            case .next:
                // What was posted becomes the report; that of the last one is made anew, outside the lane.
                guard let posting = bus.storage.takeFromLane(number) else { preconditionFailure("it is gone") }
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

    func actionWillBegin(_ rule: Rule, _ progress: DispatchProgress, _ report: ErrorReport) -> Bool {
        bus.actionWillBegin(rule, progress, report, for: generation)
    }

    func actionDidEnd() -> Bool { bus.storage.actionDidEnd(for: generation) }

    var isCurrent: Bool { bus.storage.isCurrent(generation) }
}
