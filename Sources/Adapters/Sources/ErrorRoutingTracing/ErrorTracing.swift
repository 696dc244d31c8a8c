public import ErrorRouting
import Tracing

/// Takes the trace in which an error is posted along with its report.
///
/// The bus's task, which logs the error later, is not in that trace. So its context is injected into the report's
/// metadata, as a tracer does with the headers of a request, and extracted again around the log's entry:
///
/// ```swift
/// ErrorBus.Configuration(metadataProvider: ErrorTracing.metadata)
/// ErrorLog(logger, within: ErrorTracing.bind)
/// ```
public enum ErrorTracing {
    /// Returns the context of the current trace as metadata, such as W3C's `traceparent`.
    ///
    /// - Returns: The metadata; empty where there is no trace, or no tracer.
    public static func metadata(of _: any Error) -> [String: String] {
        guard let context = ServiceContext.current else { return [:] }
        var metadata: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &metadata, using: Metadata())
        return metadata
    }

    /// Runs a body in the trace that a report's metadata names; the backend of the log finds it in
    /// `ServiceContext.current`.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - body: Writes the log's entry.
    public static func bind(_ report: ErrorReport, _ body: () -> Void) {
        var context = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(report.metadata, into: &context, using: Metadata())
        ServiceContext.withValue(context, operation: body)
    }

    private struct Metadata: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into metadata: inout [String: String]) {
            metadata[key] = value
        }

        func extract(key: String, from metadata: [String: String]) -> String? { metadata[key] }
    }
}

/// The trace of a request or a call, for the adapters that report its errors.
package struct RequestTrace: Sendable {
    private let context: ServiceContext?

    /// The trace of the current task.
    package static var current: RequestTrace { RequestTrace(context: ServiceContext.current) }

    /// Records an error in the span, and whether that has failed.
    ///
    /// Where the span has ended, as one of gRPC may before the messages are written, or is not found, since the tracer
    /// does not implement `activeSpan(identifiedBy:)`, a span of the error's own is opened within it.
    package func record(_ error: any Error, isFailed: Bool) {
        guard let context else { return }
        let open = span
        let span = open ?? startSpan("error", context: context)
        span.recordError(error)
        if isFailed { span.setStatus(SpanStatus(code: .error)) }
        if open == nil { span.end() }
    }

    /// Marks the span as failed.
    package func fail() { span?.setStatus(SpanStatus(code: .error)) }

    /// Binds the trace again, for what runs after the middleware that opened the span.
    package func bound<Value>(_ body: () throws -> Value) rethrows -> Value {
        try ServiceContext.$current.withValue(context, operation: body)
    }

    /// Binds the trace again; see ``bound(_:)``.
    package func bound<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await ServiceContext.$current.withValue(context, operation: body, isolation: isolation)
    }

    private var span: (any Span)? { context.flatMap(InstrumentationSystem.tracer.activeSpan) }
}
