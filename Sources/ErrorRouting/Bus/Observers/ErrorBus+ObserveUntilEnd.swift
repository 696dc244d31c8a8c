extension ErrorBus {
    /// Hands over every report delivered from now on, until the bus ends, and nobody has to hold anything.
    ///
    /// As ``observe(_:onEnd:)``, for what belongs to the bus as its rules do: metrics, an exporter. It cannot be
    /// cancelled. What the closures capture lives as long as the bus does at least; if that is the bus itself, both
    /// live until the bus has ended, which a bus that runs does.
    ///
    /// ```swift
    /// bus.observeUntilEnd { report in errors.increment(by: report.occurrences) }
    /// ```
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with what the bus has counted by then.
    public func observeUntilEnd(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (Statistics) -> Void = { _ in }
    ) {
        // The observation is held by its own end, which is let go of when it has come.
        let held = Locked<ErrorObservation?>(nil)
        let observation = observe(receive) { statistics in
            // Not under the lock: what is let go may run code of the user's.
            let observation = held.withLock { $0.take() }
            withExtendedLifetime(observation) { onEnd(statistics) }
        }
        held.withLock { $0 = observation }
    }
}
