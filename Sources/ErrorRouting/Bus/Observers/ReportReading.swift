/// The source of one stream of reports, whose closures retain the registration of the stream's observer.
struct ReportReading: Sendable {
    private let buffer: ObserverBuffer
    private let registration: ObserverRegistration

    /// Registers an observer of a bus, or of one of its scopes; if there is no bus, the stream ends immediately.
    ///
    /// The limit is the number of reports that the stream buffers. The bus's worker calls the closure with every
    /// report; it returns nil for a report that isn't for this observer.
    private init(
        _ limit: Int, of bus: ErrorBus?, in scope: ScopeContext?,
        _ match: (@Sendable (ErrorReport) -> ObserverBuffer.Output?)?
    ) {
        if limit < 1 { fatalError("reports(bufferingNewest:) must be at least 1, not \(limit)") }
        buffer = ObserverBuffer(bufferingNewest: limit, match: match)
        registration = ObserverRegistration(buffer, of: bus, in: scope)
    }

    /// Returns a stream of every report.
    static func reports(_ limit: Int, of bus: ErrorBus?, in scope: ScopeContext? = nil) -> AsyncStream<ErrorReport> {
        let reading = ReportReading(limit, of: bus, in: scope, nil)
        return AsyncStream(unfolding: { await reading.buffer.next()?.report }, onCancel: { reading.registration.end() })
    }

    /// Returns a stream of the reports whose errors a matcher matches.
    static func reports<Value>(
        matching matcher: ErrorMatcher<Value>, _ limit: Int, of bus: ErrorBus?, in scope: ScopeContext? = nil
    ) -> AsyncStream<(output: Value, report: ErrorReport)> {
        let reading = ReportReading(limit, of: bus, in: scope) { matcher.match($0.error).map(Box.init) }
        return AsyncStream(
            unfolding: {
                guard let element = await reading.buffer.next(), let output = element.output as? Box<Value> else {
                    return nil
                }
                return (output.value, element.report)
            },
            onCancel: { reading.registration.end() }
        )
    }
}
