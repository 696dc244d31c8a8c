/// What the worker does next.
enum WorkerAction {
    /// Deliver it: from the beginning, or from where another worker has come.
    case deliver(PendingReport, from: DispatchProgress?)
    /// Deliver the report of this number, in the lane.
    case deliverInLane(Int64)
    /// The report counts: tell the observers, who waits for the outcome, and the last resort of what nobody else will
    /// hear of. Then ask again.
    case announce(PendingReport, HandleOutcome, unheard: [ActionFailure])
    /// A flood limit has suppressed it: tell who waits for it, and ask again.
    case suppressed(PendingReport)
    /// Find out what a flood limit goes by, and ask again what to do: it waits meanwhile.
    case mark(PendingReport)
    /// All that was posted before these were made is delivered. Then ask again.
    case flushed([Promise<Bool>])
    /// A flood limit holds reports: ask again with the moment.
    case readClock
    /// Sleep until woken; tell those who wait until nothing is pending, and set an alarm.
    case sleep([Promise<Void>], alarm: Duration?)
    /// Everything is delivered or taken back, and no more will come: end the bus.
    case end
    /// Another worker has taken over, or there is nothing more to work for: stop, and tell the last resort of what has
    /// failed and nobody else knows of.
    case stop(telling: ArraySlice<ActionFailure>)
}
