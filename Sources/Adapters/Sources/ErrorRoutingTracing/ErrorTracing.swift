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
    /// A tracer also injects what callers have added to their requests, such as W3C's `baggage`, which may name a user.
    /// Metadata goes into logs, files and exporters, so only the keys of ``traceKeys`` are copied; see
    /// ``metadata(including:)`` for others.
    ///
    /// - Returns: The metadata; empty if there is no trace or no tracer.
    public static func metadata(of _: any Error) -> [String: String] { current(including: []) }

    /// Returns a metadata provider that also copies the keys that you name.
    ///
    /// ```swift
    /// ErrorBus.Configuration(metadataProvider: ErrorTracing.metadata(including: ["tenant"]))
    /// ```
    ///
    /// - Parameter keys: The keys to copy besides ``traceKeys``, in upper or lower case.
    /// - Returns: The provider.
    public static func metadata(including keys: Set<String>) -> @Sendable (any Error) -> [String: String] {
        let keys = Set(keys.map { $0.lowercased() })
        return { _ in current(including: keys) }
    }

    /// The keys by which propagators pass on a trace, in lower case: those of W3C, B3, Jaeger, Datadog, Amazon, and
    /// Google.
    public static let traceKeys: Set<String> = [
        "traceparent", "tracestate", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid", "x-b3-sampled",
        "x-b3-flags", "uber-trace-id", "x-datadog-trace-id", "x-datadog-parent-id", "x-datadog-sampling-priority",
        "x-amzn-trace-id", "x-cloud-trace-context",
    ]

    private static func current(including keys: Set<String>) -> [String: String] {
        guard let context = ServiceContext.current else { return [:] }
        var metadata: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &metadata, using: Metadata())
        return metadata.filter { key, _ in traceKeys.contains(key.lowercased()) || keys.contains(key.lowercased()) }
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

    /// Records an error's type and message in the span, and whether the span has failed.
    ///
    /// Not the error itself: exporters print that as `"\(error)"`, a text of any length, with whatever the error's fields
    /// contain.
    ///
    /// If the span has ended, as one of gRPC may before the messages are written, or is not found because the tracer does
    /// not implement `activeSpan(identifiedBy:)`, a span of the error's own is opened within it.
    package func record(_ error: any Error, isFailed: Bool) {
        guard let context else { return }
        let open = span
        let span = open ?? startSpan("error", context: context)
        let recorded = RecordedError(error)
        // Also as attributes, which replace those that a tracer derives from the error's type and description.
        span.recordError(
            recorded,
            attributes: [
                "exception.type": .string(recorded.typeName), "exception.message": .string(recorded.message),
            ])
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

/// The type and message of an error, as the log has them.
private struct RecordedError: Error, CustomStringConvertible {
    let typeName: String
    let message: String

    init(_ error: any Error) {
        let report = ErrorReport(error: error, source: .init())
        (typeName, message) = (report.typeName, report.message)
    }

    var description: String { "\(typeName): \(message)" }
}
