/// The task in which actions run, one report after another, until the bus has ended or has replaced it.
///
/// Limiting an action's time by wrapping it in a task would cost each action dearly. In its place each worker has a
/// generation: the bus replaces a worker whose action is overdue by one of the next generation, which goes on after the
/// rule in question; the old one finds on return that it is no longer current, and goes home.
final class DeliveryWorker: ActionSupervisor {
    private let bus: ErrorBus
    private let generation: UInt64

    init(bus: ErrorBus, generation: UInt64) {
        self.bus = bus
        self.generation = generation
    }

    @concurrent
    func work() async {
        await ErrorBus.$current.withValue(bus) { await loop() }
    }

    private func loop() async {
        var work = bus.next(for: generation)
        while true {
            switch work {
            case .deliver where Task.isCancelled, .sleep where Task.isCancelled:
                return bus.replaceCancelledWorker(generation)
            case .deliver(let pending, let progress):
                if progress == nil,
                    let result = bus.handler.rules.dispatchIfSynchronous(
                        pending.error, LazyReport(pending), under: self)
                {
                    work = finish(pending, result)
                } else {
                    let progress = progress ?? DispatchProgress()
                    work = finish(pending, await bus.handler.rules.dispatch(pending, from: progress, under: self))
                }
            case .deliverInLane(let number):
                work = deliverInLane(number)
            case .sleep:
                await bus.wakeUp()
                work = bus.next(for: generation)
            case .goHome:
                return
            }
        }
    }

    /// Delivers what is in the lane, until that is empty or needs more.
    private func deliverInLane(_ first: Int) -> ErrorBus.Work {
        unsafe withUnsafeCurrentTask { task in
            var number = first
            while true {
                let result = unsafe task?.isCancelled == true ? nil : dispatchInLane(number)
                if let unannounced = result?.unannounced {
                    return goHome(telling: result?.progress.failures.dropFirst(unannounced))
                }
                if let progress = result?.progress, progress.failures.isEmpty, bus.observers.isEmpty {
                    switch bus.lane.goOn(from: number, progress.disposition, in: bus.intake) {
                    case .next:
                        bus.intake.mailbox.empty(number)
                        number += 1
                        continue
                    case .withdrawn:
                        return .goHome
                    case .last:
                        break
                    }
                }
                let work = bus.leaveLane(at: number, result?.progress, for: generation)
                guard case .deliverInLane(let next) = work else { return work }
                number = next
            }
        }
    }

    /// Delivers a report where it lies: it stays there until the worker has gone on.
    private func dispatchInLane(_ number: Int) -> RuleSet.DispatchResult? {
        let posting = unsafe UnsafePointer(bus.intake.mailbox.element(at: number))
        return unsafe bus.handler.rules.dispatchIfSynchronous(
            posting.pointee.error,
            LazyReport(posting, sequence: bus.lane.sequence),
            under: self
        )
    }

    private func finish(_ pending: PendingReport, _ result: RuleSet.DispatchResult) -> ErrorBus.Work {
        guard let unannounced = result.unannounced else {
            return bus.complete(pending, result.progress, for: generation)
        }
        return goHome(telling: result.progress.failures.dropFirst(unannounced))
    }

    private func goHome(telling failures: ArraySlice<ActionFailure>?) -> ErrorBus.Work {
        for failure in failures ?? [] { failure.writeToStandardError() }
        return .goHome
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
