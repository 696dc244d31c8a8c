import StandardErrorWriter

extension ErrorHandler {
    /// The library's preset: ``standardError``.
    ///
    /// An application can declare its own preset under this name. Where its declaration is visible, `.default` means
    /// the application's preset. In other modules, `.default` means the library's preset, and the compiler doesn't
    /// warn. So if several modules share a preset, declare it `public` in a module that all of them import. To find out
    /// which preset a handler is, use `print(handler)`, which shows the file in which each rule was registered. An
    /// application's preset can extend the library's preset by that preset's other name:
    ///
    /// ```swift
    /// extension ErrorHandler {
    ///     public static let `default` = ErrorHandler.standardError.on(PaymentError.self) { … }
    /// }
    /// ```
    @_disfavoredOverload  // Prefer an application's own `default`.
    public static var `default`: ErrorHandler { .standardError }

    /// Ignores errors that ``ErrorMatcher/cancellation`` matches, and writes unmatched errors to standard error.
    ///
    /// Each error is one line. The line contains the error's type and message, its domain and code if it defines them,
    /// its source, scope, metadata, occurrences, and trail, which is the list of its underlying errors. Line breaks,
    /// control characters, and characters that are invisible or reorder text are escaped. A string of more than 16 KiB
    /// is truncated and ends in `…`.
    public static let standardError = standardError(redactingIfNeeded: nil)

    /// Returns ``standardError`` with the messages of errors redacted, like ``LastResort/redacting(_:)``.
    ///
    /// - Parameter redact: Returns the string that a line contains instead of the report's message, metadata, and
    ///   trail. If it posts an error itself, the line of that error contains only its type and source.
    /// - Returns: The redacted preset.
    public static func standardError(
        redacting redact: @escaping @Sendable (ErrorReport) -> String
    ) -> ErrorHandler {
        standardError(redactingIfNeeded: redact)
    }

    private static func standardError(
        redactingIfNeeded redact: (@Sendable (ErrorReport) -> String)?
    ) -> ErrorHandler {
        ErrorHandler()
            .ignore(matching: .cancellation)
            .onNoMatch { _, report in
                StandardError.write(report.structuredLine(redacting: redact))
                return .stop
            }
    }

    /// Passes each error with its report to a closure and does nothing else.
    ///
    /// It is an `always` action that returns `.next`. Pass it to a bus alone, or overlay it on the rules whose results
    /// it must log, so that it runs before an `always` action of these rules can return `.stop`. Derive the level from
    /// ``ErrorReport/severity``, which depends on the report's role and outcome:
    ///
    /// ```swift
    /// rules.overlaid(with: .logging { error, report in
    ///     logger.log(level: .init(rawValue: report.severity.rawValue) ?? .error, "\(report.message)")
    /// })
    /// ```
    ///
    /// If the closure itself posts an error, for example because the log's file can't be written, that error is
    /// delivered like any other. However, `logging` presets don't pass it to their closures, because otherwise logging
    /// might never stop. The last resort receives the error's line instead. This applies to posts from the thread that
    /// calls the closure, until the closure returns. If your log writes on another thread, that thread must not post an
    /// error for each error that it logs.
    ///
    /// - Parameter log: Called after the rules, with the error and its report, which shows the outcome so far.
    /// - Returns: The logging preset.
    public static func logging(
        _ log: @escaping @Sendable (_ error: any Error, _ report: ErrorReport) -> Void
    ) -> ErrorHandler {
        ErrorHandler().always { error, report in
            report.logged { log(error, report) }
            return .next
        }
    }
}
