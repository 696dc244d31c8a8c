import AdaptersTestSupport
import ErrorRouting
import ErrorRoutingTracing
import InMemoryTracing
import Testing
import Tracing

@Suite("A report carries the trace of its post")
struct ErrorTracingTests {
    private struct Sold: Error {}

    @Test func `while a report is read, the trace of its post is bound, and no other trace is`() async {
        let tracer = InMemoryTracer.shared
        let provider = ErrorTracing.metadata(including: [InMemoryTracer.traceIDKey, InMemoryTracer.spanIDKey])
        let posted = withSpan("request") { span in (provider(Sold()), span.context.inMemorySpanContext?.spanID) }
        #expect(posted.1 != nil && !posted.0.isEmpty)
        let report = ErrorReport(error: Sold(), source: .init(), metadata: posted.0)
        var read: String?
        ErrorTracing.bind(report) { read = ServiceContext.current?.inMemorySpanContext?.spanID }
        #expect(read == posted.1)
        #expect(ServiceContext.current == nil && provider(Sold()).isEmpty)
        #expect(tracer.finishedSpans.contains { $0.spanID == posted.1 })
    }

    /// Injects a trace in W3C's form, with values that a caller has added to its request.
    private struct W3C: Instrument {
        func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
        ) where Inject.Carrier == Carrier {
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            injector.inject(trace, forKey: "TraceParent", into: &carrier)
            injector.inject("user=ada%40example.org", forKey: "baggage", into: &carrier)
            injector.inject("north", forKey: "Tenant", into: &carrier)
        }

        func extract<Carrier, Extract: Extractor>(
            _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
        ) where Extract.Carrier == Carrier {}
    }

    // Use a separate process, because a process can have only one tracer.
    @Test func `the metadata has the keys of the trace, and other keys only if they are named`() async {
        await #expect(processExitsWith: .success) {
            InstrumentationSystem.bootstrap(W3C())
            ServiceContext.withValue(.topLevel) {
                #expect(ErrorTracing.metadata(of: Sold()).keys.sorted() == ["TraceParent"])
                let named = ErrorTracing.metadata(including: ["tenant"])(Sold())
                #expect(named.keys.sorted() == ["Tenant", "TraceParent"] && named["Tenant"] == "north")
            }
        }
    }
}
