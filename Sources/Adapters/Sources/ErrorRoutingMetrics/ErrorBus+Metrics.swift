public import ErrorRouting
import Metrics
import Synchronization

extension ErrorBus {
    /// Counts the bus's errors with swift-metrics until the bus ends.
    ///
    /// | metric | value |
    /// | --- | --- |
    /// | counter `errors`, with the dimensions | errors, including all occurrences of a report |
    /// | timer `errors.age` | the time from the post to the end of the delivery |
    /// | gauges `errors.posted`, `errors.handled`, `errors.dropped` … | the bus's statistics |
    ///
    /// The gauges are recorded with each report, at intervals, and once more when the bus has ended. So they also show
    /// an action that blocks the bus: `errors.pending` grows.
    ///
    /// - Parameters:
    ///   - interval: The time between two recordings of the gauges while no errors arrive; it must be positive.
    ///   - dimensions: The dimensions of the counter, each with few values; never a message, an identifier, or a path.
    public func measureErrors(
        every interval: Duration = .seconds(10),
        dimensions: @escaping @Sendable (ErrorReport) -> [(String, String)] = { $0.dimensions }
    ) {
        if interval <= .zero { fatalError("ErrorBus.measureErrors(every:) must be positive, but is \(interval)") }
        // Prevent the timer from recording older values after the final ones.
        let hasEnded = Mutex(false)
        let timer = Task.detached { [weak self] in
            while let statistics = self?.statistics, !Task.isCancelled {
                hasEnded.withLock { if !$0 { Self.record(statistics) } }
                try? await Task.sleep(for: interval)
            }
        }
        observeUntilEnd { [weak self] report in
            Counter(label: "errors", dimensions: dimensions(report)).increment(by: report.occurrences)
            Timer(label: "errors.age").record(duration: report.instant.duration(to: .now))
            if let self { Self.record(self.statistics) }
        } onEnd: { statistics in
            timer.cancel()
            hasEnded.withLock { $0 = true }
            Self.record(statistics)
        }
    }

    private static func record(_ statistics: Statistics) {
        for (name, count) in statistics.counts { Gauge(label: "errors.\(name)").record(count) }
    }
}

extension ErrorReport {
    /// The disposition, the role, the error's type with its case, and the type of its first cause: few values each.
    ///
    /// The keys are `disposition`, `role`, `type`, and `cause`, which is `none` for an error without one.
    public var dimensions: [(String, String)] {
        // Don't use the trail, which has the messages of all causes: the bus's worker would compute them for each
        // report.
        let cause = underlyingErrors(of: error).first.map { ErrorReport(error: $0, source: source).typeName }
        return [
            ("disposition", "\(outcome.disposition)"), ("role", role.name),
            ("type", caseName.map { "\(typeName).\($0)" } ?? typeName), ("cause", cause ?? "none"),
        ]
    }
}
