/// The worker's next step; rare and large cases are boxed so that the others are returned in registers.
enum WorkerAction {
    /// Deliver the report.
    case deliver(Delivery)
    /// Continue with the report's actions.
    indirect case goOn(Delivery, from: DispatchProgress)
    /// Compute the flood token of the next report and call `admit` with it.
    case computeFloodToken(Delivery)
    /// A flood limit holds back the promise's report: fulfill the promise and call `next` again.
    case held(Promise<HandleOutcome>)
    /// Every error posted before these promises were created is delivered: fulfill them and call `next` again.
    case flushed([Promise<Bool>])
    /// The next step depends on the end of the notification: call `next` then.
    case askAgain
    /// There is no report: wait briefly for the one with this number, read the time if a flood limit needs it, and call
    /// `next` with that wait.
    case wait(for: Int64, readsTime: Bool)
    /// Sleep until woken, at the latest until the given time.
    indirect case sleep(until: Duration?)
    /// Every report is delivered or removed, and no more will come: end the bus.
    case end
    /// The worker was replaced, or the bus has ended: write these failures to the last resort and stop.
    case stop(unreported: [ActionFailure])

    /// Whether the step concerns the next report, which another worker can also take over.
    var isDelivery: Bool {
        switch self {
        case .deliver, .goOn, .computeFloodToken: true
        default: false
        }
    }
}

/// The worker's wait before it calls `next`.
enum WorkerPause {
    /// It hasn't waited for a report.
    case none
    /// It has waited without a flood limit, so it read no clock.
    case waited
    /// It has waited until a given time: end the flood limit's windows that are over by then.
    case waitedUntil(Duration)
}

/// A caller's next step after a post.
enum PostAction {
    /// The report is pending.
    case nothing
    /// The report is pending, and the worker sleeps: wake it.
    case wake
    /// The pending reports fill the capacity: count the error as dropped.
    case drop
    /// The bus has finished: write the posting to the last resort.
    ///
    /// It is boxed because it is rare and large.
    indirect case refuse(Posting)
}

/// The next step of a caller whose error was dropped.
enum DropAction {
    /// A notice that is still to come counts the error.
    case nothing
    /// There is a new notice: wake the worker.
    case wake
    /// There is a new notice, but the bus has ended: write the drops to the last resort.
    case writeDrops
}

/// The next step of the code that closes the bus.
enum CloseAction {
    case nothing
    case wake
    /// The bus never ran and has nothing to deliver, so the caller ends it.
    case end
}

/// The next step of the code that flushes the bus.
enum FlushAction {
    /// Nothing is pending: don't wait.
    case nothing
    case wait
    case wakeAndWait
}

/// The bus's next steps when a time limit or a window might be over.
struct TimerAction {
    /// Whether the worker must be woken because a flood limit's window has ended.
    var wakes = false
    /// The generation of the worker to start instead of one with an overdue action.
    var replacement: UInt64?
    /// The promises of callers that have reached their deadlines: fulfill them with false.
    var timedOut: [Promise<Bool>] = []
    /// The time of the next check.
    var next: Duration?
}
