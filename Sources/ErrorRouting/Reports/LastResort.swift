import BoundedDescriptions
import StandardErrorWriter

/// Writes the errors that no handler receives.
///
/// These errors are:
/// - errors that are posted without a bus, or to a bus that has finished;
/// - the pending reports of a bus that is discarded, and of every bus when the process exits;
/// - reports that the drain time limit, or a shutdown inside an action, removes;
/// - failures of actions that remain unhandled, and errors that abandoned actions and cut-off tasks throw later;
/// - errors that are posted while another error is being logged (see ``ErrorHandler/logging(_:)``).
///
/// A bus's own last resort, ``ErrorBus/Configuration/lastResort``, takes precedence over the last resort of the
/// process, which is standard error by default.
///
/// ```swift
/// LastResort.setForProcess(.standardError.redacting { report in "\(report.source)" })
/// ```
public struct LastResort: Sendable {
    /// Writes whole lines to standard error, in order, without making callers wait.
    ///
    /// A line is written immediately if no earlier line is waiting, the line fits in `PIPE_BUF` (4 KiB on Linux, 512
    /// bytes on Apple's platforms), and `poll` reports that standard error accepts output. Otherwise a separate thread
    /// writes it. A caller waits only if another process fills the pipe between `poll` and `write`, or if an unread
    /// terminal accepts only part of a line. Another process's output might split a line longer than `PIPE_BUF`.
    ///
    /// If standard error is closed when the process first uses the library, as in a daemon started with `2>&-`, lines
    /// are lost. They can't be written to descriptor 2, because the next file that the process opens receives that
    /// descriptor. If the process closes standard error later, such a file is recognized by its flag `FD_CLOEXEC`,
    /// which `dup2` doesn't set. Without the flag, the file counts as the new standard error.
    public static let standardError = LastResort { StandardError.write($0) }

    private static let process = Locked(LastResort.standardError)

    /// The receiver of an error: of its line, or of its report with the reason.
    private enum Receiver: Sendable {
        case lines(@Sendable (String) -> Void)
        case reports(@Sendable (ErrorReport, String) -> Void)
    }

    private let receiver: Receiver
    private var redact: (@Sendable (ErrorReport) -> String)?

    /// Creates a last resort that writes where you choose.
    ///
    /// - Parameter write: Receives one line for each error, without a line break, on the thread where the error
    ///   occurred. It must not block. If it posts an error itself, the line of that error contains only its type and
    ///   source.
    public init(_ write: @escaping @Sendable (_ line: String) -> Void) { receiver = .lines(write) }

    /// Creates a last resort that receives the reports themselves.
    ///
    /// Messages that don't concern a single error, such as the number of errors that were pending when the process
    /// exited, are written to standard error.
    ///
    /// - Parameter receive: Receives each report with the reason why no handler received it, on the thread where the
    ///   error occurred. It must not block. If it posts an error itself, that error's line on standard error contains
    ///   only its type and source. ``redacting(_:)`` affects only lines, not these reports.
    public init(reports receive: @escaping @Sendable (_ report: ErrorReport, _ reason: String) -> Void) {
        receiver = .reports(receive)
    }

    /// Returns the same last resort with the messages of errors redacted.
    ///
    /// - Parameter redact: Returns the string that a line contains instead of the report's message, metadata, and
    ///   trail. If it posts an error itself, the line of that error contains only its type and source.
    /// - Returns: The redacted last resort.
    public func redacting(_ redact: @escaping @Sendable (ErrorReport) -> String) -> LastResort {
        var redacted = self
        redacted.redact = redact
        return redacted
    }

    /// Sets the last resort for errors that are posted without a bus, and for buses that don't have their own.
    ///
    /// - Parameter lastResort: The last resort that the process uses from now on.
    public static func setForProcess(_ lastResort: LastResort) {
        // Release the previous last resort outside the lock: releasing it might run user code, such as a `deinit`.
        let former = process.withLock { exchange(&$0, with: lastResort) }
        withExtendedLifetime(former) {}
    }

    /// The process's last resort.
    static var ofProcess: LastResort { process.withLock { $0 } }

    /// Writes an unhandled report with a reason, unless the report has a mark: the witness handles marked reports.
    ///
    /// Returns the length of the report's line in bytes, without the newline; 0 if no line was written.
    @discardableResult
    func write(_ report: ErrorReport, because reason: String) -> Int {
        if report.mark != nil { return 0 }
        // Within user code, write only a line: a receiver that posts from there could recurse without end.
        if case .reports(let receive) = receiver, !PerThread.isInUserCode {
            PerThread.inUserCode { receive(report, reason) }
            return 0
        }
        // Don't read the message within user code: that code might post the error whose message or matcher called it.
        let fields = PerThread.isInUserCode ? report.shortLine() : report.structuredLine(redacting: redact)
        let line = "\(fields) reason=\(OneLine.quoted(reason))"
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
        write(ErrorReport(of: failure), because: "an action failed, and its failure isn't handled")
    }
}
