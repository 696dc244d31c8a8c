/// What the worker does next.
enum WorkerAction {
    /// Deliver the report: from the beginning, or from where another worker has come.
    case deliver(PendingReport, from: DispatchProgress?)
    /// Deliver the report of this number in the lane.
    case deliverInLane(Int64)
    /// The report is counted: tell the observers and the waiting poster, write the unheard failures to the last resort,
    /// and ask again.
    case announce(PendingReport, HandleOutcome, unheard: [ActionFailure])
    /// A flood limit holds the report, and suppresses the one that it held before: tell the waiting poster, and ask
    /// again.
    case held(PendingReport, suppressing: PendingReport?)
    /// Compute the report's flood mark, and ask again; the report waits meanwhile.
    case mark(PendingReport)
    /// Everything posted before these promises were made is delivered: fulfill them, and ask again.
    case flushed([Promise<Bool>])
    /// A flood limit holds reports: ask again with the current moment.
    case readClock
    /// Nothing is pending for these promises: fulfill them, set an alarm, and sleep until woken.
    case sleep([Promise<Void>], alarm: Duration?)
    /// Everything is delivered or taken back, and no more will come: end the bus.
    case end
    /// The worker was replaced, or the bus has ended: stop, and write failures that nobody else knows of to the last
    /// resort.
    case stop(telling: ArraySlice<ActionFailure>)
}

extension BusStorage {
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
}

extension BusStateMachine {
    /// What the watchdog does next.
    enum WatchAnswer {
        /// No action runs: the watchdog stops, and the next action starts another.
        case stop
        case sleep(until: Duration)
        /// The action is abandoned: start a worker of this generation, which goes on after it.
        case replaceWorker(generation: UInt64)
    }

    /// Whether an asynchronous action may begin.
    enum BeginAnswer {
        case begin
        /// It may begin, and the caller starts a watchdog.
        case beginWatched
        /// Another worker has taken over, or the report was taken back: the action must not begin.
        case superseded
    }

    /// Whether a bus that is told to run may do so.
    enum RunAnswer: Equatable {
        case start(generation: UInt64)
        /// The bus was finished with nothing to deliver: there is nothing to run.
        case alreadyEnded
        case runsAlready, ranBefore
    }

    /// What a shutdown has taken back.
    struct Leftovers {
        /// The reports that were not delivered, the one in flight first.
        var reports: [PendingReport] = []
        /// The failed actions of the report in flight, which nobody has been told of.
        var failures: [ActionFailure] = []
    }
}
