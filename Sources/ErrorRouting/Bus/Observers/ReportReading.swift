/// What one stream of reports reads from: its observer, which is one for as long as the stream is held.
struct ReportReading<Output: Sendable>: Sendable {
    private let buffer: ObserverBuffer<Output>
    /// Held, since with it the observer goes.
    private let entry: ObserverRegistry.Entry?

    /// Adds the observer; where there is no bus it has ended already.
    ///
    /// - Parameters:
    ///   - limit: How many reports the stream holds.
    ///   - bus: The bus to observe.
    ///   - scope: The scope of it to observe; nil for all of the bus.
    ///   - match: Asked of every report, by the bus; nil for one that is not for this observer.
    init(
        _ limit: Int,
        of bus: ErrorBus?,
        in scope: ScopeContext? = nil,
        _ match: @escaping @Sendable (ErrorReport) -> Output?
    ) {
        if limit < 1 { fatalError("reports(bufferingNewest:) must be at least 1, not \(limit)") }
        buffer = ObserverBuffer(bufferingNewest: limit, match: match)
        entry = bus?.observers.add(buffer, of: scope)
        if bus == nil { buffer.finish() }
    }

    var reports: AsyncStream<ErrorReport> {
        AsyncStream(unfolding: { await buffer.next()?.report }, onCancel: { leave() })
    }

    var elements: AsyncStream<(output: Output, report: ErrorReport)> {
        AsyncStream(unfolding: { await buffer.next() }, onCancel: { leave() })
    }

    /// Its reader is done with it, whoever may hold the stream.
    private func leave() {
        entry?.leave()
        buffer.finish()
    }
}
