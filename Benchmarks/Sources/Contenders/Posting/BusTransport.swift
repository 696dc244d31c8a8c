import ErrorRouting

/// This package's bus, with rules for the eight plain types.
final class BusTransport: SynchronousTransport {
    private let bus: ErrorBus

    /// - Parameters:
    ///   - capacity: How many errors may be pending: as many as are posted, so that none is dropped.
    ///   - handler: The rules.
    init(capacity: Int, handler: ErrorHandler = Handlers.plainTypes()) {
        bus = ErrorBus(handler: handler, configuration: .init(capacity: capacity))
    }

    func post(_ count: Int) async {
        for number in 0..<count { bus.post(makeError(number)) }
    }

    func post(_ error: any Error) { bus.post(error) }

    func run() async -> Int {
        await bus.run()
        let statistics = bus.statistics
        guard statistics.isBalanced, statistics.handled == statistics.posted else {
            fatalError("the bus did not handle all that was posted: \(statistics)")
        }
        return statistics.handled
    }

    func finish() { bus.finish() }
}
