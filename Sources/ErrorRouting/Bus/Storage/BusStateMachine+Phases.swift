/// The states that the machine can be in.
extension BusStateMachine {
    enum RunPhase {
        case notStarted, running, returned
    }

    /// Where the reports are that were taken from the intake one by one.
    enum Phase {
        /// None is in delivery, unless in the lane.
        case idle
        case delivering(Delivery)
        /// The worker is telling the observers of a report; what ends the bus meanwhile waits for that.
        case announcing(then: Aftermath)
        /// Everything is delivered or taken back.
        ///
        /// - Parameter told: How many failures of the report in delivery a shutdown has told of.
        case ended(told: Int)
    }

    /// A report in delivery.
    struct Delivery {
        let pending: PendingReport
        /// Where a worker that takes it over begins; nil for the beginning.
        var progress: DispatchProgress?
        /// Its asynchronous action that runs.
        var action: RunningAction?
    }

    struct RunningAction {
        let rule: Rule
        let progress: DispatchProgress
        let report: ErrorReport
        let began: Duration
    }

    /// What follows once the observers have been told.
    enum Aftermath {
        case goOn
        /// All else was taken back; whoever has done so ends the bus, unless it finds the worker at it still.
        case stop
        /// All else is in its receiver's hands: the worker ends the bus.
        case end
    }
}
