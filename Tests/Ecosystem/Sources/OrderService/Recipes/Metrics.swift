import ErrorRouting
import Metrics

// Called with each delivered report, by the bus's worker.
func measure(_ report: ErrorReport, of bus: ErrorBus) {
    Counter(label: "errors", dimensions: report.dimensions).increment(by: report.occurrences)
    Timer(label: "errors.age").record(duration: report.instant.duration(to: .now))
    for (name, count) in bus.statistics.counts { Gauge(label: "errors.\(name)").record(count) }
}
