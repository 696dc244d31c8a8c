import BoundedDescriptions
import StandardErrorWriter

/// The place where the library itself writes errors that no handler gets.
///
/// Those are errors posted where there is no bus, or to one that has finished; reports pending in a bus that is
/// discarded; reports that a shutdown inside an action takes back; and failures of actions that nobody handles. A bus's
/// own last resort, ``ErrorBus/Configuration/lastResort``, takes precedence over the process's, which is standard error
/// unless it is set.
///
/// ```swift
/// LastResort.setForProcess(.standardError.redacting { report in "\(report.source)" })
/// ```
public struct LastResort: Sendable {
    /// Writes whole lines to standard error, in order; no caller waits for it.
    public static let standardError = LastResort { StandardError.write($0) }

    private static let process = Locked(LastResort.standardError)

    private let write: @Sendable (String) -> Void
    private var redact: (@Sendable (ErrorReport) -> String)?

    /// Makes a last resort that writes where you choose.
    ///
    /// - Parameter write: Gets one line without its end for each error, on the thread where the error occurred. It must
    ///   not block. If it posts an error itself, the line of that error names only its type and source.
    public init(_ write: @escaping @Sendable (_ line: String) -> Void) {
        self.write = write
    }

    /// Returns the same last resort with the texts of errors redacted.
    ///
    /// - Parameter redact: Returns the text for a line in place of the report's message, metadata and trail. If it
    ///   posts an error itself, the line of that error names only its type and source.
    /// - Returns: The redacted last resort.
    public func redacting(_ redact: @escaping @Sendable (ErrorReport) -> String) -> LastResort {
        var redacted = self
        redacted.redact = redact
        return redacted
    }

    /// Sets the last resort for errors posted without a bus, and for buses that have none.
    ///
    /// - Parameter lastResort: The process's last resort from now on.
    public static func setForProcess(_ lastResort: LastResort) {
        // Releasing the former one may run code of the user's (a `deinit`), so it is done outside the lock.
        let former = process.withLock { process in
            let former = process
            process = lastResort
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// The process's last resort.
    static var ofProcess: LastResort { process.withLock { $0 } }

    /// Writes a report that nobody handles, with the reason; not if it has a mark, since the bus's witness knows of it.
    func write(_ report: ErrorReport, because reason: String) {
        if report.mark != nil { return }
        write(line: "\(line(of: report).text) reason=\(OneLine.quoted(reason))")
    }

    /// Writes a line.
    func write(line: String) {
        if ErrorText.ask({ write(line) }) == nil { StandardError.write(line) }
    }

    /// Writes an action's failure that nobody handles.
    func write(_ failure: ActionFailure) {
        let report = ErrorReport(
            error: failure,
            source: failure.rule.source,
            metadata: failure.report.metadata,
            scope: failure.report.scope
        )
        write(report, because: "an action failed, and nobody handles that")
    }

    private func line(of report: ErrorReport) -> ErrorLine {
        // An error posted while a text is asked for may be the very error that is asked, so it is not asked again.
        if PerThread.isInText { return ErrorLine(naming: report) }
        return redact.map { ErrorLine(report, redacting: $0) } ?? ErrorLine(report)
    }
}
