import StandardErrorWriter

extension ErrorHandler {
    /// The library's preset: ``standardError``.
    ///
    /// An application can declare its own preset under this name. Where its declaration is visible, `.default` means
    /// the application's preset; in other modules it means the library's, without a warning. So declare a preset for
    /// several modules `public`, in a module that all of them import. `print(handler)` names the file in which each
    /// rule was registered, so it shows which preset a handler is. An application's preset can extend the library's by
    /// its other name:
    ///
    /// ```swift
    /// extension ErrorHandler {
    ///     public static let `default` = ErrorHandler.standardError.on(PaymentError.self) { … }
    /// }
    /// ```
    @_disfavoredOverload  // Prefer an application's own `default`.
    public static var `default`: ErrorHandler { .standardError }

    /// Ignores errors that ``ErrorMatcher/cancellation`` matches, and writes errors that no rule matched to standard
    /// error, one line each.
    ///
    /// The line has the error's type and message, its domain and code if it defines them, its source, scope, metadata,
    /// occurrences, and trail: the underlying errors. Line breaks, control characters, and characters that are
    /// invisible or reorder text are escaped, so that every error is one line. A text of more than 16 KiB is truncated,
    /// and ends in `…`.
    public static var standardError: ErrorHandler { plainStandardError }

    /// Cached, so that its rules are compiled once.
    private static let plainStandardError = standardError { ErrorLine($0) }

    /// The preset ``standardError`` with the texts of errors redacted, as by ``LastResort/redacting(_:)``.
    ///
    /// - Parameter redact: Returns the text for a line instead of the report's message, metadata, and trail. If it
    ///   posts an error itself, the line of that error names only its type and source.
    /// - Returns: The preset.
    public static func standardError(
        redacting redact: @escaping @Sendable (ErrorReport) -> String
    ) -> ErrorHandler {
        standardError { ErrorLine($0, redacting: redact) }
    }

    private static func standardError(_ line: @escaping @Sendable (ErrorReport) -> ErrorLine) -> ErrorHandler {
        ErrorHandler()
            .ignore(matching: .cancellation)
            .onNoMatch { _, report in
                StandardError.write(line(report).text)
                return .stop
            }
    }

    /// Passes each error, with its report, to a closure, and does nothing else.
    ///
    /// It is an `always` action that returns `.next`. Pass it to a bus alone, or overlay it on the rules that it must
    /// log. Then it runs before an `always` action of the rules that stops. The level follows from the report's role
    /// and outcome, as ``ErrorReport/severity`` says:
    ///
    /// ```swift
    /// rules.overlaid(with: .logging { error, report in
    ///     logger.log(level: .init(rawValue: report.severity.rawValue) ?? .error, "\(report.message)")
    /// })
    /// ```
    ///
    /// An error that the closure itself posts, for example because the log's file can't be written, is delivered like
    /// any other, but no `logging` preset passes it to its closure: the log would never stop. The last resort receives
    /// its line instead. This applies to posts of the thread that calls the closure, until the closure returns. If your
    /// log writes on another thread, that thread must not post an error for each error that it logs.
    ///
    /// - Parameter log: Called after the rules, with the error and its report, which carries the outcome so far.
    /// - Returns: The preset.
    public static func logging(
        _ log: @escaping @Sendable (_ error: any Error, _ report: ErrorReport) -> Void
    ) -> ErrorHandler {
        ErrorHandler().always { error, report in
            guard let entry = report.beginLog() else { return .next }
            log(error, report)
            PerThread.leaveLog(entry)
            return .next
        }
    }
}
