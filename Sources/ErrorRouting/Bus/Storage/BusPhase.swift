extension BusStateMachine {
    /// What is being done with reports that are not waiting any more.
    ///
    /// Where the events of the worker and of a shutdown lead from each phase; an event that has no row comes from a
    /// worker that was replaced, and stops it:
    ///
    /// | in the phase | event | leads to |
    /// | --- | --- | --- |
    /// | `idle` | `next` | `delivering`; under a flood limit, `admit` follows; nothing is there: sleep, or `ended` |
    /// | | `admit` | the report passes, or another one has to go first: `delivering`; it is held: as `next` |
    /// | `delivering` | `complete` | somebody has to be notified: `notifying`; nobody: as `next` in `idle` |
    /// | | `note`, `timeIsUp`, `replaceWorker`, `next` | as it is: another worker may go on with the report |
    /// | `notifying` | `next` | as `next` in `idle`; after a `takeBack`: `ended` |
    /// | | `takeBack` | `notifying`, and the end waits for that |
    /// | any other | `takeBack` | `ended` |
    enum Phase {
        case idle
        /// A report is in delivery.
        case delivering(Delivery)
        /// The worker notifies everyone of a report's end; what ends the bus meanwhile waits for that.
        case notifying(then: Aftermath)
        /// Everything is delivered or taken back.
        ///
        /// - Parameters:
        ///   - reported: How many failed actions of the report in delivery the shutdown has reported.
        ///   - unfreed: The slot that the worker was reading when its report was taken back, for the worker to free.
        case ended(reported: Int = 0, unfreed: Delivery? = nil)
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
