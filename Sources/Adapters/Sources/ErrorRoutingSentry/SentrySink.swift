public import AsyncHTTPClient
public import ErrorRouting
import ErrorRoutingAsyncHTTPClient
public import ErrorRoutingLifecycle
import HTTPErrors
import Logging
public import ServiceLifecycle
import Synchronization

/// Sends errors to Sentry, each report as an event.
///
/// ```swift
/// let sentry = try SentrySink(dsn: dsn, release: "shop@1.4.0")
/// let errors = ErrorBusService(handler: rules, logger: logger, sinks: [sentry])
/// ```
///
/// Without an `ErrorBusService`, let the sink observe the bus, `bus.observeUntilEnd { sentry.receive($0) }`, and run it
/// as a service that ends after the bus.
///
/// The sink keeps a bounded number of reports, and its task sends one event at a time over one connection. Code that
/// posts an error never waits for it, and neither does the bus. An event that can't be sent is counted in
/// ``statistics``, and a client report tells Sentry how many there were. The sink doesn't post its own failures to a
/// bus; it logs a warning at most once an hour.
///
/// If the network fails, the sink sends the event again, as ``Configuration/retry`` allows. If Sentry answers with an
/// error, the event is lost. After a 429, or a rate limit in any response, the sink sends no events until the limit has
/// expired, and discards those that arrive by then.
public final class SentrySink: ErrorSink, Service, CustomStringConvertible {
    /// A report that is sent with a level.
    struct Chosen: Sendable {
        let report: ErrorReport
        let level: SentryLevel
    }

    let configuration: Configuration
    let dsn: SentryDSN
    let process: SentryEvent.Process
    let transport: @Sendable () -> SentryTransport
    /// The time since the sink was created.
    let now: @Sendable () -> Duration

    let queue: Mutex<SentryQueue<Chosen>>
    let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let sender = Mutex<Task<Void, Never>?>(nil)
    private let end = Completion()

    /// Creates a sink; it sends once it is started.
    ///
    /// - Parameters:
    ///   - dsn: The project's address, `https://public-key@host/project`.
    ///   - release: The program's version, such as `shop@1.4.0`; nil if it has none.
    ///   - environment: The environment.
    ///   - serverName: The name of the host; nil to send none.
    ///   - client: The client that sends, preferably with `AsyncHTTPClientHTTPTransport.configuration()`. The caller
    ///     must shut it down, after the sink. If it is nil, the sink has its own client.
    ///   - configuration: What is sent, and how.
    /// - Throws: An ``InvalidSentrySetting`` if Sentry would reject every event.
    public convenience init(
        dsn: String,
        release: String? = nil,
        environment: String = "production",
        serverName: String? = nil,
        client: HTTPClient? = nil,
        configuration: Configuration = .init()
    ) throws(InvalidSentrySetting) {
        try self.init(
            dsn: dsn, release: release, environment: environment, serverName: serverName, configuration: configuration,
            transport: { SentryTransport(client: client, timeout: configuration.timeout) })
    }

    init(
        dsn: String, release: String? = nil, environment: String = "production", serverName: String? = nil,
        configuration: Configuration, transport: @escaping @Sendable () -> SentryTransport,
        now: (@Sendable () -> Duration)? = nil
    ) throws(InvalidSentrySetting) {
        self.dsn = try SentryDSN(dsn)
        process = SentryEvent.Process(
            release: try release.map(SentrySetting.release), environment: try SentrySetting.environment(environment),
            serverName: serverName.flatMap(SentrySetting.serverName))
        (self.configuration, self.transport) = (configuration, transport)
        let begin = ContinuousClock.now
        self.now = now ?? { begin.duration(to: .now) }
        queue = Mutex(SentryQueue(capacity: max(1, configuration.capacity)))
        ExitCounts.add(self)
    }

    /// How many events were received, and what happened to them.
    public var statistics: SentryStatistics { queue.withLock { $0.statistics } }

    /// The sink's name, for a group's log.
    public var description: String { "SentrySink" }

    /// Receives a report, and lets the sink's task send it if the configuration chooses it.
    ///
    /// - Parameter report: The report, with its outcome.
    public func receive(_ report: ErrorReport) {
        guard let level = configuration.level(of: report) else { return }
        let (wakes, discarded) = queue.withLock { $0.receive(Chosen(report: report, level: level), at: now()) }
        // Release a discarded report outside the lock: that might run user code.
        withExtendedLifetime(discarded) {}
        if wakes { wakeUps.continuation.yield() }
    }

    /// Starts the sending; a second call has no effect.
    public func start() {
        sender.withLock { sender in
            // Detach the task: it must know nothing of the caller's bus, and outlive the caller's cancellation.
            if sender == nil, !end.isOver { sender = Task.detached { await self.sendAll() } }
        }
    }

    /// Sends events until the service is shut down or cancelled, and then the pending ones.
    ///
    /// As one of the `sinks` of an `ErrorBusService`, the sink isn't a service of the group.
    public func run() async {
        start()
        try? await gracefulShutdown()
        let counts = await close(within: configuration.closingLimit)
        configuration.logger.notice("\(counts)")
    }

    /// Sends the pending events, as far as the time allows, and stops; events that remain are counted as discarded.
    ///
    /// - Parameter limit: The time after which it returns, even if the caller's task is cancelled.
    /// - Returns: The statistics as text.
    @discardableResult
    public func close(within limit: Duration) async -> String {
        queue.withLock { $0.close() }
        wakeUps.continuation.yield()
        // Detach the timer: the caller's cancellation must not shorten it.
        let timer = Task.detached { [self] in
            // A sender that was never started sends nothing.
            let isStarted = sender.withLock { $0 != nil }
            if isStarted { do { try await sleep(for: limit) } catch { return } }
            abandon()
        }
        await end.wait()
        timer.cancel()
        return "Sentry: \(statistics)"
    }

    private func abandon() {
        let left = queue.withLock { $0.abandon() }
        withExtendedLifetime(left) {}
        sender.withLock { $0 }?.cancel()
        isOver()
    }

    /// Lets `close` return.
    func isOver() {
        ExitCounts.remove(self)
        end.complete()
    }
}
