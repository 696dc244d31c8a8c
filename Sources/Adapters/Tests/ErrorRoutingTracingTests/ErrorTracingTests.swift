import AdaptersTestSupport
import ErrorRouting
import ErrorRoutingTracing
import InMemoryTracing
import Testing
import Tracing

@Suite("A report and its trace")
struct ErrorTracingTests {
    private struct Sold: Error {}

    @Test func `a report is read in the trace in which its error was posted, and no other trace is there`() async {
        let tracer = InMemoryTracer.shared
        let posted = withSpan("request") { span in
            (ErrorTracing.metadata(of: Sold()), span.context.inMemorySpanContext?.spanID)
        }
        #expect(posted.1 != nil && !posted.0.isEmpty)
        let report = ErrorReport(error: Sold(), source: .init(), metadata: posted.0)
        var read: String?
        ErrorTracing.bind(report) { read = ServiceContext.current?.inMemorySpanContext?.spanID }
        #expect(read == posted.1)
        #expect(ServiceContext.current == nil && ErrorTracing.metadata(of: Sold()).isEmpty)
        #expect(tracer.finishedSpans.contains { $0.spanID == posted.1 })
    }
}
