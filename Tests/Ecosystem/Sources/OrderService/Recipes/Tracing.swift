import Tracing

// `ErrorBus.Configuration(metadataProvider: trace)`: asked in the poster's task, where the request's context is.
func trace(_: any Error) -> [String: String] { ServiceContext.current?.traceID.map { ["trace.id": $0] } ?? [:] }
