import ErrorRouting

/// This package's bus, to which everything is posted in a scope within a scope.
///
/// Both scopes have rules, and none of them is for what is posted: each error goes the whole path.
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
