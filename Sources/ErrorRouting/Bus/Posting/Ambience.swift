/// The context of a task: its bus, its scope, and the bus work that it belongs to.
///
/// All of them are one task-local value so that they agree: the scope always belongs to the bus.
@usableFromInline
struct Ambience: Sendable {
    /// A part of a bus's work, which the bus waits for: the body of `withErrorBus`, a bus task, or actions.
    struct Work: Sendable {
        enum Part: Sendable, Equatable {
            case bodyOrTask
            /// All synchronous actions, which the worker runs.
            case synchronousActions
            /// The asynchronous actions for the report with this sequence number.
            case asynchronousAction(for: UInt64)
        }

        /// The bus's number; an address doesn't suffice, because a later bus might have the same address.
        let bus: UInt64
        let part: Part
    }

    @TaskLocal static var current = Ambience()

    /// The task-local value.
    @usableFromInline static var binder: TaskLocal<Ambience> { $current }

    /// The most recently bound bus.
    var bus: ErrorBus?
    /// The most recently bound scope; nil if a bus was bound after it.
    var scope: ErrorScope?
    /// The parts of work in which the task runs or was started, outermost first.
    var work: [Work] = []

    /// Adds a bus's body or task to the parts of work, unless they contain it.
    mutating func enter(_ bus: ErrorBus) {
        let isWithin = work.contains { $0.bus == bus.number && $0.part == .bodyOrTask }
        if !isWithin { work.append(Work(bus: bus.number, part: .bodyOrTask)) }
    }
}

extension Ambience {
    /// The current task's ambience with another scope and that scope's bus.
    @usableFromInline
    init(in scope: ErrorScope) {
        self.init(bus: scope.bus, scope: scope, work: Self.current.work)
    }
}
