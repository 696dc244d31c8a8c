/// The current work on reports that no longer wait.
///
/// The table shows the transitions that events of the worker and of a shutdown cause. An event without a row comes from
/// a replaced worker and stops it:
///
/// | in the phase | event | leads to |
/// | --- | --- | --- |
/// | `idle` | `next` | `delivering`; under a flood limit, `admit` might follow; without a report: sleep, or `ended` |
/// | | `admit` | the report passes, or another one must go first: `delivering`; it is held back: as `next` |
/// | `delivering` | `complete` | as `next` in `idle`, but to `ended` only if nobody has to be notified |
/// | | `note`, `timeIsUp`, `replaceWorker`, `next` | no change: another worker might continue with the report |
/// | any | `abort` | `ended` |
enum BusPhase {
    case idle
    /// A report is in delivery.
    case delivering(Delivery)
    /// Every report is delivered or removed.
    ///
    /// - Parameter reported: The number of failed actions of the report in delivery that the shutdown has reported; nil
    ///   if there was no shutdown.
    case ended(reported: Int?)
}
