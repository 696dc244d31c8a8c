public import ErrorRouting
public import Logging

/// Writes reports to a swift-log logger, one entry per report.
///
/// The entry's message is the error's. Its metadata is `ErrorReport.fields`, with the names of OpenTelemetry's
/// semantic conventions, without `exception.message`, which would repeat the message. If the message already contains a
/// cause, `error.trail` has only that cause's type. File and line are those of the post, and swift-log derives the
/// module from them. Message and trail are computed once per report.
///
/// The entry's level is the report's severity: a failure that a rule handled is a `notice`, and one that no rule
/// matched is an `error`. A level that `levels` returns takes precedence.
///
/// The error itself is not passed as swift-log's `error:`. Backends print it as `"\(error)"`: a string of any length
/// and any number of lines, with the contents of the error's fields.
public struct ErrorLog: Sendable {
    private let logger: Logger
    private let levels: ErrorMap<Logger.Level?>
    private let bind: @Sendable (ErrorReport, () -> Void) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - logger: The logger for the entries.
    ///   - levels: The levels of failures that matter more or less than their severity indicates; nil for errors whose
    ///     severity is right. Convert a table whose values aren't optional: `table.map { $0 }`.
    ///   - bind: Called around each entry. `ErrorTracing.bind` of ErrorRoutingTracing binds the trace in which the
    ///     error was posted.
    public init(
        _ logger: Logger,
        levels: ErrorMap<Logger.Level?> = ErrorMap(),
        within bind: @escaping @Sendable (ErrorReport, () -> Void) -> Void = { _, write in write() }
    ) {
        self.logger = logger
        self.levels = levels
        self.bind = bind
    }

    /// Writes a report's entry.
    ///
    /// A handler with ``ErrorRouting/ErrorHandler/logging(to:)`` calls it for each delivered report. Call it yourself
    /// for the reports that the bus's `shutdown` returns, because these were not delivered.
    ///
    /// - Parameter report: The report.
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
        let message = fields.removeValue(forKey: "exception.message") ?? ""
        bind(report) {
            logger.log(
                level: level, "\(message)", metadata: fields.mapValues { .string($0) },
                file: report.source.fileID, function: "", line: report.source.line)
        }
    }

    /// Returns the level for a report: for a failure, the level that the map returns; if that is nil, or for any other
    /// report, the level of its `severity`.
    ///
    /// - Parameter report: The report.
    /// - Returns: The level.
    public func level(of report: ErrorReport) -> Logger.Level {
        if report.role == .failure, let level = levels[report.error] { return level }
        return Logger.Level(rawValue: report.severity.rawValue) ?? .error
    }
}

extension Logger {
    /// Logs a report, at the level of its severity, as an ``ErrorLog`` of this logger does.
    ///
    /// Use it where no handler logs: for the reports that a bus's `shutdown` returns, or in an observer.
    ///
    /// - Parameter report: The report.
    public func log(_ report: ErrorReport) { ErrorLog(self).write(report) }
}

extension ErrorHandler {
    /// Logs each error after its rules have run, and does nothing else.
    ///
    /// Overlay it on your rules. Your rules shouldn't write to the log themselves:
    ///
    /// ```swift
    /// ErrorHandler()
    ///     .expecting(OrderMissing.self)
    ///     .overlaid(with: .logging(to: logger))
    /// ```
    ///
    /// - Parameters:
    ///   - logger: The logger for the entries.
    ///   - levels: The levels of failures that matter more or less than their severity indicates; nil for errors whose
    ///     severity is right. Convert a table whose values aren't optional: `table.map { $0 }`.
    /// - Returns: The handler.
    public static func logging(
        to logger: Logger,
        levels: ErrorMap<Logger.Level?> = ErrorMap()
    ) -> ErrorHandler {
        logging(to: ErrorLog(logger, levels: levels))
    }

    /// Writes each error to a log after its rules have run, and does nothing else.
    ///
    /// - Parameter log: The log.
    /// - Returns: The handler.
    public static func logging(to log: ErrorLog) -> ErrorHandler {
        .logging { _, report in log.write(report) }
    }
}
