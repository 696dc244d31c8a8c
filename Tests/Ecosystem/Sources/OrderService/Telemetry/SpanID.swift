import Tracing

/// Which span, of which trace.
struct SpanID: Sendable {
    let trace: String
    let span: String

    static func random(_ digits: Int) -> String {
        String((0..<digits).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    }
}

extension ServiceContext {
    private enum Key: ServiceContextKey {
        typealias Value = SpanID
    }

    var spanID: SpanID? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }

    /// The trace that this task belongs to.
    var traceID: String? { spanID?.trace }
}
