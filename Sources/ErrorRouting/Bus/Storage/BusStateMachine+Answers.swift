/// What the machine says is to be done; for the worker that is a ``WorkerAction``.
extension BusStateMachine {
    enum WatchAnswer {
        /// No action runs: the watchdog stops, and the next action starts another.
        case stop
        case sleep(until: Duration)
        /// The action is abandoned; a worker of this generation takes over after it.
        case replaceWorker(generation: UInt64)
    }

    enum BeginAnswer {
        case begin
        /// It begins, and a watchdog has to be sent out.
        case beginWatched
        /// Another worker has taken over, or the report was taken back: it must not begin.
        case superseded
    }

    enum RunAnswer: Equatable {
        case start(generation: UInt64)
        /// It was finished with nothing to deliver: there is nothing to run.
        case alreadyEnded
        case runsAlready, ranBefore
    }

    /// What a shutdown has taken back.
    struct Leftovers {
        /// What was not delivered, the report in flight first.
        var reports: [PendingReport] = []
        /// Actions of the report in flight that have failed, and were to be told of after it.
        var failures: [ActionFailure] = []
    }
}
