import Synchronization

/// The work of the task in which actions run, one report after another, until the bus has ended or has replaced the
/// worker.
///
/// Limiting an action's time by wrapping it in a task would be expensive for each action. Instead, each worker has a
/// generation: the bus replaces a worker with an overdue action by one of the next generation, which continues after
/// that action's rule. When the action returns, the old worker finds that it is no longer current and stops.
final class DeliveryWorker: ActionSupervisor {
    private let bus: ErrorBus
    private let generation: UInt64
    private let observers: ObserverSnapshot
    /// The bus's rules, not retained for each report because the bus retains them.
    private let rules: Borrowed<BlockPath>
    /// The number of times that the worker looks for a report before it sleeps.
    private let patience: Int
    /// Whether the worker's task was cancelled.
    ///
    /// While the worker is current, only one of its actions can have cancelled the task: the bus cancels only workers
    /// that it has replaced or stopped.
    ///
    /// A cancellation handler sets it, because checking the task for every report might cost more than delivering the
    /// report.
    private let isCancelled = Atomic<Bool>(false)

    init(bus: ErrorBus, generation: UInt64, patience: Int = 8) {
        self.bus = bus
        self.generation = generation
        self.patience = patience
        observers = ObserverSnapshot(of: bus.observers)
        rules = bus.handler.rules.path
    }

    @concurrent
    func work() async {
        let work = bus.internalTasks.withLock { $0.work }
        await Ambience.$current.withValue(Ambience(bus: bus, work: work, deliverer: bus.number)) {
            await withTaskCancellationHandler {
                await loop()
            } onCancel: {
                isCancelled.store(true, ordering: .releasing)
            }
        }
    }

    private func loop() async {
        defer { stopReading() }
        var (action, untilYield) = (next(), Self.turn)
        // Keep this the only suspension point: the code that can follow one is compiled once for each.
        while let pending = carryOut(action, &untilYield) { action = await suspend(for: pending) }
        // This does nothing if the bus has ended or has already replaced the worker.
        if isTaskCancelled { bus.replaceCancelledWorker(generation) }
    }

    /// Releases what the worker has read; called once no step follows.
    ///
    /// A report that a shutdown removed must not stay in its slot: it might retain the owner of the bus.
    func stopReading() {
        observers.wakeReaders()
        if let delivery = bus.storage.perform({ $0.takeRemoved(by: generation) }) { _ = bus.storage.take(delivery) }
    }

    /// Carries out a step that might suspend; lets other tasks run before any other step.
    private func suspend(for action: WorkerAction) async -> WorkerAction {
        switch action {
        case .goOn(let delivery, let progress):
            return await finish(delivery, from: progress)
        case .sleep:
            // Returns at once if there was a wake-up since the last one.
            await bus.wakeUps.wait()
            return next()
        default:
            await Task.yield()
            return action
        }
    }

    /// The number of reports delivered before other tasks may use the thread.
    static let turn = 4_096
    /// The number of reports delivered before the worker reads the clock again for
    /// ``ErrorBus/Statistics/deliveryTime``.
    private static let clockTurn = 64

