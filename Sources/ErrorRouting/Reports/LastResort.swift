/// Where the library writes by itself: what nobody is left to handle.
///
/// That is what is posted where there is no bus, or to one that has finished; what a bus holds that is discarded; what
/// a shutdown inside an action takes back; and an action's failure that nobody handles. A bus's own,
/// ``ErrorBus/Configuration/lastResort``, goes before the process's, which is standard error unless it is set.
///
/// ```swift
/// LastResort.setForProcess(.standardError.redacting { report in "\(report.source)" })
/// ```
public struct LastResort: Sendable {
    /// Standard error: whole lines, in order, and nobody waits for it.
    public static let standardError = LastResort { StandardError.write($0) }

    private static let process = Locked(LastResort.standardError)

    private let write: @Sendable (String) -> Void
    private var redact: (@Sendable (ErrorReport) -> String)?

    /// Writes to a place of one's own.
    ///
    /// - Parameter write: Gets one line without its end for each error, on whatever thread the error came. It must not
    ///   wait for what may not come. An error that it posts itself is only named.
    public init(_ write: @escaping @Sendable (_ line: String) -> Void) {
        self.write = write
    }

    /// The same place, with what errors say redacted.
    ///
    /// - Parameter redact: Returns what stands in a line in place of the report's message, metadata and trail. A report
    ///   that comes from within it has its type's name alone.
    /// - Returns: The redacted last resort.
    public func redacting(_ redact: @escaping @Sendable (ErrorReport) -> String) -> LastResort {
        var redacted = self
        redacted.redact = redact
        return redacted
    }

    /// Sets what counts where there is no bus, and for buses that have no last resort of their own.
    ///
    /// - Parameter lastResort: The process's from now on.
    public static func setForProcess(_ lastResort: LastResort) {
        // What is let go may run code of the user's, and must not end under the lock.
        let former = process.withLock { process in
            let former = process
            process = lastResort
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// The process's.
    static var ofProcess: LastResort { process.withLock { $0 } }

    /// Writes a report that nobody handles, and why.
    ///
    /// An error that is posted while a text is asked for may be the one that is asked: then it is only named.
    func write(_ report: ErrorReport, because reason: String) {
        let line = "\(line(of: report).text) reason=\(OneLine.quoted(reason))"
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
        if ErrorText.isAsking { return ErrorLine(naming: report) }
        guard let redact else { return ErrorLine(report) }
        return ErrorText.ask { ErrorLine(report, saying: redact(report)) } ?? ErrorLine(naming: report)
    }
}
