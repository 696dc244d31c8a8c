public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// The one error type that ``APIClient`` throws: everything that can go wrong, from the URL to the decoded response.
///
/// The cause is an underlying error: `ErrorMatcher.anywhere(.type(GitHubError.self))` finds the service's own error.
/// The texts for people are in English and Japanese. The ``description`` is for logs, and contains no URL, header field
/// or body.
public struct NetworkError: Error {
    /// What went wrong; for rules, and for labels of metrics.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        // The order is that of `NetworkError.errorCode`: a new kind goes to the end.

        /// The URL is not valid.
        case invalidURL
        /// The request cannot be encoded.
        case encoding
        /// This device has no network, or is not allowed to use it.
        case networkUnavailable
        /// No response came in time, or the status is 408 or 504.
        case timeout
        /// The task was cancelled.
        case cancelled
        /// The server could not be connected to, the connection was lost, or the session or client was shut down.
        case connection
        /// The response is not valid HTTP, or redirects without end.
        case invalidResponse
        /// Status 401: the request is not authenticated; or a person cancelled the authentication.
        case unauthorized
        /// Status 403: the user has no permission.
        case forbidden
        /// Status 404: the resource does not exist.
        case notFound
        /// Another status that is not a success; most mean that the request is wrong.
        case http
        /// A status from 500 to 599, except 504; or a circuit refused the request because the server had failed.
        case server
        /// The response is empty, although a value was expected.
        case noData
        /// The body cannot be decoded; the cause, a `DecodingError`, says where.
        case decoding
        /// The content type, the ``NetworkError/detail``, is not one that the request accepts.
        case unexpectedContentType
        /// The body of a success, which is decoded, is longer than the transport's limit.
        case bodyTooLarge
        /// The service's own error, which is the cause.
        case service
        /// Any other error, which is the cause.
        case unknown
    }

    /// What went wrong.
    public let kind: Kind
    /// The error that caused this one: a `URLError`, a `DecodingError`, the service's own error.
    public private(set) var cause: (any Error)?
    /// The response that the error comes from; nil if there was none.
    public let failure: HTTPFailure?
    /// What was wrong, in a few words: the limit that was exceeded, the content type, the URL without its query.
    public let detail: String?
    /// Whether sending the request again cannot repeat an effect.
    ///
    /// False for an error that an ``APIClient`` throws for a request that is not idempotent and has no
    /// ``APIRequest/idempotencyKey``, unless the server has not processed it: it never reached the server, or the status
    /// is 429.
    public internal(set) var mayBeSentAgain: Bool
    /// Whether the request may be sent again only as the same message, by a key among its headers, which the next call
    /// of `send` may compute anew.
    var dependsOnKey = false
    private let isUnsent: Bool

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - cause: The error that caused this one; one of Foundation's is kept without what may be secret.
    ///   - failure: The response that the error comes from.
    ///   - detail: What was wrong, in a few words without secrets: descriptions contain it.
    ///   - mayBeSentAgain: Whether sending the request again cannot repeat an effect.
    ///   - neverReachedServer: Whether the server has certainly not received the request, although neither kind nor cause
    ///     says so. Transports pass it, for example for a stream that an HTTP/2 server has refused.
    public init(
        _ kind: Kind,
        cause: (any Error)? = nil,
        failure: HTTPFailure? = nil,
        detail: String? = nil,
        mayBeSentAgain: Bool = true,
        neverReachedServer: Bool = false
    ) {
        self.kind = kind
        self.cause = cause.map { withoutSecrets($0) }
        self.failure = failure
        self.detail = detail
        self.mayBeSentAgain = mayBeSentAgain
        isUnsent = neverReachedServer
    }

    /// Returns the error without a base's path in the URLs of its cause.
    func hiding(_ basePath: String) -> NetworkError {
        var error = self
        if !basePath.isEmpty { error.cause = cause.map { withoutSecrets($0, below: basePath) } }
        return error
    }

    /// Returns the service's own error, if it has a type.
    ///
    /// - Parameter type: The error's type.
    /// - Returns: The error; nil if there is none, or if it has another type.
    public func service<E: Error>(as type: E.Type) -> E? {
        kind == .service ? cause.flatMap(ErrorMatcher.type(type).match) : nil
    }

    /// Whether the server has certainly not received the request.
    ///
    /// False if that is not known: the request may have been sent before a connection was lost.
    public var neverReachedServer: Bool {
        if isUnsent { return true }
        return switch kind {
        case .invalidURL, .encoding, .networkUnavailable: true
        case .timeout: cause is NoTimeLeft
        case .connection: (cause as? URLError).map { Self.codesBeforeSending.contains($0.errorCode) } ?? false
        case .server: isRefusal
        default: false
        }
    }

    /// Whether a circuit within the transport has not let the request through.
    var isRefusal: Bool { kind == .server && failure == nil && cause is CircuitOpen }
}

