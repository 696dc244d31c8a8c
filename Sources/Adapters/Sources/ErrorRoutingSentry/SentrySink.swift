public import AsyncHTTPClient
public import ErrorRouting
import ErrorRoutingAsyncHTTPClient
public import ErrorRoutingLifecycle
import HTTPErrors
import Logging
public import ServiceLifecycle
import Synchronization

/// Sends errors to Sentry, one event per report.
///
/// ```swift
/// let sentry = try SentrySink(dsn: dsn, release: "shop@1.4.0")
/// let errors = ErrorBusService(handler: rules, logger: logger, sinks: [sentry])
/// ```
///
/// Without an `ErrorBusService`, let the sink observe the bus (`bus.observeUntilEnd { sentry.receive($0) }`), and run
/// the sink as a service that stops after the bus.
///
/// The sink stores a bounded number of reports, and its task sends one event at a time over one connection. Code that
/// posts an error doesn't wait until the event is sent, and neither does the bus. Events that can't be sent are counted
/// in ``statistics``, and a client report contains their number for Sentry. The sink doesn't post its own failures to a
/// bus; it logs a warning at most once an hour. If the process calls `exit` before the sink is closed, the counts are
/// written to standard error.
///
/// If the network fails, the sink sends the event again, as ``Configuration/retry`` allows. If Sentry answers with an
/// error, the event is lost. After a 429, or a rate limit in any response, the sink doesn't send events until the limit
/// has expired, and discards the events that arrive by then.
public final class SentrySink: ErrorSink, Service, CustomStringConvertible {
    /// A report that was selected for sending, with its level.
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

    /// Creates a sink, which sends events once it is started.
    ///
    /// - Parameters:
    ///   - dsn: The project's DSN: `https://public-key@host/project`.
    ///   - release: The program's version, such as `shop@1.4.0`; nil to send none.
    ///   - environment: The environment, such as `production`.
    ///   - serverName: The name of the host; nil to send none.
    ///   - client: The client that sends the events, preferably with `AsyncHTTPClientHTTPTransport.configuration()`.
    ///     The caller must shut it down after the sink. If it is nil, the sink creates its own client.
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

    /// The sink's name, for the log of a service group.
    public var description: String { "SentrySink" }

    /// Receives a report, and lets the sink's task send it if the configuration selects it.
    ///
    /// - Parameter report: The report, with its outcome.
    public func receive(_ report: ErrorReport) {
        guard let level = configuration.level(of: report) else { return }
        let (wakes, discarded) = queue.withLock { $0.receive(Chosen(report: report, level: level), at: now()) }
        // Release a discarded report outside the lock, because releasing it might run user code.
        withExtendedLifetime(discarded) {}
        if wakes { wakeUps.continuation.yield() }
    }

    /// Starts sending; a second call has no effect.
    public func start() {
        sender.withLock { sender in
            // Detach the task: it must not inherit the caller's bus, and must outlive the caller's cancellation.
            if sender == nil, !end.isOver { sender = Task.detached { await self.sendAll() } }
        }
    }

    /// Sends events until the service is shut down or cancelled, and then sends the pending events.
    ///
    /// Don't add the sink to the service group if it is one of the `sinks` of an `ErrorBusService`.
    public func run() async {
        start()
        try? await gracefulShutdown()
        let counts = await close(within: configuration.closingLimit)
        configuration.logger.notice("\(counts)")
    }

    /// Sends pending events until the time runs out, counts the remaining events as lost, and stops.
    ///
    /// - Parameter limit: The time after which it returns, even if the caller's task is cancelled.
    /// - Returns: The statistics as a string.
    @discardableResult
    public func close(within limit: Duration) async -> String {
        queue.withLock { $0.close() }
        wakeUps.continuation.yield()
        // Detach the timer, because the caller's cancellation must not shorten it.
        let timer = Task.detached { [self] in
            // Don't wait if the sender was never started, because the pending events can't be sent then.
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
