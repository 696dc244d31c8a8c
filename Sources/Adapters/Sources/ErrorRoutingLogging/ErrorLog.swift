public import ErrorRouting
public import Logging

/// Writes reports to a swift-log logger, one entry per report.
///
/// The entry's message is the error's message, truncated to 120 characters. Its metadata is `ErrorReport.fields`, with
/// the names of OpenTelemetry's semantic conventions. It contains `exception.message` only if the message was
/// truncated. If the message already contains a cause's message, `error.trail` contains only the type of that cause.
/// The message and the underlying errors are computed once per report.
///
/// The entry's file and line are those of the post, or the route in your service's module, and swift-log's `source` is
/// that module. They never refer to an adapter.
///
/// swift-log's own `StreamLogHandler`, which is used unless you bootstrap another handler, prints metadata before the
/// message, so the message would begin after hundreds of characters. For that handler, the fields are a part of the
/// message instead; see ``Layout``.
///
/// The entry's level is the report's severity: a failure that a rule handled is a `notice`, and a failure that no rule
/// matched is an `error`. A level that `levels` returns takes precedence.
///
/// By default, the error itself isn't passed as swift-log's `error:`, because handlers print it as `"\(error)"`: a
/// string of any length and any number of lines, including the contents of the error's fields. If a handler needs the
/// error's type or value, for example to send it to a service, pass `passesErrors: true`.
public struct ErrorLog: Sendable {
    /// Where an entry contains the report's fields.
    public enum Layout: Sendable, Hashable {
        /// In the entry's metadata, for a handler that keeps messages and metadata separate.
        case metadata
        /// After the entry's message as `key=value`, for a handler that prints metadata first.
        case text
    }

    /// The maximum number of characters of an entry's message, without the fields.
    static let messageLimit = 120

    private let logger: Logger
    private let levels: ErrorMap<Logger.Level?>
    private let layout: Layout
    private let passesErrors: Bool
    private let bind: @Sendable (ErrorReport, () -> Void) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - logger: The logger for the entries.
    ///   - levels: Maps a failure to the level of its entry, or to nil if the entry's level is the failure's severity.
    ///     If the levels in your map aren't optional, convert the map: `table.map { $0 }`.
    ///   - layout: Where an entry contains the report's fields; nil for `text` if the logger's handler is swift-log's
    ///     `StreamLogHandler`, otherwise `metadata`.
    ///   - passesErrors: Whether the handler also receives the error itself, as swift-log's `error:`.
    ///   - bind: Called around each entry. `ErrorTracing.bind` from ErrorRoutingTracing binds the trace in which the
    ///     error was posted.
    public init(
        _ logger: Logger,
        levels: ErrorMap<Logger.Level?> = ErrorMap(),
        layout: Layout? = nil,
        passesErrors: Bool = false,
        within bind: @escaping @Sendable (ErrorReport, () -> Void) -> Void = { _, write in write() }
    ) {
        self.logger = logger
        self.levels = levels
        self.layout = layout ?? (logger.handler is StreamLogHandler ? .text : .metadata)
        self.passesErrors = passesErrors
        self.bind = bind
    }

    /// Writes a report's entry.
    ///
    /// A handler with ``ErrorRouting/ErrorHandler/logging(to:)`` calls it for each delivered report. Call it yourself
    /// for the reports that the bus's `shutdown` returns, because these reports weren't delivered.
    ///
    /// - Parameter report: The report to log.
    public func write(_ report: ErrorReport) {
        let level = level(of: report)
        guard level >= logger.logLevel else { return }
        var fields = report.fields { message, trail in
            var texts = message
            return trail.map { step in
                if texts.contains(step.message) { return step.typeName }
                texts += step.message
                return step.description
            }.joined(separator: " < ")
        }
        var message = fields["exception.message"] ?? ""
        // Don't count all characters, because the message can contain thousands.
        if message.dropFirst(Self.messageLimit).isEmpty {
            fields["exception.message"] = nil
        } else {
            message = "\(message.prefix(Self.messageLimit - 1))…"
        }
        bind(report) {
            switch layout {
            case .metadata: log(message, fields.mapValues { .string($0) }, level, report)
            case .text: log("\(message) \(EntryText(fields).text)", nil, level, report)
            }
        }
    }

    private func log(_ text: String, _ metadata: Logger.Metadata?, _ level: Logger.Level, _ report: ErrorReport) {
        let source = report.source
        logger.log(
            level: level, "\(text)", error: passesErrors ? report.error : nil, metadata: metadata,
            file: source.fileID, function: "", line: source.line)
    }

    /// Returns the level at which a report is logged.
    ///
    /// For a failure, it is the level that the map returns. If that is nil, or for any other report, it is the level of
    /// the report's `severity`.
    ///
    /// - Parameter report: The report to log.
    /// - Returns: The level of its entry.
    public func level(of report: ErrorReport) -> Logger.Level {
        if report.role == .failure, let level = levels[report.error] { return level }
        return Logger.Level(rawValue: report.severity.rawValue) ?? .error
    }
}

extension Logger {
    /// Logs a report at the level of its severity, like an ``ErrorLog`` of this logger.
    ///
    /// Use it for reports that no handler logs: reports that a bus's `shutdown` returns, or reports in an observer.
    ///
    /// - Parameter report: The report to log.
    public func log(_ report: ErrorReport) { ErrorLog(self).write(report) }
}

extension ErrorHandler {
    /// Logs each error after its rules have run, without any other effect.
    ///
    /// Overlay it on your rules, which shouldn't write to the log themselves:
    ///
    /// ```swift
    /// ErrorHandler()
    ///     .expecting(OrderMissing.self)
    ///     .overlaid(with: .logging(to: logger))
    /// ```
    ///
    /// - Parameters:
    ///   - logger: The logger for the entries.
    ///   - levels: Maps a failure to the level of its entry, or to nil if the entry's level is the failure's severity.
    ///     If the levels in your map aren't optional, convert the map: `table.map { $0 }`.
    /// - Returns: The handler.
    public static func logging(
        to logger: Logger,
        levels: ErrorMap<Logger.Level?> = ErrorMap()
    ) -> ErrorHandler {
        logging(to: ErrorLog(logger, levels: levels))
    }

    /// Writes each error to a log after its rules have run, without any other effect.
    ///
    /// - Parameter log: The log to write to.
    /// - Returns: The handler.
    public static func logging(to log: ErrorLog) -> ErrorHandler {
        .logging { _, report in log.write(report) }
    }
}
