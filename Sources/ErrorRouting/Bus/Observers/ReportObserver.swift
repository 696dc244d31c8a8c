/// A receiver of handled reports; only the worker passes it reports, one after another.
protocol ReportObserver: AnyObject, Sendable {
    /// Receives a report, unless the report isn't for this observer.
    func offer(_ report: ErrorReport)
    /// Wakes a waiting reader, because no more reports follow immediately.
    func wakeReader()
    /// Ends the observation, after which no more reports follow.
    func finish(_ statistics: ErrorBus.Statistics)
}

/// An observer of a bus, or of one of its scopes.
struct ListedObserver: Sendable {
    let observer: any ReportObserver
    /// The scope to observe, with the scopes below it; nil for all reports of the bus.
    let scope: ScopeContext?
}
