public import ErrorRecovery
public import ErrorRouting
public import Logging

extension SentrySink {
    /// The settings of a sink: what it sends, and how.
    public struct Configuration: Sendable {
        /// The levels of errors, which also select the errors to send.
        ///
        /// If a rule of the map returns a level for an error, the error is always sent, with this level, even if a rule
        /// of the bus handled it. If a rule returns nil, the error is never sent. If no rule matches, the map's default
        /// applies unless it is nil. If it is nil, these errors are sent, with the level of their severity: failures
        /// that no rule of the bus handled, `ActionFailure`, and `ErrorsDropped`. Attempts are never sent.
        ///
        /// The bus's worker evaluates the map for each report.
        public var levels: ErrorMap<SentryLevel?>
        /// The tags of an event; by default ``SentryEvent/dimensions(of:)``.
        ///
        /// Each tag must have few values: never an identifier, a message, or a path.
        public var tags: @Sendable (ErrorReport) -> [String: String]
        /// Returns an event without the data that must not leave the process.
        ///
        /// The sink calls it last, so it also receives the data that `beforeSend` has added.
        public var redact: @Sendable (SentryEvent) -> SentryEvent
        /// Returns the event to send, or nil to discard it.
        public var beforeSend: @Sendable (SentryEvent, ErrorReport) -> SentryEvent?
        /// The maximum number of events that wait to be sent, at least 1.
        ///
        /// If the queue is full, new events are discarded.
        public var capacity: Int
        /// Whether envelopes are compressed with gzip.
        public var isCompressed: Bool
        /// How long an attempt to send an event may take.
        public var timeout: Duration
        /// How often an event is sent if the network fails, and the delays between the attempts.
        ///
        /// If the server answers, the event isn't sent again, regardless of the answer.
        public var retry: RetryPolicy
        /// How long the sink sends pending events after the shutdown has begun if it runs as its own service.
        ///
        /// An `ErrorBusService` uses its own limit, `ShutdownLimits.delivery`.
        public var closingLimit: Duration
        /// Receives a warning at most once an hour if events were lost.
        public var logger: Logger

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - levels: The levels of errors, which also select the errors to send; see ``levels``.
        ///   - tags: The tags of an event.
        ///   - redact: Returns an event without the data that must not leave the process.
        ///   - beforeSend: Returns the event to send, or nil to discard it.
        ///   - capacity: The maximum number of events that wait to be sent.
        ///   - isCompressed: Whether envelopes are compressed with gzip.
        ///   - timeout: How long an attempt to send an event may take.
        ///   - retry: How often an event is sent if the network fails, and the delays between the attempts.
        ///   - closingLimit: How long the sink sends pending events at the end if it runs as its own service.
        ///   - logger: Receives a warning at most once an hour if events were lost.
        public init(
            levels: ErrorMap<SentryLevel?> = ErrorMap(),
            tags: @escaping @Sendable (ErrorReport) -> [String: String] = SentryEvent.dimensions,
            redact: @escaping @Sendable (SentryEvent) -> SentryEvent = { $0 },
            beforeSend: @escaping @Sendable (SentryEvent, ErrorReport) -> SentryEvent? = { event, _ in event },
            capacity: Int = 256,
            isCompressed: Bool = false,
            timeout: Duration = .seconds(10),
            retry: RetryPolicy = RetryPolicy(maxAttempts: 4),
            closingLimit: Duration = .seconds(3),
            logger: Logger = Logger(label: "ErrorRoutingSentry")
        ) {
            (self.levels, self.tags, self.redact, self.beforeSend) = (levels, tags, redact, beforeSend)
            (self.capacity, self.isCompressed, self.timeout) = (capacity, isCompressed, timeout)
            (self.retry, self.closingLimit, self.logger) = (retry, closingLimit, logger)
        }

        /// Returns the level at which a report is sent; nil if it isn't sent.
        func level(of report: ErrorReport) -> SentryLevel? {
            if report.role == .attempt { return nil }
            if let match = levels.match(report.error) { return match.value }
            if let level = levels[report.error] { return level }
            let isNotice = report.error is ActionFailure || report.error is ErrorsDropped
            let isUnhandled = report.role == .failure && !report.outcome.isHandled
            return isNotice || isUnhandled ? SentryLevel(report.severity) : nil
        }
    }
}
