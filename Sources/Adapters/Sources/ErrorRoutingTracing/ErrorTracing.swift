public import ErrorRouting
import Tracing

/// Adds the trace in which an error is posted to its report.
///
/// The bus's task, which logs the error later, isn't in that trace. So the trace's context is injected into the
/// report's metadata, as a tracer does with a request's headers, and extracted again for the log entry:
///
/// ```swift
/// ErrorBus.Configuration(metadataProvider: ErrorTracing.metadata)
/// ErrorLog(logger, within: ErrorTracing.bind)
/// ```
public enum ErrorTracing {
    /// Returns the context of the current trace as metadata, such as W3C's `traceparent`.
    ///
    /// A tracer also injects values that callers have added to their requests, such as W3C's `baggage`, which might
    /// identify a user. Metadata goes to logs, files, and exporters, so only the keys in ``traceKeys`` are copied. For
    /// other keys, see ``metadata(including:)``.
    ///
    /// - Returns: The metadata; empty if there is no trace or tracer.
    public static func metadata(of _: any Error) -> [String: String] { current(including: []) }

    /// Returns a metadata provider that also copies the given keys.
    ///
    /// ```swift
    /// ErrorBus.Configuration(metadataProvider: ErrorTracing.metadata(including: ["tenant"]))
    /// ```
    ///
    /// - Parameter keys: The keys to copy in addition to ``traceKeys``, in upper or lower case.
    /// - Returns: The provider.
    public static func metadata(including keys: Set<String>) -> @Sendable (any Error) -> [String: String] {
        let keys = Set(keys.map { $0.lowercased() })
        return { _ in current(including: keys) }
    }

    /// The keys that propagators use for a trace, in lowercase: the keys of W3C, B3, Jaeger, Datadog, Amazon, and
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

    /// Runs a body in the trace that a report's metadata contains, so that the log's backend finds the trace in
    /// `ServiceContext.current`.
    ///
    /// - Parameters:
    ///   - report: The report to log.
    ///   - body: Writes the log entry.
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

/// The trace of a request or call, for the adapters that report its errors.
package struct RequestTrace: Sendable {
    private let context: ServiceContext?

    /// The trace of the current task.
    package static var current: RequestTrace { RequestTrace(context: ServiceContext.current) }

    /// Records an error's type and message in the span, and marks the span as failed if `isFailed` is true.
    ///
    /// It doesn't pass the error itself, because exporters print it as `"\(error)"`: a string of any length, including
    /// the contents of the error's fields.
    ///
    /// If the span has ended, a separate span for the error is opened inside it; a gRPC span might end before the
    /// messages are written. The same happens if the tracer doesn't implement `activeSpan(identifiedBy:)`, because the
    /// span then can't be found.
    package func record(_ error: any Error, isFailed: Bool) {
        guard let context else { return }
        let open = span
        let span = open ?? startSpan("error", context: context)
        let recorded = RecordedError(error)
        // Set attributes too: they replace the attributes that a tracer derives from the error's type and description.
        var attributes: SpanAttributes = [
            "exception.type": .string(recorded.typeName), "exception.message": .string(recorded.message),
        ]
        if let place = recorded.place {
            if let function = place.function { attributes["code.function.name"] = function }
            if let file = place.file { attributes["code.file.path"] = file }
            if let line = place.line { attributes["code.line.number"] = Int(clamping: line) }
        }
        span.recordError(recorded, attributes: attributes)
        if isFailed { span.setStatus(SpanStatus(code: .error)) }
        if open == nil { span.end() }
    }

    /// Marks the span as failed.
    package func fail() { span?.setStatus(SpanStatus(code: .error)) }

    /// Binds the trace again, for code that runs after the middleware that opened the span.
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

/// The type, message, and throw location of an error, with the same strings as in the log.
private struct RecordedError: Error, CustomStringConvertible {
    let typeName: String
    let message: String
    /// Where the error was thrown; nil if unknown.
    let place: ErrorOrigin.Frame?

    init(_ error: any Error) {
        // Create the report with a bus, whose configuration can provide details for types that don't provide their own.
        let bus = ErrorBus.current ?? .root
        let report = bus?.report(of: error) ?? ErrorReport(error: error, source: .init())
        (typeName, message, place) = (report.typeName, report.message, report.origin?.frames.first)
    }

    var description: String { "\(typeName): \(message)" }
}
