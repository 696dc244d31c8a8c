/// What the worker does next.
enum WorkerAction {
    /// Deliver the report: from the beginning, or from where another worker has come.
    case deliver(PendingReport, from: Checkpoint?)
    /// Deliver the report of this number in its place.
    case deliverInLane(Int64)
    /// Compute the flood mark of the report of this number in its place, and ask whether the report passes.
    case markInLane(Int64)
    /// The report is counted: tell the observers and the waiting poster of it, write the failures that nobody else
    /// knows of to the last resort, and ask again.
    indirect case tell(PendingReport, HandleOutcome, unheard: [ActionFailure])
    /// A flood limit holds the report that the promise is for: fulfill it, and ask again.
    case held(Promise<HandleOutcome>)
    /// Everything posted before these promises were made is delivered: fulfill them, and ask again.
    case flushed([Promise<Bool>])
    /// A flood limit holds reports: wait a moment for the report of this number, and ask again with the clock's time.
    case readClock(before: Int64)
    /// Nothing is pending for these promises: fulfill them, set an alarm, and sleep until woken.
    case sleep([Promise<Void>], alarm: Duration?)
    /// Everything is delivered or taken back, and no more will come: end the bus.
    case end
    /// The worker was replaced, or the bus has ended: write the failures that nobody else knows of to the last resort,
    /// and stop.
    case stop(unheard: [ActionFailure])

    /// Whether it is about the report that comes next, which another worker may as well take over.
    var isDelivery: Bool {
        switch self {
        case .deliver, .deliverInLane, .markInLane: true
        default: false
        }
    }
}

/// What the worker does next once the dispatch of a report in the lane is complete.
enum LaneStep {
    /// Deliver the next report.
    case next
    /// Take the report out of its place, tell everyone of its end, and say that they were told.
    case tell
    /// No report follows yet: wait a moment for one, and say again that the report is complete.
    case wait
    /// The lane is left: do this.
    case leave(WorkerAction)
}

/// What whoever runs the bus does next.
enum RunAction: Equatable {
    case start(generation: UInt64)
    /// The bus was finished with nothing to deliver: there is nothing to run.
    case alreadyEnded
    case runsAlready, ranBefore
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
    /// Nothing is pending.
    case idle
    /// Something is pending, and the caller gave no promise to wait by.
    case busy
    case waits(wakes: Bool)
}

/// What the poster of the first drop since the last notice does next.
enum NoticeAction {
    case nothing
    case wake
    /// The bus has ended, and nobody else tells of these drops.
    case tell(ErrorsDropped)
}

/// Whether an asynchronous action may begin.
enum BeginAction {
    case begin
    /// It may begin, and the caller starts a watchdog.
    case beginWatched
    /// Another worker has taken over, or the report was taken back: the action must not begin.
    case superseded
}

/// What the watchdog does next.
enum WatchAction: Equatable {
    /// No action runs: the watchdog stops, and the next action starts another.
    case stop
    case sleep(until: Duration)
    /// The action is abandoned: start a worker of this generation, which goes on after it.
    case replaceWorker(generation: UInt64)
}

/// What a shutdown has taken back.
struct Leftovers {
    /// The reports that were not delivered, the one in delivery first.
    var reports: [PendingReport] = []
    /// The failed actions of the report in delivery, which nobody has been told of.
    var failures: [ActionFailure] = []
    /// The generation of the worker that had it in delivery.
    let worker: UInt64
}
