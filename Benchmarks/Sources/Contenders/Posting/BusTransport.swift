import ErrorRouting

/// This package's bus, with rules for the eight plain types.
final class BusTransport: SynchronousTransport {
    /// What else there is to a bus.
    enum Company {
        /// An observer that counts nothing and keeps nothing.
        case observer
        /// A stream of reports that nobody reads, and that loses all but the last: what a reader costs the bus.
        case stream
        /// A reader of such a stream, whose own time counts too.
        case reader
    }

    let bus: ErrorBus
    private let observation: ErrorObservation?
    private let stream: AsyncStream<ErrorReport>?

    /// - Parameters:
    ///   - capacity: How many errors may be pending: as many as are posted, so that none is dropped.
    ///   - handler: The rules.
    ///   - floodLimit: How many errors of a kind pass.
    ///   - company: Who is told of each report.
    init(
        capacity: Int, handler: ErrorHandler = Handlers.plainTypes(), floodLimit: FloodLimit? = nil,
        company: Company? = nil
    ) {
        bus = ErrorBus(handler: handler, configuration: .init(capacity: capacity, floodLimit: floodLimit))
        observation = company == .observer ? bus.observe { _ in } : nil
        stream = company == .stream ? bus.reports() : nil
        if company == .reader {
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
        guard statistics.isBalanced, statistics.handled == statistics.posted else {
            fatalError("the bus did not handle all that was posted: \(statistics)")
        }
        return statistics.handled
    }

    func finish() { bus.finish() }
}
