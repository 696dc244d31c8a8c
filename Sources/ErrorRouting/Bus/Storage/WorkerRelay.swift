/// Which worker delivers, and how far it has come with a report that another one may take over.
struct WorkerRelay {
    /// The current worker's generation, raised whenever that is replaced or told to stop: events of earlier workers are
    /// ignored.
    private(set) var generation: UInt64 = 0
    /// How far the report in delivery has come, if more than one worker may deliver it.
    private(set) var checkpoint: Checkpoint?
    /// The report that the worker was reading when a shutdown took it back; it stays where it is until the worker stops.
    var abandoned: Delivery?

    mutating func note(_ checkpoint: Checkpoint) { self.checkpoint = checkpoint }

    /// Notes that the action has returned, or that its rule did not match.
    mutating func actionDidEnd() { checkpoint = checkpoint.map { .between($0.progress) } }

    /// Forgets the report, whose delivery is over.
    @inline(__always)
    mutating func reportDidEnd() { if checkpoint != nil { checkpoint = nil } }

    /// Replaces or stops the worker, and returns the generation of the next one.
    mutating func replace() -> UInt64 {
        generation += 1
        return generation
    }

    /// Stops the worker, whose report is taken back with the failures of it that nobody has reported.
    mutating func takeBack() -> Leftovers {
        let left = Leftovers(checkpoint?.progress.failures ?? [], of: generation)
        reportDidEnd()
        _ = replace()
        return left
    }

    /// Lets the next worker go on after the action in flight, which counts as failed, if it has taken as long as it may.
    ///
    /// - Parameters:
    ///   - now: The current moment.
    ///   - limit: How long an action may take.
    /// - Returns: The next worker's generation, or when the action's time is up; neither if no action runs.
    mutating func replaceOverdue(at now: Duration, limit: Duration) -> (replacement: UInt64?, end: Duration?) {
        guard case .running(let running, let began)? = checkpoint else { return (nil, nil) }
        if began + limit > now { return (nil, began + limit) }
        var progress = running.progress
        progress.record(ActionTimeLimitExceeded(limit: limit), of: running.rule, running.report)
        checkpoint = .between(progress)
        return (replace(), nil)
    }
}
