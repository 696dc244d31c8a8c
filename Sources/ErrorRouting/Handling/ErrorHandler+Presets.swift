extension ErrorHandler {
    /// The library's preset: ``standardError``.
    ///
    /// An application declares its own under the same name, which then wins, in its tests too; it builds on the
    /// library's under its other name:
    ///
    /// ```swift
    /// extension ErrorHandler {
    ///     static var `default`: ErrorHandler {
    ///         .standardError.overlaid(with: ErrorHandler().on(PaymentError.self) { … })
    ///     }
    /// }
    /// ```
    @_disfavoredOverload
    public static var `default`: ErrorHandler { .standardError }

    /// The library's preset with messages and metadata redacted; see ``standardError(redacting:)``.
    ///
    /// - Parameter redact: Returns what is printed in place of a text.
    /// - Returns: The preset.
    @_disfavoredOverload
    public static func `default`(
        redacting redact: @escaping @Sendable (_ text: String, _ field: RedactableField) -> String
    ) -> ErrorHandler {
        standardError(redacting: redact)
    }

    /// Ignores what ``ErrorMatcher/cancellation`` matches, and writes an error that no rule matched to standard error,
    /// as one line.
    ///
    /// The line has the error's type and message, domain and code where it has its own, source, scope, metadata,
    /// occurrences, and the trail: the errors under it. Line breaks, control characters, and what is not shown or
    /// reorders text are escaped: one error is one line, whatever it says of itself. A text of more than 16 KiB is cut,
    /// and ends in `…`.
    public static var standardError: ErrorHandler { standardError { text, _ in text } }

    /// The preset ``standardError`` with messages and metadata redacted.
    ///
    /// - Parameter redact: Returns what is printed in place of a text; called for the message, each metadata
    ///   value, and the message of each error of the trail. It gets them whole; what it returns is escaped and cut.
    /// - Returns: The preset.
    public static func standardError(
        redacting redact: @escaping @Sendable (_ text: String, _ field: RedactableField) -> String
    ) -> ErrorHandler {
        ErrorHandler()
            .ignore(matching: .cancellation)
            .onNoMatch { _, report in
                let line = ErrorLine(report) { text, field in redact(text, RedactableField(field)) }
                StandardError.write(line.text)
                return .stop
            }
    }

    /// Hands each error, with its report, to a closure, and does nothing else.
    ///
    /// It is an `always` action that returns `.next`: overlay it on a preset, or overlay a preset on it.
    ///
    /// ```swift
    /// ErrorHandler.default.overlaid(with: .logging { error, report in
    ///     logger.log(level: report.outcome.isHandled ? .info : .error, "\(error)")
    /// })
    /// ```
    ///
    /// - Parameter log: Called after the rules, with the error, and its report, which has what became of it so far.
    /// - Returns: The preset.
    public static func logging(
        _ log: @escaping @Sendable (_ error: any Error, _ report: ErrorReport) -> Void
    ) -> ErrorHandler {
        ErrorHandler().always { error, report in
            log(error, report)
            return .next
        }
    }

    /// A text of a report that may have to be redacted.
    public enum RedactableField: Sendable, Hashable {
        /// What the error says of itself.
        case message
        /// What the poster gave along under a key.
        case metadata(key: String)

        init(_ field: ErrorLine.Field) {
            self =
                switch field {
                case .message: .message
                case .metadata(let key): .metadata(key: key)
                }
        }
    }
}
