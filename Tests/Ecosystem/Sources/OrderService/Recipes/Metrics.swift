import ErrorRouting
import Metrics

// Called with each delivered report, by the bus's worker.
func measure(_ report: ErrorReport, of bus: ErrorBus) {
    Counter(label: "errors", dimensions: report.dimensions).increment(by: report.occurrences)
    Timer(label: "errors.age").record(duration: report.instant.duration(to: .now))
    measure(bus.statistics)
}

// At the end too: what `shutdown` returned is dropped, and no report says so.
func measure(_ statistics: ErrorBus.Statistics) {
    for (name, count) in statistics.counts { Gauge(label: "errors.\(name)").record(count) }
}
