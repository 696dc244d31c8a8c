import ErrorRouting

/// Measures errors that several tasks send through a transport at the same time.
package struct PostingContender: Sendable {
    /// The name, which is also the name of a line in a table or a chart.
    package let name: String
    /// The number of tasks that post at the same time.
    package let callers: Int
    private let errors: Int
    private let makeTransport: @Sendable (_ errors: Int) -> any ErrorTransport

    /// The numbers of posting tasks in every series.
    package static let series = [1, 2, 4, 8]

    /// The contenders for each number of posting tasks.
    ///
    /// Contenders that are compared with each other are adjacent.
    package static var all: [PostingContender] {
        series.flatMap { callers in
            [
                PostingContender("ErrorBus", callers) { BusTransport(capacity: $0) },
                PostingContender("ErrorBus, two nested scopes", callers) { ScopeTransport(capacity: $0) },
                PostingContender("AsyncStream", callers) { _ in StreamTransport() },
                PostingContender("ErrorBus, preset of ten rules", callers) {
                    BusTransport(capacity: $0, handler: Handlers.preset(Handlers.tenTypes()))
                },
                PostingContender("queue behind a mutex", callers) { _ in QueueTransport() },
                PostingContender("ErrorBus, preset and a log call", callers) {
                    BusTransport(
                        capacity: $0,
                        handler: Handlers.preset(Handlers.tenTypes()).overlaid(with: Handlers.logCall()))
                },
                PostingContender("queue behind a mutex and a log call", callers) { _ in
                    QueueTransport { handleBySwitch10AndLog($0) }
                },
                // Post fewer errors: a channel doesn't buffer them, so the cost per error doesn't depend on their
                // number.
                PostingContender("AsyncChannel", callers, errors: 8_000) { _ in ChannelTransport() },
            ]
        }
    }

    /// The bus with observers or a flood limit, which might slow it down.
    package static var observed: [PostingContender] {
        [1, 4].flatMap { callers in
            [
                PostingContender("ErrorBus, one observer", callers) { BusTransport(capacity: $0, observer: .observer) },
                PostingContender("ErrorBus, one stream of reports, unread", callers) {
                    BusTransport(capacity: $0, observer: .stream)
                },
                PostingContender("ErrorBus, one reader and its own time", callers) {
                    BusTransport(capacity: $0, observer: .reader)
                },
                // Set the limit to the number of posts, so that it doesn't suppress errors.
                PostingContender("ErrorBus, a flood limit", callers) { errors in
                    BusTransport(capacity: errors, floodLimit: FloodLimit(first: errors, per: .seconds(60)))
                },
                // Of each of the eight types, one error passes and one error is held back; all other errors are
                // suppressed.
                PostingContender("ErrorBus, suppressed by a flood limit", callers) { errors in
                    BusTransport(capacity: errors, floodLimit: FloodLimit(first: 1, per: .seconds(60)))
                },
            ]
        }
    }

    /// One posting task with a scope for each error, like requests that each fail once.
    ///
    /// The bus has either few or many rules.
    package static var requests: [PostingContender] {
        let (none, one) = (ErrorHandler(), Handlers.stranger())
        let kinds: [(name: String, makeHandler: @Sendable () -> ErrorHandler)] = [
            ("a scope for each", { none }),
            ("a scope with one rule for each", { one }),
            ("a scope and its rule for each", { Handlers.stranger() }),
        ]
        return kinds.flatMap { kind in
            // Keep these two contenders together, because they are compared with each other.
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

    /// Creates a contender that posts `errors` errors in each measurement.
    ///
    /// This number must be a multiple of every number of posting tasks. A measurement must last many milliseconds,
    /// because the system might keep all threads on one core for the first few milliseconds.
    private init(
        _ name: String, _ callers: Int, errors: Int = 80_000,
        makeTransport: @escaping @Sendable (_ errors: Int) -> any ErrorTransport
    ) {
        self.name = name
        self.callers = callers
        self.errors = errors
        self.makeTransport = makeTransport
    }

    /// Measures once with a new transport.
    ///
    /// - Returns: The nanoseconds per error, which is the time from the first post until all errors are handled,
    ///   divided by the number of errors.
    @concurrent
    package func sample() async -> Double {
        let transport = makeTransport(errors)
        let loop = Task.detached { await transport.run() }
        // Wait until the loop is waiting, so that its start isn't measured.
        try? await Task.sleep(for: .milliseconds(1))
        let share = errors / callers
        let clock = ContinuousClock()
        let start = clock.now
        await withTaskGroup { group in
            for _ in 0..<callers { group.addTask { @concurrent in await transport.post(share) } }
        }
        transport.finish()
        let handled = await loop.value
        let duration = start.duration(to: clock.now)
        if handled != errors { fatalError("\(name): \(errors) errors were posted, but \(handled) handled") }
        return duration / .nanoseconds(1) / Double(errors)
    }
}

/// Sends errors from several tasks to one loop that handles them.
///
/// Each transport has its own loop over the posts, so that calls through a protocol aren't measured.
protocol ErrorTransport: Sendable {
    /// Posts a number of new errors.
    func post(_ count: Int) async

    /// Handles posted errors until ``finish()`` has been called and all errors are handled.
    ///
    /// - Returns: The number of handled errors.
    func run() async -> Int

    /// Makes ``run()`` return when it has handled all posted errors.
    func finish()
}

/// A transport to which callers can post without suspending.
protocol SynchronousTransport: ErrorTransport {
    /// Posts an error.
    func post(_ error: any Error)
}

/// Returns a new error; consecutive numbers cycle through the eight plain types.
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
