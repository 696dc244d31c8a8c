import ErrorRouting

/// This package's bus, with rules for the eight plain types.
final class BusTransport: SynchronousTransport {
    /// The kinds of observers of a bus.
    enum Observer {
        /// An observer that does nothing.
        case observer
        /// An unread stream that keeps only the last report, which shows the bus's share of a reader's cost.
        case stream
        /// A stream with a reader, which includes the reader's own time.
        case reader
    }

    let bus: ErrorBus
    private let observation: ErrorObservation?
    private let stream: AsyncStream<ErrorReport>?

    /// Creates a bus whose capacity must be at least the number of posts, so that it doesn't drop errors.
    init(
        capacity: Int, handler: ErrorHandler = Handlers.plainTypes(), floodLimit: FloodLimit? = nil,
        observer: Observer? = nil
    ) {
        bus = ErrorBus(handler: handler, configuration: .init(capacity: capacity, floodLimit: floodLimit))
        observation = observer == .observer ? bus.observe { _ in } : nil
        stream = observer == .stream ? bus.reports() : nil
        if observer == .reader {
            let reports = bus.reports()
            Task.detached { for await _ in reports {} }
        }
    }

    func post(_ count: Int) async {
        for number in 0..<count { bus.post(makeError(number)) }
    }

    func post(_ error: any Error) { bus.post(error) }

    func run() async -> Int {
        await bus.run()
        let statistics = bus.statistics
        let done = statistics.handled + statistics.suppressed
        guard done == statistics.posted else {
            fatalError("the bus did not handle all that was posted: \(statistics)")
        }
        return done
    }

    func finish() { bus.finish() }
}

/// This package's bus with all errors posted in a nested scope.
///
/// Both scopes have rules that don't match, so each error is matched against the rules of both scopes and of the bus.
final class ScopeTransport: ErrorTransport {
    private let transport: BusTransport
    private let scope: ErrorScope

    init(capacity: Int) {
        transport = BusTransport(capacity: capacity)
        scope = transport.bus
            .scope("service", handler: Handlers.strangers())
            .scope("request", handler: Handlers.strangers())
    }

    func post(_ count: Int) async {
        for number in 0..<count { scope.post(makeError(number)) }
    }

    func run() async -> Int { await transport.run() }

    func finish() { transport.finish() }
}

/// This package's bus with a separate scope for each error, like requests that each fail once.
final class RequestTransport: ErrorTransport {
    private let transport: BusTransport
    private let service: ErrorScope
    private let makeHandler: @Sendable () -> ErrorHandler

    /// Creates a bus with the given number of rules, at least eight; `makeHandler` returns the rules of a request's
    /// scope.
    init(capacity: Int, rules: Int, makeHandler: @escaping @Sendable () -> ErrorHandler) {
        let others = Handlers.types(rules - 8)
        transport = BusTransport(capacity: capacity, handler: others.overlaid(with: Handlers.plainTypes()))
        service = transport.bus.scope("service")
        self.makeHandler = makeHandler
    }

    func post(_ count: Int) async {
        for number in 0..<count { service.scope("request", handler: makeHandler()).post(makeError(number)) }
    }

    func run() async -> Int { await transport.run() }

    func finish() { transport.finish() }
}
