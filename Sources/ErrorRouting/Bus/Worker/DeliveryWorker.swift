import Synchronization

/// The work of the task that runs synchronous actions, one report after another, until the bus has ended.
///
/// Each asynchronous action has its own task; the worker waits until the action ends or is abandoned.
///
/// If a synchronous action cancels the worker's task, the worker starts a successor before the next report. The
/// cancellation must not reach the actions of later reports, and it would end the stream of wake-ups.
final class DeliveryWorker: ActionSupervisor {
    typealias Action = BusStateMachine.WorkerAction

    private let bus: ErrorBus
    /// The work that encloses the bus.
    private let enclosing: [Ambience.Work]
    /// The bus's rules; each report can use them without retaining them, because the bus does.
    private let rules: Borrowed<BlockPath>
    /// How often the worker looks for a report before it sleeps.
    private let patience: Int
    /// Whether the worker's task was cancelled, by one of its actions or by a shutdown.
    ///
    /// A cancellation handler sets the flag, because checking the task for every report might cost more than delivering
    /// the report.
    private let isTaskCancelled = Atomic<Bool>(false)

    init(bus: ErrorBus, within work: [Ambience.Work] = [], patience: Int = 8) {
        (self.bus, enclosing, self.patience) = (bus, work, patience)
        rules = bus.handler.rules.path
    }

    /// Delivers reports until the bus has ended or a successor takes over.
    @concurrent
    func work() async {
        let actions = Ambience.Work(bus: bus.number, part: .synchronousActions)
        await Ambience.$current.withValue(Ambience(bus: bus, work: enclosing + [actions])) {
            await withTaskCancellationHandler {
                await loop()
            } onCancel: {
                isTaskCancelled.store(true, ordering: .releasing)
            }
        }
    }

    private func loop() async {
        var (action, untilYield) = (bus.storage.apply { $0.next() }, Self.turn)
        // Keep this the only suspension point: code after a suspension point is compiled once for each of them.
        while let suspension = carryOut(action, &untilYield) { action = await suspend(for: suspension) }
    }

    /// The number of reports that the worker delivers before other tasks can use the thread.
    static let turn = 4_096
    /// The number of reports after which the worker wakes readers and reads the clock, even if it doesn't rest.
    ///
    /// Without this limit, the reader of rare reports could wait forever on a busy bus, and
    /// ``ErrorBus/Statistics/deliveryTime`` would grow.
    private static let partOfTurn = 64

    /// Why the worker can't continue synchronously.
    enum Suspension {
        /// The next rule is asynchronous.
        case dispatch(SuspendedDispatch)
        case sleep
        /// Let other tasks run before the delivery of the next report.
        case yield
    }

    private func suspend(for suspension: Suspension) async -> Action {
        switch suspension {
        case .dispatch(let dispatch):
            // Wake readers now: the actions might take long, and readers must not wait for them.
            bus.wakeReaders()
            await dispatch.runner.finish(dispatch.error, under: self)
            return complete(dispatch.runner)
        case .sleep:
            // Don't check for a missed wake-up: the wait returns immediately if there was one since the last wait.
            await bus.wakeUps.wait()
            return bus.storage.apply { $0.next() }
        case .yield:
            await Task.yield()
            return .deliver
        }
    }

    /// Carries out the storage's steps until the worker might have to suspend.
    ///
    /// `untilYield` is the number of reports to deliver before other tasks can use the thread. Returns why the worker
    /// can't continue; nil to stop. The method is synchronous so that `Tests/Interleavings` can call it without a task.
    func carryOut(_ action: Action, _ untilYield: inout Int) -> Suspension? {
        // The first delivery, and each delivery after another step, reads the clock.
        var (action, isFirst) = (action, true)
        while true {
            switch action {
            case .deliver:
                if needsSuccessor { return stopForSuccessor() }
                // Yield here: while reports follow one another, there might be no other suspension.
                let isPartOver = untilYield % Self.partOfTurn == 0
                if isPartOver { bus.wakeReaders() }
                if untilYield <= 0 {
                    untilYield = Self.turn
                    return .yield
                }
                if isPartOver || isFirst { bus.noteDelivery() }
                isFirst = false
                untilYield -= 1
                switch dispatch(bus.storage.delivery) {
                case .suspended(let dispatch): return .dispatch(dispatch)
                case .completed(let next): action = next
                }
                continue
            case .held(let promise, _):
                promise?.fulfill(.pending)
                action = bus.storage.apply { $0.next() }
            case .flushed(let promises):
                bus.wakeReaders()
                for promise in promises { promise.fulfill(true) }
                action = bus.storage.apply { $0.next() }
            case .wait(let number, let needsTime):
                waitBriefly(for: number)
                let now = needsTime ? bus.clock.now() : .zero
                action = bus.storage.apply { $0.next(waitedUntil: now) }
            case .sleep(let moment):
                if let moment { bus.setAlarm(moment) }
                bus.wakeReaders()
                return needsSuccessor ? stopForSuccessor() : .sleep
            case .end:
                bus.end()
                return nil
            case .stop:
                return nil
            }
            isFirst = true
        }
    }

