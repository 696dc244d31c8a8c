/// What one stream of reports reads from: its observer, which is one for as long as the stream is held.
struct ReportReading: Sendable {
    /// What a matcher hands on.
    private final class Output<Value: Sendable>: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private let buffer: ObserverBuffer
    /// Held, since with it the observer goes.
    private let entry: ObserverRegistry.Entry?

    /// Adds the observer; where there is no bus it has ended already.
    ///
    /// - Parameters:
    ///   - limit: How many reports the stream holds.
    ///   - bus: The bus to observe.
    ///   - scope: The scope of it to observe; nil for all of the bus.
    ///   - match: Asked of every report, by the bus; returns nil for one that is not for this observer.
    private init(
        _ limit: Int,
        of bus: ErrorBus?,
        in scope: ScopeContext?,
        _ match: (@Sendable (ErrorReport) -> ObserverBuffer.Output?)?
    ) {
        if limit < 1 { fatalError("reports(bufferingNewest:) must be at least 1, not \(limit)") }
        buffer = ObserverBuffer(bufferingNewest: limit, match: match)
        entry = bus?.observers.add(buffer, of: scope)
        if bus == nil { buffer.finish() }
    }

    /// A stream of every report.
    static func reports(_ limit: Int, of bus: ErrorBus?, in scope: ScopeContext? = nil) -> AsyncStream<ErrorReport> {
        let reading = ReportReading(limit, of: bus, in: scope, nil)
        return AsyncStream(unfolding: { await reading.buffer.next()?.report }, onCancel: { reading.leave() })
    }

    /// A stream of the reports whose errors a matcher matches.
    static func reports<Value>(
        matching matcher: ErrorMatcher<Value>,
        _ limit: Int,
        of bus: ErrorBus?,
        in scope: ScopeContext? = nil
    ) -> AsyncStream<(output: Value, report: ErrorReport)> {
        let reading = ReportReading(limit, of: bus, in: scope) { matcher.match($0.error).map(Output.init) }
        return AsyncStream(
            unfolding: {
                guard let element = await reading.buffer.next(), let output = element.output as? Output<Value> else {
                    return nil
                }
                return (output.value, element.report)
            },
            onCancel: { reading.leave() }
        )
    }

    /// Its reader is done with it, whoever may hold the stream.
    private func leave() {
        entry?.leave()
        buffer.finish()
    }
}
