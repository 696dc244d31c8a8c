/// What is being done with reports that are not waiting any more.
///
/// Where the events of the worker and of a shutdown lead from each phase; an event that has no row comes from a
/// worker that was replaced, and stops it:
///
/// | in the phase | event | leads to |
/// | --- | --- | --- |
/// | `idle` | `next` | `delivering`; under a flood limit, `admit` may follow; nothing is there: sleep, or `ended` |
/// | | `admit` | the report passes, or another one has to go first: `delivering`; it is held: as `next` |
/// | `delivering` | `complete` | somebody has to be notified: `notifying`; nobody: as `next` in `idle` |
/// | | `note`, `timeIsUp`, `replaceWorker`, `next` | as it is: another worker may go on with the report |
/// | `notifying` | `next` | as `next` in `idle`; after an `abort`: `ended` |
/// | | `abort` | `notifying`, and the end waits for that |
/// | any other | `abort` | `ended` |
enum BusPhase {
    case idle
    /// A report is in delivery.
    case delivering(Delivery)
    /// The worker notifies everyone of a report's end; what ends the bus meanwhile waits for that.
    case notifying(then: Aftermath)
    /// Everything is delivered or taken back.
    ///
    /// - Parameter reported: How many failed actions of the report in delivery the shutdown has reported.
    case ended(reported: Int = 0)

    /// Returns the failures of which a shutdown did not know; none if there was no shutdown.
    func unreported(_ failures: [ActionFailure]) -> [ActionFailure] {
        if case .ended(let reported) = self { Array(failures.dropFirst(reported)) } else { [] }
    }

    /// What follows once everyone was notified.
    enum Aftermath {
        case goOn
        /// Everything else was taken back. The shutdown ends the bus, unless the worker still notifies by then.
        case stop
        /// Everything else is in its receiver's hands: the worker ends the bus.
        case end
    }
}
