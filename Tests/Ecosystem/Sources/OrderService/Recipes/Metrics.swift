import ErrorRouting
import Metrics

// Called with each delivered report, by the bus's worker.
func measure(_ report: ErrorReport, of bus: ErrorBus) {
    Counter(label: "errors", dimensions: [("end", "\(report.outcome.disposition)")]).increment(by: report.occurrences)
    Timer(label: "errors.age").record(duration: report.instant.duration(to: .now))
    for (end, count) in bus.statistics.counts { Gauge(label: "errors.\(end)").record(count) }
}
