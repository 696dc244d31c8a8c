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
        // A worker that replaces another is started from inside that one's action, and knows of this bus already.
        let outer = ErrorBus.delivering
        let delivering = bus.isInsideOwnAction ? outer : outer + [ObjectIdentifier(bus)]
        await ErrorBus.$current.withValue(bus) {
            await ErrorBus.$delivering.withValue(delivering) {
                await loop()
            }
        }
    }

    private func loop() async {
        while true {
            switch bus.next(for: generation) {
            case .deliver(let report, let progress):
                guard let outcome = await bus.handler.rules.dispatch(report, from: progress, under: self) else {
                    return
                }
                bus.complete(outcome, for: generation)
            case .sleep:
                await bus.wakeUp()
            case .end, .superseded:
                return
            }
        }
    }

    func actionWillBegin(_ rule: Rule, _ progress: DispatchProgress, _ report: ErrorReport) {
        bus.actionWillBegin(rule, progress, report, for: generation)
    }

    func actionDidEnd() { bus.actionDidEnd(for: generation) }

    var isCurrent: Bool { bus.isCurrent(generation) }
}
