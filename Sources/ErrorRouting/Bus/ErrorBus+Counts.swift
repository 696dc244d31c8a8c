extension ErrorBus.Statistics {
    /// How many errors came to each end, by the end's name: for gauges, exporters and tables.
    ///
    /// Together they are ``posted``.
    ///
    /// ```swift
    /// for (end, count) in bus.statistics.counts { Gauge(label: "errors.\(end)").record(count) }
    /// ```
    public var counts: KeyValuePairs<HandleOutcome.Disposition, Int> {
        [
            .handled: handled, .ignored: ignored, .unmatched: unmatched, .suppressed: suppressed, .dropped: dropped,
            .pending: pending,
        ]
    }
}
