/// What the worker does next; what is rare and large is in a box, so that the rest is returned in registers.
enum WorkerAction {
    /// Deliver the report.
    case deliver(Delivery)
    /// Go on with the report's actions.
    indirect case goOn(Delivery, from: DispatchProgress)
    /// Compute what a flood limit needs to know of the report that comes next, and ask whether it passes.
    case fingerprint(Delivery)
    /// A flood limit holds the report that the promise is for: fulfill it, and ask again.
    case held(Promise<HandleOutcome>)
    /// Everything posted before these promises were made is delivered: fulfill them, and ask again.
    case flushed([Promise<Bool>])
    /// No report is there: wait a moment for the one of this number, and ask again as one that has waited.
    case wait(for: Int64)
    /// Sleep until woken, at the latest at the moment.
    indirect case sleep(until: Duration?)
    /// Everything is delivered or taken back, and no more will come: end the bus.
    case end
    /// The worker was replaced, or the bus has ended: write these failures to the last resort, and stop.
    case stop(unreported: [ActionFailure])

    /// Whether it is about the report that comes next, which another worker may as well take over.
    var isDelivery: Bool {
        switch self {
        case .deliver, .goOn, .fingerprint: true
        default: false
        }
    }
}

/// What a worker has done before it asks what comes next.
enum WorkerPause {
    /// It has not waited for a report.
    case none
    /// It has waited, under no flood limit, so that it read no clock.
    case waited
    /// It has waited until a moment: windows of the flood limit that end by then end.
    case waitedUntil(Duration)
}

/// What the worker does about the end of a report.
enum CompletionAction {
    /// Free the slot, and go on with this.
    case goOn(WorkerAction)
    /// Free the slot, notify everyone of the report's end, and ask what comes next.
    case notify
    /// The worker has the report no more: do not free the slot, and stop by this.
    case stop(WorkerAction)
}

/// What whoever closes the bus does next.
enum CloseAction {
    case nothing
    case wake
    /// The bus never ran and has nothing to deliver, so the caller ends it.
    case end
}

/// What whoever flushes the bus does next.
enum FlushAction {
    /// Nothing is pending: do not wait.
    case nothing
    case wait
    case wakeAndWait
}

/// What the bus does when a time limit or a window may be over.
struct TimerAction {
    /// Whether the worker has to be woken, since a flood limit's window has ended.
    var wakes = false
    /// The generation of the worker to start in place of one whose action is overdue.
    var replacement: UInt64?
    /// The promises of those who have waited as long as they wanted to: fulfill them with false.
    var timedOut: [Promise<Bool>] = []
    /// When to ask again.
    var next: Duration?
}
