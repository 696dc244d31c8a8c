public import InMemoryTracing
import Tracing

extension InMemoryTracer {
    /// The tracer of all tests: the system takes one in a process, and all tests are in one.
    public static let shared: InMemoryTracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()
}
