import Synchronization

/// The task in which actions run, one report after another, until the bus has ended or has replaced it.
///
/// Limiting an action's time by wrapping it in a task would cost each action dearly. In its place each worker has a
/// generation: the bus replaces a worker whose action is overdue by one of the next generation, which goes on after the
/// rule in question; the old one finds on return that it is no longer current, and stops.
final class DeliveryWorker: ActionSupervisor {
    private let bus: ErrorBus
    private let generation: UInt64
    /// The bus's rules, not retained for each report: the bus holds them.
    private let rules: RuleSet.Reference
    /// Whether the worker's task was cancelled, which only an action can have done.
    ///
    /// Told by a handler, since to ask the task for every report costs more than to deliver many a report.
    private let isCancelled = Atomic<Bool>(false)

    init(bus: ErrorBus, generation: UInt64) {
        self.bus = bus
        self.generation = generation
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
        var work = bus.next(for: generation)
        var untilYield = Self.turn
        while true {
            // Nothing else may suspend for as long as there is a report after the other.
            if untilYield <= 0 {
                untilYield = Self.turn
                bus.observers.wakeReaders()
                await Task.yield()
            }
            switch work {
            case .deliver where isCancelled.load(ordering: .acquiring),
                .sleep where isCancelled.load(ordering: .acquiring):
                return bus.replaceCancelledWorker(generation)
            case .deliver(let pending, let progress):
                bus.noteDelivery()
                untilYield -= 1
                work = await deliver(pending, from: progress)
            case .deliverInLane(let number):
                work = deliverInLane(number, untilYield: &untilYield)
            case .giveWay:
                untilYield = 0
                work = bus.next(for: generation)
            case .sleep:
                await bus.wakeUp()
                work = bus.next(for: generation)
            case .stop:
                return
            }
        }
    }

    private func deliver(_ pending: PendingReport, from progress: DispatchProgress?) async -> ErrorBus.Work {
        // Of the rules the bus holds its own, and what was posted those of its scope.
        defer { withExtendedLifetime((bus, pending)) {} }
        let path = unsafe Self.path(of: pending.posting.unretainedScope)
        var progress = progress
        if progress == nil {
            var walk = walk(for: pending.error, on: path, from: DispatchProgress())
            var report = LazyReport(pending)
            switch walk.finishIfSynchronous(&report, under: self) {
            case .needsSuspension:
                if !walk.progress.failures.isEmpty { bus.goOn(from: walk.progress, for: generation) }
                progress = walk.progress
            case .completed:
                return bus.complete(pending, walk.progress, for: generation)
            case .superseded:
                return bus.stop(telling: walk.progress.failures)
            }
        }
        // The action may take its time: who reads along shall not wait for it.
        bus.observers.wakeReaders()
        var walk = walk(for: pending.error, on: path, from: progress ?? DispatchProgress())
        switch await walk.finish(LazyReport(pending), under: self) {
        case .completed: return bus.complete(pending, walk.progress, for: generation)
        case .superseded(let known): return bus.stop(telling: walk.progress.failures, known: known)
        }
    }

    /// Waits a moment for the next report: some microseconds at most.
    ///
    /// To sleep and be woken costs the worker and the poster more than that; where the worker is a little faster than a
    /// single poster, they would else do so for every report. Meanwhile it looks elsewhere, or it would take the poster
    /// away the very cache line that it writes to, and lets a few reports come together.
    private func nextComesSoon(after number: Int64) -> Bool {
        for _ in 0..<8 {
            for _ in 0..<Self.pause where isCancelled.load(ordering: .acquiring) { return false }
            if bus.intake.mailbox.isFilled(at: number + 1) {
                return bus.intake.mailbox.isPlain(at: number + 1) && !bus.intake.hasInterruption(before: number + 1)
            }
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

    /// The way of an error through the rules of the bus, or of the path of its scope.
    ///
    /// What it refers to is held by the bus, and by what was posted.
    @inline(__always)
    private func walk(
        for error: any Error,
        on path: HandlerPath.Steps?,
        from progress: DispatchProgress
    ) -> DispatchWalk {
        guard let path else {
            return unsafe DispatchWalk(rules.program, error, from: progress)
        }
        return DispatchWalk(path, error, from: progress)
    }

    /// How many reports are delivered before others that wait for the thread are let in.
    static let turn = 4_096

    /// Delivers what is in the lane, until that is empty or needs more, or others are to be let in.
    private func deliverInLane(_ first: Int64, untilYield: inout Int) -> ErrorBus.Work {
        var number = first
        bus.noteDelivery()
        while true {
            if number % 64 == 0 { bus.noteDelivery() }
            if isCancelled.load(ordering: .acquiring) {
                return bus.leaveLane(at: number, DispatchProgress(), isOver: false, for: generation)
            }
            // The report is in delivery; a shutdown meanwhile takes it back.
            if untilYield <= 0 { return .deliverInLane(number) }
            untilYield -= 1
            switch deliver(number) {
            case .next: number += 1
            case .work(.deliverInLane(let next)): number = next
            case .work(let work): return work
            }
        }
    }

    private enum LaneStep {
        case next
        case work(ErrorBus.Work)
    }

    /// Delivers a report in the lane, where it lies: it stays there until the worker has gone on.
    private func deliver(_ number: Int64) -> LaneStep {
        defer { withExtendedLifetime(bus) {} }
        let posting = unsafe UnsafePointer(bus.intake.mailbox.element(at: number))
        // Before the error is looked at, which would be retained meanwhile.
        let path = unsafe Self.path(of: posting.pointee.unretainedScope)
        var walk = unsafe walk(for: posting.pointee.error, on: path, from: DispatchProgress())
        var report = unsafe LazyReport(posting, sequence: bus.lane.sequence(of: number))
        switch walk.finishIfSynchronous(&report, under: self) {
        case .needsSuspension:
            return .work(bus.leaveLane(at: number, walk.progress, isOver: false, for: generation))
        case .superseded:
            return .work(bus.leaveWithdrawnLane(at: number, telling: walk.progress.failures))
        case .completed:
            while walk.progress.failures.isEmpty, bus.observers.isEmpty {
                switch bus.lane.goOn(from: number, walk.progress.disposition, in: bus.intake) {
                case .next:
                    bus.intake.mailbox.empty(number)
                    return .next
                case .withdrawn:
                    return .work(bus.leaveWithdrawnLane(at: number, telling: []))
                case .last where nextComesSoon(after: number):
                    continue
                case .last:
                    return .work(bus.leaveLane(at: number, walk.progress, isOver: true, for: generation))
                }
            }
            return .work(bus.leaveLane(at: number, walk.progress, isOver: true, for: generation))
        }
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

    func actionDidEnd() { bus.actionDidEnd(for: generation) }

    var isCurrent: Bool { bus.isCurrent(generation) }
}
