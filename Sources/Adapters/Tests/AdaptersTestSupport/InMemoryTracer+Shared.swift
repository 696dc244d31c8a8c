public import InMemoryTracing
import Tracing

extension InMemoryTracer {
    /// The tracer of all tests: a process can have only one, and all tests run in one process.
    public static let shared: InMemoryTracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()
}