    /// Carries out the storage's steps up to one that might suspend.
    ///
    /// This and ``next(after:)`` are synchronous so that `Tests/Interleavings` can call them without a task.
    ///
    /// - Parameters:
    ///   - action: The first step.
    ///   - untilYield: The number of further reports to deliver before another task's turn.
    /// - Returns: A step that might suspend or must wait for other tasks; nil to stop.
    func carryOut(_ action: WorkerAction, _ untilYield: inout Int) -> WorkerAction? {
        var (action, untilClock) = (action, 0)
        while true {
            // Check only here: others are notified first of the counted reports.
            if action.isDelivery {
                if isTaskCancelled { return nil }
                // Suspend here: while reports come one after the other, there might be no other suspension.
                if untilYield <= 0 {
                    untilYield = Self.turn
                    observers.wakeReaders()
                    return action
                }
            } else {
                untilClock = 0
            }
            switch action {
            case .deliver(let delivery):
                if untilClock == 0 {
                    bus.noteDelivery()
                    untilClock = Self.clockTurn
                }
                untilClock -= 1
                untilYield -= 1
                action = dispatch(delivery)
                // Don't stop before it: if the task was cancelled, `finish` first records the progress for the next
                // worker.
                if case .goOn = action { return action }
            case .goOn:
                bus.noteDelivery()
                return action
            case .computeFloodToken(let delivery):
                action = admit(bus.floodToken(of: delivery))
            case .held(let promise):
                promise.fulfill(.pending)
                action = next()
            case .flushed(let promises):
                observers.wakeReaders()
                for promise in promises { promise.fulfill(true) }
                action = next()
            case .askAgain:
                action = next()
            case .wait(let number, let readsTime):
                waitBriefly(for: number)
                action = next(after: readsTime ? .waitedUntil(bus.clock.now()) : .waited)
            case .sleep(let moment):
                if let moment { bus.setTimer(moment) }
                observers.wakeReaders()
                return isTaskCancelled ? nil : action
            case .end:
                bus.end()
                return nil
            case .stop(let unreported):
                // Omit an action that ended because a shutdown has cancelled it.
                for failure in unreported where Cancellation.role(of: failure.error) != nil {
                    bus.lastResort.write(failure)
                }
                return nil
            }
        }
    }

    /// Returns the worker's next step.
    func next(after pause: WorkerPause = .none) -> WorkerAction {
        bus.storage.perform { $0.next(for: generation, after: pause, $1) }
    }

    /// Waits for a report for a few microseconds at most.
    ///
    /// Sleeping and waking cost the worker and the caller more than that, and a worker slightly faster than a single
    /// caller would sleep for every report. The worker reads the report's slot rarely, because each read takes its
    /// cache line away from the caller that is about to write there. Between reads, a few reports can accumulate.
    private func waitBriefly(for number: Int64) {
        for _ in 0..<patience {
            for _ in 0..<Self.pause where isTaskCancelled { return }
            if bus.storage.hasReport(at: number) { return }
        }
    }

    /// The number of reads of the worker's own flag that take a few tenths of a microsecond.
    private static let pause = 500

    // MARK: One report

    /// Applies the flood limit to a report.
    private func admit(_ token: FloodToken) -> WorkerAction {
        // It is released when this returns: an error's deinitializer might run user code.
        var suppressed: Posting?
        return bus.storage.perform { $0.admit(token, for: generation, suppressing: &suppressed, $1) }
    }

    /// Tries the rules for a report in order, up to the first asynchronous one.
    private func dispatch(_ delivery: Delivery) -> WorkerAction {
        // Keep the bus alive: it retains its own rules. The posting retains those of its scope.
        defer { withExtendedLifetime(bus) {} }
        // Find the path first; reading the error first would retain it.
        let path = unsafe path(of: delivery.address.pointee.unretainedScope)
        var cursor = DispatchCursor(path, delivery.notes, isAttempt: unsafe delivery.address.pointee.isAttempt)
        switch unsafe cursor.run(delivery.address.pointee.error.error, under: self) {
        case .completed:
            return complete(delivery, cursor)
        case .superseded, .failedAfterwards:
            return stop(after: cursor.failures ?? [])
        case .needsSuspension, .needsNewTask:
            let progress = cursor.progress
            // Record the position after the failures: another worker might continue there.
            if progress.failures != nil { _ = note(.between(progress)) }
            return .goOn(delivery, from: progress)
        }
    }

