/// The current work on reports that no longer wait.
///
/// The table shows the transitions that events of the worker and of a shutdown cause. An event without a row comes from
/// a replaced worker and stops it:
///
/// | in the phase | event | leads to |
/// | --- | --- | --- |
/// | `idle` | `next` | `delivering`; under a flood limit, `admit` might follow; without a report: sleep, or `ended` |
/// | | `admit` | the report passes, or another one must go first: `delivering`; it is held back: as `next` |
/// | `delivering` | `complete` | observers or callers must be notified: `notifying`; otherwise: as `next` in `idle` |
/// | | `note`, `timeIsUp`, `replaceWorker`, `next` | no change: another worker might continue with the report |
/// | `notifying` | `next` | as `next` in `idle`; after an `abort`: `ended` |
/// | | `abort` | `notifying`, and the end waits for that |
/// | any other | `abort` | `ended` |
enum BusPhase {
    case idle
    /// A report is in delivery.
    case delivering(Delivery)
    /// The worker notifies everyone of a report's completion; an event that ends the bus waits for that.
    case notifying(then: Aftermath)
    /// Every report is delivered or removed.
    ///
    /// - Parameter reported: The number of failed actions of the report in delivery that the shutdown has reported.
    case ended(reported: Int = 0)

    /// Returns the failures that a shutdown hasn't reported; none if there was no shutdown.
    func unreported(_ failures: [ActionFailure]) -> [ActionFailure] {
        if case .ended(let reported) = self { Array(failures.dropFirst(reported)) } else { [] }
    }

    /// The step after everyone was notified.
    enum Aftermath {
        case goOn
        /// Every other report was removed. The shutdown ends the bus, unless the worker is still notifying by then.
        case stop
        /// The receiver has every other report, so the worker ends the bus.
        case end
    }
}
