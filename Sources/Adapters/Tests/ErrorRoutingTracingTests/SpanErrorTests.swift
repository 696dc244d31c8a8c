import AdaptersTestSupport
import ErrorRouting
import InMemoryTracing
import Testing
import Tracing

@testable import ErrorRoutingTracing

@Suite("A span shows an error's type and message")
struct SpanErrorTests {
    /// An error with a long description, and with fields that contain more.
    private struct Refused: Error, CustomStringConvertible {
        let password = "secret"
        let description = String(repeating: "no ", count: 100_000)
    }

    @Test func `it has the error's type and bounded message, and nothing from the error's fields`() throws {
        let tracer = InMemoryTracer.shared
        let id = withSpan("refusing") { span in
            RequestTrace.current.record(Refused(), isFailed: true)
            return span.context.inMemorySpanContext?.spanID
        }
        let span = try #require(tracer.finishedSpans.first { $0.spanID == id })
        let recorded = try #require(span.errors.first)
        #expect(span.errors.count == 1 && span.status?.code == .error)
        let type = "ErrorRoutingTracingTests.SpanErrorTests.Refused"
        guard case .string(let message) = recorded.attributes["exception.message"]?.toSpanAttribute() else {
            Issue.record("there is no message")
            return
        }
        #expect(message.hasPrefix("no no") && message.utf8.count <= 16 * 1024)
        #expect("\(recorded.error)" == "\(type): \(message)")
        guard case .string(type) = recorded.attributes["exception.type"]?.toSpanAttribute() else {
            Issue.record("there is no type")
            return
        }
        var fields = ""
        dump(recorded.error, to: &fields)
        #expect(!fields.contains("secret"))
    }

    @Test func `it has the message that the bus's details give`() async throws {
        let tracer = InMemoryTracer.shared
        let details = ErrorMap<ErrorDetails?>().on(Refused.self) { _ in ErrorDetails(message: "refused by the bank") }
        let id = await withErrorBus(handler: ErrorHandler(), configuration: .init(details: details)) { _ in
            withSpan("refusing") { span in
                RequestTrace.current.record(Refused(), isFailed: true)
                return span.context.inMemorySpanContext?.spanID
            }
        }
        let span = try #require(tracer.finishedSpans.first { $0.spanID == id })
        #expect(span.errors.map { "\($0.error)".hasSuffix("Refused: refused by the bank") } == [true])
    }
}
