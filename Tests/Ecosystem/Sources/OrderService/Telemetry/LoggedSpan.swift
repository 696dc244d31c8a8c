import Logging
import Synchronization
import Tracing

/// A span that is logged when it ends, if an error was recorded in it.
final class LoggedSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var errors: [String] = []
        var isFailed = false
        var hasEnded = false
    }

    private static let logger = Logger(label: "spans")

    let context: InstrumentationContext
    private let kind: SpanKind
    private let state: Mutex<State>
    private let onEnd: @Sendable () -> Void

    init(_ name: String, _ context: InstrumentationContext, _ kind: SpanKind, onEnd: @escaping @Sendable () -> Void) {
        self.context = context
        self.kind = kind
        self.onEnd = onEnd
        state = Mutex(State(name: name))
    }

    var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    var isRecording: Bool { state.withLock { !$0.hasEnded } }

    func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        var name = "raw \(type(of: error))"
        if case .string(let type) = attributes["exception.type"]?.toSpanAttribute() {
            name = String(type.split(separator: ".").last ?? "")
        }
        state.withLock { if !$0.hasEnded { $0.errors.append(name) } }
    }

    func setStatus(_ status: SpanStatus) {
        state.withLock { if !$0.hasEnded { $0.isFailed = status.code == .error } }
    }

    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = state.withLock { state -> State? in
            defer { state.hasEnded = true }
            return state.hasEnded ? nil : state
        }
        guard let ended else { return }
        onEnd()
        if ended.errors.isEmpty, !ended.isFailed { return }
        let metadata: Logger.Metadata = [
            "kind": "\(kind)", "errors": "\(ended.errors.joined(separator: ","))",
            "status": ended.isFailed ? "error" : "unset",
        ]
        ServiceContext.withValue(context) { Self.logger.info("\(ended.name)", metadata: metadata) }
    }
}

/// The identifiers of a span and its trace.
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

}

extension Logger.MetadataProvider {
    /// The identifiers of the current span, as a tracer's package provides them for log lines.
    static let span = Logger.MetadataProvider {
        guard let id = ServiceContext.current?.spanID else { return [:] }
        return ["trace.id": "\(id.trace)", "span.id": "\(id.span)"]
    }
}
