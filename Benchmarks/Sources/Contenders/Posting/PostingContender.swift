import ErrorRouting

/// Errors sent through a transport by a number of posters at once.
package struct PostingContender: Sendable {
    /// What it is: the line it belongs to in a table or a chart.
    package let name: String
    /// How many tasks post at once.
    package let posters: Int
    private let errors: Int
    private let makeTransport: @Sendable (_ errors: Int) -> any ErrorTransport

    /// The numbers of posters in every series.
    package static let series = [1, 2, 4, 8]

    /// Everything there is to measure, side by side for each number of posters.
    package static var all: [PostingContender] {
        series.flatMap { posters in
            [
                PostingContender("ErrorBus", posters) { BusTransport(capacity: $0) },
                PostingContender("ErrorBus, two nested scopes", posters) { ScopeTransport(capacity: $0) },
                PostingContender("AsyncStream", posters) { _ in StreamTransport() },
                PostingContender("queue behind a mutex", posters) { _ in QueueTransport() },
                // It holds nothing, so that what an error costs does not depend on how many there are.
                PostingContender("AsyncChannel", posters, errors: 8_000) { _ in ChannelTransport() },
            ]
        }
    }

    /// The bus with what might slow it down.
    package static var company: [PostingContender] {
        [1, 4].flatMap { posters in
            [
                PostingContender("ErrorBus, one observer", posters) { BusTransport(capacity: $0, company: .observer) },
                PostingContender("ErrorBus, one stream of reports, unread", posters) {
                    BusTransport(capacity: $0, company: .stream)
                },
                PostingContender("ErrorBus, one reader and its own time", posters) {
                    BusTransport(capacity: $0, company: .reader)
                },
                // As many as are posted pass, so that it never limits anything.
                PostingContender("ErrorBus, a flood limit", posters) { errors in
                    BusTransport(capacity: errors, floodLimit: FloodLimit(first: errors, per: .seconds(60)))
                },
            ]
        }
    }

    /// A scope for each error, by one poster: requests that fail once each, below few rules and below many.
    package static var requests: [PostingContender] {
        let (none, one) = (ErrorHandler(), Handlers.stranger())
        let kinds: [(name: String, makeHandler: @Sendable () -> ErrorHandler)] = [
            ("a scope for each", { none }),
            ("a scope with one rule for each", { one }),
            ("a scope and its rule for each", { Handlers.stranger() }),
        ]
        return kinds.flatMap { kind in
            // Side by side, since they are compared.
            [
                PostingContender(kind.name, 1) {
                    RequestTransport(capacity: $0, rules: 8, makeHandler: kind.makeHandler)
                },
                PostingContender("\(kind.name), below 1,000 rules", 1) {
                    RequestTransport(capacity: $0, rules: 1_000, makeHandler: kind.makeHandler)
                },
            ]
        }
    }

    /// - Parameters:
    ///   - errors: How many are posted in one measurement, a multiple of every number of posters. It has to last many
    ///     milliseconds: for the first few the system may keep all threads on one core.
    ///   - makeTransport: Makes the transport for that many errors.
    private init(
        _ name: String, _ posters: Int, errors: Int = 80_000,
        makeTransport: @escaping @Sendable (_ errors: Int) -> any ErrorTransport
    ) {
        self.name = name
        self.posters = posters
        self.errors = errors
        self.makeTransport = makeTransport
    }

    /// Measures once, with a new transport.
    ///
    /// - Returns: Nanoseconds from the first post to the last error's having been handled, for one error.
    @concurrent
    package func sample() async -> Double {
        let transport = makeTransport(errors)
        let loop = Task.detached { await transport.run() }
        // The loop comes to its first wait: what it takes to start is not measured.
        try? await Task.sleep(for: .milliseconds(1))
        let share = errors / posters
        let clock = ContinuousClock()
        let start = clock.now
        await withTaskGroup { group in
            for _ in 0..<posters { group.addTask { @concurrent in await transport.post(share) } }
        }
        transport.finish()
        let handled = await loop.value
        let duration = start.duration(to: clock.now)
        if handled != errors { fatalError("\(name): \(errors) errors were posted, but \(handled) handled") }
        return duration / .nanoseconds(1) / Double(errors)
    }
}

/// A way for errors to get from several posters to one place that handles them.
///
/// Each loops over its own posts, so that none pays for a call that its users would not write.
protocol ErrorTransport: Sendable {
    /// Posts that many errors, each made anew.
    func post(_ count: Int) async

    /// Handles what is posted, until ``finish()`` was called and nothing is left.
    ///
    /// - Returns: How many errors were handled.
    func run() async -> Int

    /// Lets ``run()`` return once it has handled what was posted.
    func finish()
}

/// A transport to which anyone can post without suspending.
protocol SynchronousTransport: ErrorTransport {
    /// Posts an error.
    func post(_ error: any Error)
}

/// A new error, of each of the eight plain types in turn.
@inline(never)
func makeError(_ number: Int) -> any Error {
    switch number & 7 {
    case 0: E1()
    case 1: E2()
    case 2: E3()
    case 3: E4()
    case 4: E5()
    case 5: E6()
    case 6: E7()
    default: E8()
    }
}
