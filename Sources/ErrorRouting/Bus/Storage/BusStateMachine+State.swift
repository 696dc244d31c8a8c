/// What the machine's state is made of; its counts are in `BusCounts.swift`.
extension BusStateMachine {
    enum RunPhase {
        case notStarted, running, returned
    }

    /// What is being done with reports that are not waiting any more.
    enum Phase {
        /// No report is in delivery.
        case idle
        /// The worker delivers reports without the lock; ``DeliveryLane`` knows which.
        case inLane
        /// A report is in delivery outside the lane; nil if its dispatch has not begun.
        case delivering(PendingReport, Checkpoint?)
        /// The worker is telling everyone of a report's end; what ends the bus meanwhile waits for that.
        case telling(then: Aftermath)
        /// Everything is delivered or taken back.
        ///
        /// - Parameter told: How many failed actions of the report in delivery the shutdown has told of.
        case ended(told: Int)
    }

    /// What follows once everyone has been told.
    enum Aftermath {
        case goOn
        /// Everything else was taken back. The shutdown ends the bus, unless the worker is still telling by then.
        case stop
        /// Everything else is in its receiver's hands: the worker ends the bus.
        case end
    }

    /// A notice of drops that waits for its turn; which drops it tells of is found out then.
    struct DropNotice {
        /// The number of the report before which it is delivered.
        let turn: Int64
        /// Where the first of the drops was posted.
        let source: ErrorReport.Source
        let moment = ErrorReport.Moment()
    }
}

/// How far the dispatch of a report in delivery has come.
///
/// An object, so that the phase and what the worker does next are small; each event makes a new one.
final class Checkpoint: Sendable {
    /// Where a worker that takes the report over begins.
    let progress: DispatchProgress
    /// The report's asynchronous action that runs.
    let action: (running: SupervisedAction, began: Duration)?

    init(_ progress: DispatchProgress, running action: (running: SupervisedAction, began: Duration)? = nil) {
        self.progress = progress
        self.action = action
    }
}
