import ErrorRouting
import Tracing

// `ErrorBus.Configuration(metadataProvider: trace)`: asked in the poster's task, where the request's context is.
func trace(_: any Error) -> [String: String] {
    var metadata: [String: String] = [:]
    InstrumentationSystem.instrument.inject(ServiceContext.current ?? .topLevel, into: &metadata, using: Metadata())
    return metadata
}

// Binds the context that the metadata names; the backend of the log reads it there.
func withTrace(of report: ErrorReport, _ body: () -> Void) {
    var context = ServiceContext.topLevel
    InstrumentationSystem.instrument.extract(report.metadata, into: &context, using: Metadata())
    ServiceContext.withValue(context, operation: body)
}

private struct Metadata: Injector, Extractor {
    func inject(_ value: String, forKey key: String, into metadata: inout [String: String]) { metadata[key] = value }
    func extract(key: String, from metadata: [String: String]) -> String? { metadata[key] }
}
