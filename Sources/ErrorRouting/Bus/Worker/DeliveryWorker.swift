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
        var (action, untilYield) = (next(), Self.turn)
        // The only suspension point here: what may follow one is compiled once for each.
        while let wait = carryOut(action, &untilYield) { action = await suspend(for: wait) }
        // Does nothing if the bus has ended, or has replaced the worker already.
        if isTaskCancelled { bus.replaceCancelledWorker(generation) }
    }

    /// What the worker's task may be suspended for.
    private enum Wait {
        case delivery(PendingReport, from: DispatchProgress?)
        case otherTasks(then: WorkerAction)
        case wakeUp
    }

    private func suspend(for wait: Wait) async -> WorkerAction {
        switch wait {
        case .delivery(let pending, let progress):
            return await deliver(pending, from: progress)
        case .otherTasks(let action):
            await Task.yield()
            return action
        case .wakeUp:
            await bus.wakeUp()
            return next()
        }
    }

    /// How many reports are delivered before other tasks get the thread.
    static let turn = 4_096

    /// Carries out what the storage says, until that may take a suspension.
    ///
    /// - Parameters:
    ///   - action: What to do first.
    ///   - untilYield: How many more reports are delivered before it is another task's turn.
    /// - Returns: What to suspend for; nil to stop.
    private func carryOut(_ action: WorkerAction, _ untilYield: inout Int) -> Wait? {
        var action = action
        while true {
            // Only here: what is counted has to be told first.
            if action.isDelivery {
                if isTaskCancelled { return nil }
                // While reports come one after the other, the worker may suspend nowhere else.
                if untilYield <= 0 {
                    untilYield = Self.turn
                    audience.wakeReaders()
                    return .otherTasks(then: action)
                }
            }
            switch action {
            case .deliver(let pending, let checkpoint):
                bus.noteDelivery()
                untilYield -= 1
                return .delivery(pending, from: checkpoint?.progress)
            case .deliverInLane(let number):
                action = workInLane(from: number, isAdmitted: true, &untilYield)
            case .markInLane(let number):
                action = workInLane(from: number, isAdmitted: false, &untilYield)
            case .tell(let pending, let outcome, let unheard):
                tell(
                    pending.posting, pending.sequence, outcome, occurrences: pending.occurrences,
                    since: pending.firstMoment)
                for failure in unheard { bus.lastResort.write(failure) }
                action = next()
            case .held(let promise):
                promise.fulfill(.pending)
                action = next()
            case .flushed(let promises):
                audience.wakeReaders()
                for promise in promises { promise.fulfill(true) }
                action = next()
            case .readClock(let number):
                _ = waitBriefly(for: number)
                action = next(at: bus.clock.now())
            case .sleep(let idle, let alarm):
                if let alarm { bus.setAlarm(alarm) }
                audience.wakeReaders()
                for promise in idle { promise.fulfill(()) }
                // Not before: the storage has handed these promises out, and will not do so again.
                return isTaskCancelled ? nil : .wakeUp
            case .end:
                bus.end()
                return nil
            case .stop(let unheard):
                for failure in unheard { bus.lastResort.write(failure) }
                return nil
            }
        }
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
                if !start.failures.isEmpty { _ = bus.storage.note(start, for: generation) }
            case .completed:
                return complete(start)
            case .superseded:
                return bus.storage.superseded(after: start.failures)
            }
        }
        // The action may take long: readers must not wait for it.
        audience.wakeReaders()
        var walk = unsafe DispatchWalk(rules.program, on: path, pending.error, from: start)
        switch await walk.finish(LazyReport(pending), under: self) {
        case .completed: return complete(walk.progress)
        case .superseded(let known): return bus.storage.superseded(after: walk.progress.failures, known: known)
        case .needsNewTask:
            let isCurrent = bus.storage.note(walk.progress, for: generation)
            // If it is, the worker finds that its task is cancelled, and lets a new worker deliver the rest.
            return isCurrent ? next() : bus.storage.superseded(after: walk.progress.failures)
        }
    }

    private func complete(_ progress: DispatchProgress) -> WorkerAction {
        bus.storage.complete(progress, for: generation, isObserved: !audience.isEmpty)
    }

    /// Returns the rules on the path of a scope; nil if there is no scope, so that the bus's rules are all.
    @inline(__always)
    private static func path(of scope: Unmanaged<ScopeContext>?) -> HandlerPath.Steps? {
        unsafe scope?._withUnsafeGuaranteedRef { $0.handlers }
    }

    /// Tells the observers and the waiting poster of a report's end.
    @inline(__always)
    private func tell(
        _ posting: consuming Posting, _ sequence: UInt64, _ outcome: HandleOutcome, occurrences: Int = 1,
        since firstMoment: ErrorReport.Moment? = nil
    ) {
        let (scope, promise) = (posting.scope, posting.promise)
        if !audience.isEmpty {
            // Moved into the report, not copied.
            audience.send(
                posting.report(
                    sequence: sequence, occurrences: occurrences, firstMoment: firstMoment, outcome: outcome),
                of: scope)
        }
        promise?.fulfill(outcome)
    }

    // MARK: In the lane

    /// Delivers reports in the lane, or marks them for the flood limit, until something else comes next, or it is
    /// another task's turn.
    ///
    /// - Parameters:
    ///   - first: The first report.
    ///   - isAdmitted: Whether the flood limit has let that pass, if there is one.
    ///   - untilYield: How many more reports are delivered before it is another task's turn.
    private func workInLane(from first: Int64, isAdmitted: Bool, _ untilYield: inout Int) -> WorkerAction {
        var (number, isAdmitted) = (first, isAdmitted)
        bus.noteDelivery()
        // A shutdown takes the report that comes next back while the worker is suspended.
        while untilYield > 0, !isTaskCancelled {
            untilYield -= 1
            switch isAdmitted ? deliverInLane(number) : admit(number) {
            case nil:
                if isAdmitted { number += 1 } else { isAdmitted = true }
            case .markInLane(let next):
                (number, isAdmitted) = (next, false)
            case let action?:
                return action
            }
        }
        return isAdmitted ? .deliverInLane(number) : .markInLane(number)
    }

    /// Lets the flood limit decide about a report in the lane; returns what to do next, nil to deliver the report.
    private func admit(_ number: Int64) -> WorkerAction? {
        let mark = unsafe bus.floodMark(of: bus.storage.posting(inLaneAt: number))
        return bus.storage.admit(mark, at: number, for: generation)
    }

    /// Delivers a report in the lane, in its place in the mailbox, where it stays until the worker has gone on.
    ///
    /// - Returns: What to do next; nil to deliver the next report in the lane.
    private func deliverInLane(_ number: Int64) -> WorkerAction? {
        defer { withExtendedLifetime(bus) {} }
        if number % 64 == 0 { bus.noteDelivery() }
        let posting = unsafe bus.storage.posting(inLaneAt: number)
        // Before the error is read, which would else be retained meanwhile.
        let path = unsafe Self.path(of: posting.pointee.unretainedScope)
        var report = unsafe LazyReport(posting, sequence: bus.storage.sequence(inLaneAt: number))
        var progress = DispatchProgress()
        let end = unsafe DispatchWalk.run(
            posting.pointee.error, through: rules.program, on: path, &report, under: self, into: &progress)
        guard case .completed = end else {
            return bus.storage.leaveLane(at: number, progress, isOver: false, for: generation)
        }
        let isWaitedFor = unsafe posting.pointee.isWaitedFor
        var mayWait = !isWaitedFor
        while true {
            switch bus.storage.completeInLane(
                number, progress, isTold: isWaitedFor || !audience.isEmpty, mayWait: mayWait, for: generation)
            {
            case .next:
                return nil
            case .tell:
                let sequence = bus.storage.sequence(inLaneAt: number)
                tell(bus.storage.take(inLaneAt: number), sequence, progress.outcome)
                return bus.storage.toldInLane(at: number + 1, for: generation)
            case .wait:
                mayWait = waitBriefly(for: number + 1)
            case .leave(let action):
                return action
            }
        }
    }

    /// Waits for a report, some microseconds at most; returns whether its place is filled.
    ///
    /// To sleep and be woken costs the worker and the poster more than that, and a worker that is a little faster than
    /// a single poster would do so for every report. The worker reads the report's place rarely, since each read takes
    /// its cache line away from the poster, who is about to write there; meanwhile a few reports can come together.
    private func waitBriefly(for number: Int64) -> Bool {
        for _ in 0..<8 {
            for _ in 0..<Self.pause where isTaskCancelled { return false }
            if bus.storage.isFilled(at: number) { return true }
        }
        return false
    }

    /// How many reads of the worker's own flag make up a pause of some tenths of a microsecond.
    private static let pause = 500

    // MARK: Supervising asynchronous actions

    func supervising<Result>(_ report: ErrorReport, _ operation: () async throws -> Result) async rethrows -> Result {
        let action = ErrorBus.ActionMark(bus: bus.number, sequence: report.sequence)
        return try await ErrorBus.$actions.withValue(ErrorBus.actions + [action], operation: operation)
    }

    func actionWillBegin(_ action: SupervisedAction) -> Bool { bus.actionWillBegin(action, for: generation) }

    func actionDidEnd() -> Bool { bus.storage.actionDidEnd(for: generation) }

    var isCurrent: Bool { bus.storage.isCurrent(generation) }

    var isTaskCancelled: Bool { isCancelled.load(ordering: .acquiring) }
}
