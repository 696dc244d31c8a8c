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
        while true {
            switch bus.next(for: generation) {
            case .deliver where Task.isCancelled, .sleep where Task.isCancelled:
                return bus.replaceCancelledWorker(generation)
            case .deliver(let report, let progress):
                switch await bus.handler.rules.dispatch(report, from: progress, under: self) {
                case .completed(let outcome):
                    bus.complete(outcome, for: generation)
                case .superseded(let unannounced):
                    for failure in unannounced { failure.writeToStandardError() }
                    return
                }
            case .sleep:
                await bus.wakeUp()
            case .goHome:
                return
            }
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
