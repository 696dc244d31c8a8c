/// What a task runs in: its bus, its scope, and the parts of buses' work that it is within.
///
/// One task-local value, so that the three agree: the scope is always one of the bus.
@usableFromInline
struct Ambience: Sendable {
    /// A part of a bus's work that the bus waits for.
    struct Work: Sendable {
        /// The bus's number; its address would not do, because another bus might get the same one later.
        let bus: UInt64
        /// The report that an asynchronous action handles; nil for the body of `withErrorBus`, and a task of the bus.
        var sequence: UInt64?
    }

    @TaskLocal static var current = Ambience()

    /// The task-local value.
    @usableFromInline static var binder: TaskLocal<Ambience> { $current }

    /// The bus that was bound last.
    let bus: ErrorBus?
    /// The scope that was bound last; nil if its bus was bound after it.
    let scope: ErrorScope?
    /// What the task runs in, or was started from, the outermost first.
    let work: [Work]

    init(bus: ErrorBus? = nil, scope: ErrorScope? = nil, work: [Work] = []) {
        self.bus = bus
        self.scope = scope
        self.work = work
    }

    /// The ambience of the current task with another scope, and the bus of that scope.
    @usableFromInline
    init(in scope: ErrorScope) {
        self.init(bus: scope.bus, scope: scope, work: Self.current.work)
    }

    /// Returns this ambience within the body or a task of a bus.
    func within(_ bus: ErrorBus) -> Ambience {
        let isWithin = work.contains { $0.bus == bus.number && $0.sequence == nil }
        return isWithin ? self : within(Work(bus: bus.number))
    }

    /// Returns this ambience within a part of a bus's work.
    func within(_ part: Work) -> Ambience { Ambience(bus: bus, scope: scope, work: work + [part]) }
}
