import ErrorRouting

/// This package's bus, to which every error is posted in a scope of its own: requests that fail once each.
final class RequestTransport: ErrorTransport {
    private let transport: BusTransport
    private let service: ErrorScope
    private let makeHandler: @Sendable () -> ErrorHandler

    /// - Parameters:
    ///   - capacity: How many errors may be pending.
    ///   - rules: How many rules the bus has, eight at least.
    ///   - makeHandler: Returns the rules of a request's scope.
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
