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
            if case .deliver(let pending, nil) = work { work = deliverSynchronously(pending) }
            if Task.isCancelled { return bus.replaceCancelledWorker(generation) }
            switch work {
            case .deliver(let pending, let progress):
                let progress = progress ?? DispatchProgress()
                work = finish(pending, await bus.handler.rules.dispatch(pending, from: progress, under: self))
            case .sleep:
                await bus.wakeUp()
                work = bus.next(for: generation)
            case .goHome:
                return
            }
        }
    }

    /// Delivers one report after the other, for as long as nothing has to be awaited.
    private func deliverSynchronously(_ first: PendingReport) -> ErrorBus.Work {
        var pending = first
        while !Task.isCancelled {
            guard let result = bus.handler.rules.dispatchIfSynchronous(pending, under: self) else { break }
            if result.unannounced == nil, let next = bus.goOn(from: pending, result.progress, for: generation) {
                pending = next
                continue
            }
            let work = finish(pending, result)
            guard case .deliver(let next, nil) = work else { return work }
            pending = next
        }
        return .deliver(pending, from: nil)
    }

    private func finish(_ pending: PendingReport, _ result: RuleSet.DispatchResult) -> ErrorBus.Work {
        guard let unannounced = result.unannounced else {
            return bus.complete(pending, result.progress, for: generation)
        }
        for failure in result.progress.failures.dropFirst(unannounced) { failure.writeToStandardError() }
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