    /// Whether one of the worker's actions has cancelled its task.
    ///
    /// A shutdown cancels the task too, but doesn't need a successor.
    private var needsSuccessor: Bool { isTaskCancelled.load(ordering: .acquiring) && !isReportRemoved }

    /// Starts another worker; returns nil, because this worker stops.
    private func stopForSuccessor() -> Suspension? {
        bus.startWorker(within: enclosing)
        return nil
    }

    /// Waits for a report, for a few microseconds at most.
    ///
    /// Sleeping and waking would cost the worker and the caller more than that, and a worker that is slightly faster
    /// than a single caller would sleep for every report. The worker reads the report's slot rarely, because each read
    /// takes the slot's cache line away from the caller that is about to write there. Between reads, a few reports can
    /// accumulate.
    private func waitBriefly(for number: Int64) {
        for _ in 0..<patience {
            for _ in 0..<Self.pause where isTaskCancelled.load(ordering: .acquiring) { return }
            if bus.storage.hasReport(at: number) { return }
        }
    }

    /// How many reads of the worker's own flag take a few tenths of a microsecond.
    private static let pause = 500

    // MARK: One report

    private enum Progress {
        /// The next rule is asynchronous.
        case suspended(SuspendedDispatch)
        /// Every rule was tried, and the worker continues with this step.
        case completed(next: Action)
    }

    /// Tries the rules for a report in order until the next rule is asynchronous.
    private func dispatch(_ delivery: Delivery) -> Progress {
        // Keep the bus alive, because it retains its own rules; the posting retains the rules of its scope.
        defer { withExtendedLifetime(bus) {} }
        // Find the path first; reading the error first would retain it.
        let path = delivery.posting.unretainedScope?.read { $0.blocks } ?? rules
        let reporter = DispatchReporter(.maker(Borrowed(delivery)))
        var runner = RuleRunner(path, reporter, isAttempt: delivery.posting.isAttempt)
        if runner.run(delivery.posting.error.error, under: self) {
            return .suspended(SuspendedDispatch(delivery.posting.error, runner))
        }
        return .completed(next: complete(runner))
    }

    private func complete(_ runner: borrowing RuleRunner) -> Action {
        let (decision, rule) = (runner.search.decision, runner.search.decisive)
        switch bus.storage.apply({ $0.complete(decision, by: rule) }) {
        case .next(let action, releasing: _):
            return action
        case .notify(let observers, of: let posting):
            notify(observers, of: posting, runner)
            return bus.storage.apply { $0.next() }
        }
    }

    /// Notifies the observers and the waiting caller of a report's completion.
    ///
    /// If the report is a notice about a failed action, failures of its own actions go to the last resort.
    @inline(never)
    private func notify(
        _ observers: [ReportObserver], of posting: consuming Posting, _ runner: borrowing RuleRunner
    ) {
        let (scope, promise, isActionFailure) = (posting.scope, posting.promise, posting.isActionFailure)
        // Keep the scope alive: the rule that the outcome names might be the scope's.
        defer { withExtendedLifetime(scope) {} }
        if !observers.isEmpty {
            // Move the posting into the report instead of copying it.
            let report = posting.report(sequence: bus.storage.delivery.sequence, outcome: runner.outcome)
            for observer in observers { observer.offer(report, postedIn: scope) }
        }
        promise?.fulfill(runner.outcome)
        if isActionFailure { for failure in runner.failures ?? [] { bus.lastResort.write(failure) } }
    }

    // MARK: Supervising actions

    var isReportRemoved: Bool { bus.storage.delivery.isReportRemoved }

    func actionDidFail(_ failure: ActionFailure) {
        if !bus.storage.apply({ $0.actionFails(failure) }) { bus.writeFailureOfAbandonedAction(failure) }
    }

    func perform(_ action: PreparedAction) async -> ActionEnd {
        let running = RunningAction(action, limit: bus.configuration.actionTimeLimit)
        bus.start(running)
        return await running.end.value
    }
}
