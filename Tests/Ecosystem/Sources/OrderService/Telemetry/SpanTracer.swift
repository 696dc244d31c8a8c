import Synchronization
import Tracing

/// Traces requests with W3C's `traceparent`, and logs spans that failed or have a recorded error.
final class SpanTracer: Tracer {
    private static let header = "traceparent"

    private let active = Mutex<[String: LoggedSpan]>([:])

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> LoggedSpan {
        var context = context()
        let id = SpanID(trace: context.spanID?.trace ?? SpanID.random(32), span: SpanID.random(16))
        context.spanID = id
        let span = LoggedSpan(operationName, context, kind) { [weak self] in
            self?.active.withLock { $0[id.span] = nil }
        }
        active.withLock { $0[id.span] = span }
        return span
    }

    func activeSpan(identifiedBy context: InstrumentationContext) -> LoggedSpan? {
        guard let id = context.spanID else { return nil }
        return active.withLock { $0[id.span] }
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        // The parts are the version, the trace, the span, and the flags.
        let parts = extractor.extract(key: Self.header, from: carrier)?.split(separator: "-") ?? []
        guard parts.count == 4, parts[1].count == 32, parts[2].count == 16 else { return }
        context.spanID = SpanID(trace: String(parts[1]), span: String(parts[2]))
    }

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let id = context.spanID else { return }
        injector.inject("00-\(id.trace)-\(id.span)-01", forKey: Self.header, into: &carrier)
    }
}
