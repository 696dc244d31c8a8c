/// The current worker and its progress with a report that another worker might take over.
struct WorkerRelay {
    /// The current worker's generation, incremented whenever the worker is replaced or stopped; events of earlier
    /// workers are ignored.
    private(set) var generation: UInt64 = 0
    /// The progress of the report in delivery, if more than one worker might deliver it.
    private(set) var checkpoint: Checkpoint?

    mutating func note(_ checkpoint: Checkpoint) { self.checkpoint = checkpoint }

    /// Records that the action has returned or that its rule didn't match.
    mutating func actionDidEnd() { checkpoint = checkpoint.map { .between($0.progress) } }

    /// Discards the checkpoint of a report after its delivery.
    @inline(__always)
    mutating func reportDidEnd() { if checkpoint != nil { checkpoint = nil } }

    /// Replaces or stops the worker and returns the generation of the next one.
    mutating func replace() -> UInt64 {
        generation += 1
        return generation
    }

    /// Stops the worker and returns its report with the unreported failures.
    mutating func takeLeftovers() -> Leftovers {
        let left = Leftovers(checkpoint?.progress.failures ?? [], of: generation)
        reportDidEnd()
        _ = replace()
        return left
    }

    /// Replaces the worker if its action in flight is overdue; the action counts as failed, and the next worker
    /// continues after it.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: The time limit of an action.
    /// - Returns: The next worker's generation or the end of the action's time; neither if no action runs.
    mutating func replaceOverdue(at now: Duration, limit: Duration) -> (replacement: UInt64?, end: Duration?) {
        guard case .running(let running, let began)? = checkpoint else { return (nil, nil) }
        if began + limit > now { return (nil, began + limit) }
        var progress = running.progress
        progress.record(ActionTimeLimitExceeded(limit: limit), of: running.rule, running.report)
        checkpoint = .between(progress)
        return (replace(), nil)
    }
}