extension NetworkError: UnderlyingErrors {
    /// The cause and the response, if there are any.
    public var underlyingErrors: [any Error] {
        [cause, failure].compactMap { (error: (any Error)?) in error }
    }
}

extension NetworkError: RetryClassified, RetryAfterProviding, CancellationConvertible {
    /// What the cause says if it is a service's or an unknown error, and `RetryClassified`; else the errors of
    /// `ErrorMatcher.transient` are retried.
    public var retryDecision: RetryDecision {
        guard mayBeSentAgain else { return .fail }
        if kind == .service || kind == .unknown, let cause = cause.flatMap(Self.classified.match) {
            return cause.retryDecision
        }
        return isTransient ? .retry() : .fail
    }

    /// Whether the request must not be sent again, whatever the rules say; see ``mayBeSentAgain``.
    public var forbidsRetry: Bool { !mayBeSentAgain }

    /// The hint of the cause, or else of the response's `Retry-After`.
    public var retryAfter: Duration? { cause.flatMap(Self.hinting.match)?.retryAfter ?? failure?.retryAfter }

    /// Whether the kind is `cancelled`.
    public var isCancellation: Bool { kind == .cancelled }

    /// Whether the error may be temporary, and sending the request again cannot repeat an effect.
    var isTransient: Bool {
        guard mayBeSentAgain else { return false }
        return switch kind {
        case .timeout: true
        case .connection: (cause as? URLError).map { !Self.permanentCodes.contains($0.errorCode) } ?? true
        default: failure.map { Self.transientStatuses.contains($0.status) } ?? false
        }
    }

    private static let classified = ErrorMatcher.conforming(to: (any RetryClassified).self)
    private static let hinting = ErrorMatcher.conforming(to: (any RetryAfterProviding).self)
    private static let transientStatuses: Set = [408, 425, 429, 500, 502, 503, 504]
}

extension NetworkError: CustomNSError {
    /// The kind's number, by which reports are grouped, as they are by an enum's case.
    public var errorCode: Int { Kind.allCases.firstIndex(of: kind) ?? -1 }

    /// The texts for people, which Foundation would otherwise not take from a `CustomNSError`.
    public var errorUserInfo: [String: Any] {
        let texts = [
            NSLocalizedDescriptionKey: errorDescription, NSLocalizedRecoverySuggestionErrorKey: recoverySuggestion,
        ]
        return texts.compactMapValues { $0 }
    }
}

extension NetworkError: SecretHolding {
    /// The kind, with the cause's code or type, the detail, and the status; for logs, in English.
    public var description: String {
        // The content type is a header's value, which descriptions do not contain.
        let detail = kind == .unexpectedContentType ? nil : detail
        let parts = [kind.rawValue, cause.map(Self.name), detail, failure?.description]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// A mirror with the kind alone, so that reflection prints no more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue]) }

    private static func name(of error: any Error) -> String {
        (error as? URLError).map { "URLError \($0.errorCode)" } ?? "\(type(of: error))"
    }
}
