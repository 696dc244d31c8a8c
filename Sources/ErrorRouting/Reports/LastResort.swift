import BoundedDescriptions
import StandardErrorWriter

/// Writes the errors that no handler receives.
///
/// It writes errors that are posted without a bus, or to a bus that has finished; the pending reports of a bus that is
/// discarded, and those of every bus when the process exits; reports that a shutdown inside an action removes; failures
/// of actions that remain unhandled; and errors that a log posts (see ``ErrorHandler/logging(_:)``). A bus's own last
/// resort, ``ErrorBus/Configuration/lastResort``, takes precedence over the process's. The process's is standard error
/// by default.
///
/// ```swift
/// LastResort.setForProcess(.standardError.redacting { report in "\(report.source)" })
/// ```
public struct LastResort: Sendable {
    /// Writes whole lines to standard error, in order; no caller waits for it.
    public static let standardError = LastResort { StandardError.write($0) }

    private static let process = Locked(LastResort.standardError)

    /// What receives an error: its line, or its report with the reason.
    private enum Receiver: Sendable {
        case lines(@Sendable (String) -> Void)
        case reports(@Sendable (ErrorReport, String) -> Void)
    }

    private let receiver: Receiver
    private var redact: (@Sendable (ErrorReport) -> String)?

    /// Creates a last resort that writes where you choose.
    ///
    /// - Parameter write: Receives one line without its end for each error, on the thread where the error occurred. It
    ///   must not block. If it posts an error itself, the line of that error names only its type and source.
    public init(_ write: @escaping @Sendable (_ line: String) -> Void) { receiver = .lines(write) }

    /// Creates a last resort that receives the reports themselves.
    ///
    /// Messages that concern no single error, such as the number of errors that were pending when the process exited,
    /// are written to standard error.
    ///
    /// - Parameter receive: Receives each report with the reason why no handler received it, on the thread where the
    ///   error occurred. It must not block. If it posts an error itself, that error's line on standard error names only
    ///   its type and source. ``redacting(_:)`` has no effect on the reports, only on lines.
    public init(reports receive: @escaping @Sendable (_ report: ErrorReport, _ reason: String) -> Void) {
        receiver = .reports(receive)
    }

    /// Returns the same last resort with the texts of errors redacted.
    ///
    /// - Parameter redact: Returns the string for a line instead of the report's message, metadata, and trail. If it
    ///   posts an error itself, the line of that error names only its type and source.
    /// - Returns: The redacted last resort.
    public func redacting(_ redact: @escaping @Sendable (ErrorReport) -> String) -> LastResort {
        var redacted = self
        redacted.redact = redact
        return redacted
    }

    /// Sets the last resort for errors that are posted without a bus, and for buses that have none.
    ///
    /// - Parameter lastResort: The process's last resort from now on.
    public static func setForProcess(_ lastResort: LastResort) {
        // Release the previous one outside the lock: that might run user code, such as a `deinit`.
        let former = process.withLock { exchange(&$0, with: lastResort) }
        withExtendedLifetime(former) {}
    }

    /// The process's last resort.
    static var ofProcess: LastResort { process.withLock { $0 } }

    /// Writes an unhandled report, with the reason; skips a report with a mark, because the bus's witness has it.
    ///
    /// - Returns: The length of its line, without what is added to each line; 0 if it has none.
    @discardableResult
    func write(_ report: ErrorReport, because reason: String) -> Int {
        if report.mark != nil { return 0 }
        // A receiver that posts from within user code could recurse without end: such an error has only a line.
        if case .reports(let receive) = receiver, !PerThread.isInUserCode,
            PerThread.inUserCode({ receive(report, reason) }) != nil
        {
            return 0
        }
        let line = "\(line(of: report).text) reason=\(OneLine.quoted(reason))"
        write(line: line)
        return line.utf8.count
    }

    /// Writes a line.
    func write(line: String) {
        guard case .lines(let write) = receiver, PerThread.inUserCode({ write(line) }) != nil else {
            return StandardError.write(line)
        }
    }

    /// Writes an action's failure that remains unhandled.
    func write(_ failure: ActionFailure) {
        let report = ErrorReport(
            error: failure,
            source: failure.rule.source,
            metadata: failure.report.givenMetadata,
            scope: failure.report.scope
        )
        write(report, because: "an action failed, and nobody handles that")
    }

    private func line(of report: ErrorReport) -> ErrorLine {
        // Don't read the message: user code might post the error whose message or matcher called it.
        if PerThread.isInUserCode { return ErrorLine(naming: report) }
        return redact.map { ErrorLine(report, redacting: $0) } ?? ErrorLine(report)
    }
}
