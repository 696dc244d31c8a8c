public import ErrorRouting
public import Foundation

/// An event as it is sent to Sentry: one report with its strings.
///
/// `redact` and `beforeSend` of ``SentrySink/Configuration`` can change it. It doesn't contain HTTP headers or bodies,
/// unless your errors' messages or metadata contain them. Anything that exceeds Sentry's limits is truncated before it
/// is sent.
public struct SentryEvent: Sendable, Hashable {
    /// The posted error or one of its underlying errors.
    public struct Exception: Sendable, Hashable {
        /// The type without its module, with the error's kind, such as `PaymentError.declined`.
        public var type: String
        /// The error's message.
        public var value: String
        /// The module of the type, such as `Shop`.
        public var module: String?
        /// The domain of an `NSError`, or of an error that is bridged to one; nil if the error doesn't define a domain.
        public var domain: String?
        /// The code in the domain.
        public var code: Int?
        /// Where the error was thrown, starting with the innermost frame.
        public var frames: [ErrorOrigin.Frame] = []
    }

    /// The trace in which the error was posted.
    public struct Trace: Sendable, Hashable {
        /// The trace's identifier, 32 hexadecimal digits.
        public let traceID: String
        /// The span's identifier, 16 hexadecimal digits.
        public let spanID: String
    }

    /// The event's identifier, 32 hexadecimal digits; Sentry stores only one event per identifier.
    public let id: String
    /// When the error was posted.
    public var timestamp: Date
    /// The level in Sentry.
    public var level: SentryLevel
    /// The module that posted the error.
    public var logger: String
    /// The scope, such as `GET /orders/{id}`; nil outside of a scope.
    public var transaction: String?
    /// The name of the host.
    public let serverName: String?
    /// The program's version.
    public let release: String?
    /// The environment, such as `production`.
    public let environment: String
    /// The strings by which Sentry groups events: the report's fingerprint.
    public var fingerprint: [String]
    /// The dimensions to search by, with few values each.
    public var tags: [String: String]
    /// The report's metadata, and other fields of the report, such as `error.source`.
    public var extra: [String: String]
    /// The trace; nil if the report's metadata doesn't contain `traceparent`.
    public var trace: Trace?
    /// The posted error, followed by its underlying errors.
    public var exceptions: [Exception]
    /// Whether a rule handled or ignored the error.
    public var isHandled: Bool
}

extension SentryEvent.Trace {
    /// Creates a trace from a W3C `traceparent` value; nil if it is invalid.
    ///
    /// - Parameter text: The value, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    public init?(traceparent text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // Accept further parts, because a later version can contain more.
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff" else { return nil }
        func isIdentifier(_ text: Substring, _ length: Int) -> Bool {
            let digits = text.utf8
            let isHexadecimal = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            return digits.count == length && isHexadecimal && digits.contains { $0 != 0x30 }
        }
        guard isIdentifier(parts[1], 32), isIdentifier(parts[2], 16) else { return nil }
        (traceID, spanID) = (String(parts[1]), String(parts[2]))
    }
}
