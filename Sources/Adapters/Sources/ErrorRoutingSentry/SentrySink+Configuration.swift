public import ErrorRecovery
public import ErrorRouting
public import Logging

extension SentrySink {
    /// What a sink sends, and how.
    public struct Configuration: Sendable {
        /// The levels of errors, and the choice of what is sent.
        ///
        /// An error for which a rule of the map returns a level is always sent, with this level, even if a rule of the
        /// bus handled it. An error for which a rule returns nil is never sent. If no rule matches, the map's default
        /// applies if it isn't nil. Otherwise these are sent, with the level of their severity: failures that no rule
        /// handled, an `ActionFailure`, and an `ErrorsDropped`. Attempts are never sent.
        ///
        /// The bus's worker reads the map for each report.
        public var levels: ErrorMap<SentryLevel?>
        /// The tags of an event; by default ``SentryEvent/dimensions(of:)``.
        ///
        /// Each tag must have few values: never an identifier, a message, or a path.
        public var tags: @Sendable (ErrorReport) -> [String: String]
        /// Returns an event without what must not leave the process.
        ///
        /// The sink calls it last, so it also receives what `beforeSend` has added.
        public var redact: @Sendable (SentryEvent) -> SentryEvent
        /// Returns the event to send, or nil to discard it.
        public var beforeSend: @Sendable (SentryEvent, ErrorReport) -> SentryEvent?
        /// The maximum number of events that wait to be sent, at least 1; a full queue discards the newest event.
        public var capacity: Int
        /// Whether envelopes are compressed with gzip.
        public var isCompressed: Bool
        /// How long an attempt to send an event can take.
        public var timeout: Duration
        /// How often an event is sent if the network fails, and the delays in between.
        ///
        /// If the server answers, the event isn't sent again, whatever the answer is.
        public var retry: RetryPolicy
        /// How long the sink, as a service of its own, sends pending events after the shutdown has begun.
        ///
        /// An `ErrorBusService` uses its own limit, `ShutdownLimits.delivery`.
        public var closingLimit: Duration
        /// Receives a warning at most once an hour if events were lost.
        public var logger: Logger

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - levels: The levels of errors, and the choice of what is sent; see ``levels``.
        ///   - tags: The tags of an event.
        ///   - redact: Returns an event without what must not leave the process.
        ///   - beforeSend: Returns the event to send, or nil to discard it.
        ///   - capacity: The maximum number of events that wait to be sent.
        ///   - isCompressed: Whether envelopes are compressed with gzip.
        ///   - timeout: How long an attempt to send an event can take.
        ///   - retry: How often an event is sent if the network fails.
        ///   - closingLimit: How long the sink, as a service of its own, sends pending events at the end.
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

        /// Returns the level with which a report is sent; nil if it isn't sent.
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