    /// Continues a report's rules at an asynchronous one.
    private func finish(_ delivery: Delivery, from progress: DispatchProgress) async -> WorkerAction {
        // Wake readers now: the action might take long, and they must not wait for it.
        observers.wakeReaders()
        // Copy the posting and retain the scope: once another worker has the report, its slot might be freed.
        let posting = delivery.posting
        defer { withExtendedLifetime((bus, posting)) {} }
        let path = path(of: posting.unretainedScope)
        var cursor = DispatchCursor(path, DispatchNotes(posting.report(sequence: delivery.sequence)), from: progress)
        switch await cursor.finish(posting.error, under: self) {
        case .completed: return complete(delivery, cursor)
        case .superseded, .needsSuspension: return stop(after: cursor.failures ?? [])
        case .failedAfterwards: return stop(after: cursor.failures ?? [], lastIsLate: true)
        case .needsNewTask:
            // If this succeeds, the worker finds that its task is cancelled, and a new worker delivers the rest.
            return note(.between(cursor.progress)) ? next() : stop(after: cursor.failures ?? [])
        }
    }

    private func note(_ checkpoint: Checkpoint) -> Bool {
        bus.storage.perform { $0.note(checkpoint, for: generation) }
    }

    private func stop(after failures: [ActionFailure], lastIsLate: Bool = false) -> WorkerAction {
        bus.storage.perform { $0.stop(for: generation, after: failures, lastIsLate: lastIsLate) }
    }

    private func complete(_ delivery: Delivery, _ cursor: borrowing DispatchCursor) -> WorkerAction {
        let (disposition, failures) = (cursor.disposition, cursor.failures)
        var hasToNotify = false
        let action = bus.storage.perform {
            // Read it under the lock: an observer added while the report still counted as pending must receive it.
            $0.complete(
                disposition, failures, for: generation, isObserved: !observers.isEmpty, notifying: &hasToNotify, $1)
        }
        // A worker that has to stop no longer has the report.
        if case .stop = action { return action }
        let posting = bus.storage.take(delivery)
        if let rule = cursor.decisive { bus.ruleTally.count(rule) }
        if hasToNotify {
            notify(posting, delivery.sequence, cursor)
            if bus.storage.notificationDidEnd() { bus.end() }
        }
        return action
    }

    /// Notifies the observers and the waiting caller of a report's completion; failures of a notice's actions go to the
    /// last resort.
    @inline(never)
    private func notify(_ posting: consuming Posting, _ sequence: UInt64, _ cursor: borrowing DispatchCursor) {
        let (scope, promise, isActionFailure) = (posting.scope, posting.promise, posting.isActionFailure)
        // The outcome's rule might be the scope's.
        defer { withExtendedLifetime(scope) {} }
        if !observers.isEmpty {
            // Move it into the report instead of copying it.
            observers.send(posting.report(sequence: sequence, outcome: cursor.outcome), of: scope)
        }
        promise?.fulfill(cursor.outcome)
        if isActionFailure { for failure in cursor.failures ?? [] { bus.lastResort.write(failure) } }
    }

    /// Returns the blocks on the path of a scope; without a scope, those of the bus.
    @inline(__always)
    private func path(of scope: Borrowed<ScopeContext>?) -> Borrowed<BlockPath> {
        scope?.read { $0.blocks } ?? rules
    }

    // MARK: Supervising asynchronous actions

    func supervising<Result>(_ report: ErrorReport, _ operation: () async throws -> Result) async rethrows -> Result {
        let action = Ambience.Work(bus: bus.number, sequence: report.sequence)
        return try await Ambience.$current.withValue(Ambience.current.within(action), operation: operation)
    }

    func actionWillBegin(_ action: SupervisedAction) -> Bool {
        let limit = bus.configuration.actionTimeLimit
        guard let limit else { return note(.between(action.progress)) }
        let now = bus.clock.now()
        guard note(.running(action, began: now)) else { return false }
        bus.setTimer(now + limit.bounded)
        return true
    }

    func actionDidFail(_ progress: DispatchProgress) { _ = note(.between(progress)) }

    func actionDidEnd() -> Bool { bus.storage.perform { $0.actionDidEnd(for: generation) } }

    var isCurrent: Bool { bus.storage.isCurrent(generation) }

    var isTaskCancelled: Bool { isCancelled.load(ordering: .acquiring) }
}
