public import ErrorRouting
import Metrics

extension ErrorBus {
    /// Counts the bus's errors with swift-metrics until the bus ends.
    ///
    /// | metric | value |
    /// | --- | --- |
    /// | counter `errors`, with the dimensions | errors, including all occurrences of a report |
    /// | timer `errors.age` | the time from the post to the end of the delivery |
    /// | gauges `errors.handled`, `errors.ignored`, `errors.unmatched` | delivered reports, by disposition |
    /// | gauges `errors.suppressed`, `errors.dropped` | errors that weren't delivered |
    /// | gauge `errors.pending` | errors that are waiting to be delivered |
    /// | gauge `errors.rule` | the reports whose outcome a rule decided, with the dimension `rule`; 0 if it never did |
    ///
    /// The gauges are recorded with each report, at intervals, and once more when the bus has ended. So they also show
    /// when an action blocks the bus: `errors.pending` grows. Their sum, not counting `errors.rule`, is the number of
    /// posted errors. The gauge `errors.rule` shows `ErrorBus.ruleCounts`; it isn't recorded with each report.
    ///
    /// If a process measures several buses, give each bus a name. All metrics of a named bus also have the dimension
    /// `bus`. Buses with the same name, or without a name, share their metrics: like the counter, each gauge records
    /// the sum over these buses, including buses that have ended.
    ///
    /// - Important: In one process, give a name either to all measured buses or to none. Some backends, such as
    ///   swift-prometheus, crash the process if a metric exists both with and without dimensions.
    ///
    /// - Parameters:
    ///   - name: The value of the dimension `bus`; nil to leave the dimension out.
    ///   - interval: The time between two recordings of the gauges while no errors arrive; it must be positive.
    ///   - dimensions: The dimensions of the counter. Each must have few values: never a message, an identifier, or a
    ///     path.
    public func measureErrors(
        as name: String? = nil,
        every interval: Duration = .seconds(10),
        dimensions: @escaping @Sendable (ErrorReport) -> [(String, String)] = { $0.dimensions }
    ) {
        if interval <= .zero { fatalError("ErrorBus.measureErrors(every:) must be positive, but is \(interval)") }
        let gauges = BusGauges(name)
        let timer = Task.detached { [weak self] in
            // Don't retain the bus while sleeping, because a discarded bus would otherwise stay alive until the
            // interval ends.
            while !Task.isCancelled, self?.recordStatistics(to: gauges, withRules: true) != nil {
                try? await ErrorRouting.sleep(for: interval)
            }
        }
        observeUntilEnd { [weak self] report in
            let bus = gauges.dimensions
            Counter(label: "errors", dimensions: dimensions(report) + bus).increment(by: report.occurrences)
            Timer(label: "errors.age", dimensions: bus).record(duration: report.instant.duration(to: .now))
            self?.recordStatistics(to: gauges)
        } onEnd: { [weak self] statistics in
            timer.cancel()
            gauges.record(isLast: true, rules: self?.ruleCounts) { statistics }
        }
    }

    private func recordStatistics(to gauges: BusGauges, withRules: Bool = false) {
        gauges.record(rules: withRules ? ruleCounts : nil) { statistics }
    }
}

extension ErrorReport {
    /// The disposition, the role, the error's type with its case, and the type of its first cause; each has few values.
    ///
    /// The keys are `disposition`, `role`, `type`, and `cause`, which is `none` for an error without a cause.
    public var dimensions: [(String, String)] {
        // Don't read `trail`: the bus's worker would compute the messages of all underlying errors for each report.
        let cause = underlyingErrors(of: error).first.map { ErrorReport(error: $0, source: source).typeName }
        return [
            ("disposition", "\(outcome.disposition)"), ("role", role.name),
            ("type", kindName.map { "\(typeName).\($0)" } ?? typeName), ("cause", cause ?? "none"),
        ]
    }
}
