public import ErrorRecovery
public import ErrorRouting
import Foundation

/// The only error type that ``APIClient`` throws: any failure, from building the URL to decoding the response.
///
/// The cause is an underlying error: `ErrorMatcher.causedBy(GitHubError.self)` finds the service's own error. The
/// messages for users are in English and Japanese. The ``description`` is for logs: it doesn't contain header fields or
/// a body, and the only URL that it can contain is an invalid base URL, without its path and query.
///
/// If an ``APIClient`` threw the error, `ErrorReport.metadata` contains the request wherever the error is posted:
/// `http.request.method`, `server.address`, and `url.path`, and `http.response.status_code` if there was a response.
/// The path is the request's own, in at most 256 bytes, without the path of the client's base and without the query. If
/// the report already contains one of these keys, as in the scope of a server request, all of them have the prefix
/// `upstream.`.
public struct NetworkError: Error {
    /// What went wrong; for rules and metric labels.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// The URL isn't valid.
        case invalidURL
        /// The request can't be encoded.
        case encoding
        /// This device has no network, or isn't allowed to use it.
        case networkUnavailable
        /// No response arrived in time, or the status is 408, 504, 522, or 524.
        case timeout
        /// The task was cancelled.
        case cancelled
        /// The client couldn't connect to the server, the connection was lost, or the session or client was shut down.
        case connection
        /// The response isn't valid HTTP, or there were too many redirects.
        case invalidResponse
        /// Status 401, because the request isn't authenticated, or the user cancelled the authentication.
        case unauthorized
        /// Status 403: the user doesn't have permission.
        case forbidden
        /// Status 404: the resource doesn't exist.
        case notFound
        /// Another status that isn't a success, which usually means that the request is wrong.
        case http
        /// Another status from 500 to 599, or a circuit refused the request because the server had failed.
        case server
        /// The response is empty, although a value was expected.
        case noData
        /// The body can't be decoded. The cause, a `DecodingError`, contains the coding path.
        case decoding
        /// The response has a content type that the request doesn't accept; see ``NetworkError/detail``.
        case unexpectedContentType
        /// The body of a successful response must be decoded, but exceeds the transport's limit.
        case bodyTooLarge
        /// The service's own error, which is the cause.
        case service
        /// Any other error, which is the cause.
        case unknown
    }

    /// What went wrong.
    public let kind: Kind
    /// The error that caused this error: for example, a `URLError`, a `DecodingError`, or the service's own error.
    public private(set) var cause: (any Error)?
    /// The response that caused the error; nil if there was no response.
    public let failure: HTTPFailure?
    /// What was wrong, in a few words: for example, the exceeded limit, the content type, or an invalid URL without its
    /// query.
    public let detail: String?
    /// Whether sending the request again can't repeat an effect.
    ///
    /// An ``APIClient`` sets it to false for a request that isn't idempotent and has no ``APIRequest/idempotencyKey``,
    /// unless the server didn't process the request: the request never reached the server, or the status is 429.
    public internal(set) var mayBeSentAgain: Bool
    /// Whether only the same message may be sent again, because the key is among its headers.
    ///
    /// The next call of `send` might compute a different key.
    var dependsOnKey = false
    /// The client's request; nil if a client didn't throw the error.
    var request: FailedRequest?
    private let isUnsent: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - cause: The error that caused this error. Foundation's errors are stored without possible secrets.
    ///   - failure: The response that caused the error.
    ///   - detail: What was wrong, in a few words. It must not contain secrets, because descriptions contain it.
    ///   - mayBeSentAgain: Whether sending the request again can't repeat an effect.
    ///   - neverReachedServer: Whether the server has certainly not received the request, even if neither the kind nor
    ///     the cause implies it. For example, a transport passes true for a stream that an HTTP/2 server refused.
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

    /// Returns the error without the base path in the URLs of its cause.
    func hiding(_ basePath: String) -> NetworkError {
        var error = self
        if !basePath.isEmpty { error.cause = cause.map { withoutSecrets($0, below: basePath) } }
        return error
    }

    /// Returns the service's own error if it has a given type.
    ///
    /// - Parameter type: The type of the service's error.
    /// - Returns: The error; nil if this isn't an error of kind `service`, or if the error has another type.
    public func service<E: Error>(as type: E.Type) -> E? {
        kind == .service ? cause.flatMap(ErrorMatcher.type(type).match) : nil
    }

    /// Whether the server has certainly not received the request.
    ///
    /// It is false if that is unknown: the request might have been sent before a connection was lost.
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

    /// Whether a circuit within the transport refused the request.
    var isRefusal: Bool { kind == .server && failure == nil && cause is CircuitOpen }
}

extension NetworkError: UnderlyingErrorsProviding {
    /// The cause and the response, if they exist.
    public var underlyingErrors: [any Error] {
        [cause, failure].compactMap { (error: (any Error)?) in error }
    }
}

extension NetworkError: RetryClassified, RetryAfterProviding, CancellationConvertible {
    /// The cause's decision if the kind is `service` or `unknown` and the cause is `RetryClassified`.
    ///
    /// Otherwise, errors that match `ErrorMatcher.transient` are retried. An error whose request must not be sent again
    /// is never retried.
    public var retryDecision: RetryDecision {
        guard mayBeSentAgain else { return .fail }
        if kind == .service || kind == .unknown, let cause = cause.flatMap(Self.classified.match) {
            return cause.retryDecision
        }
        return isTransient ? .retry() : .fail
    }

    /// Whether the request must not be sent again, regardless of the rules; see ``mayBeSentAgain``.
    public var forbidsRetry: Bool { !mayBeSentAgain }

    /// The cause's hint or, if the cause doesn't have one, the response's `Retry-After`.
    public var retryAfter: Duration? { cause.flatMap(Self.hinting.match)?.retryAfter ?? failure?.retryAfter }

    /// Whether the kind is `cancelled`.
    public var isCancellation: Bool { kind == .cancelled }

    /// Whether the error might be temporary and sending the request again can't repeat an effect.
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
    /// Whether the error indicates that the service is down, regardless of the request.
    var isOutage: Bool {
        // Check the status too, because a service's own error has the kind `service`.
        switch failure.map({ NetworkError($0).kind }) ?? kind {
        case .server: true
        case .timeout: !(cause is NoTimeLeft)
        case .connection: !isClosedHere
        default: false
        }
    }

    /// Whether this program closed the connection: its client or session was shut down, or refused a challenge.
    var isClosedHere: Bool { kind == .connection && (cause as? URLError)?.errorCode == NSURLErrorCancelled }

    /// A proxy sends the statuses from 520 to 530 if it can't reach the service.
    private static let transientStatuses = Set([408, 425, 429, 500, 502, 503, 504]).union(520...530)
}

extension NetworkError: ErrorDetailsProviding {
    /// The kind, and the ``description`` as the message for logs, in English.
    public var errorDetails: ErrorDetails { ErrorDetails(kind: kind.rawValue, message: description) }
}

extension NetworkError: SecretHolding {
    /// The kind, the cause's code or type, the detail, and the status; for logs, in English.
    public var description: String {
        // Leave the content type out, because descriptions don't contain header values.
        let detail = kind == .unexpectedContentType ? nil : detail
        let parts = [kind.rawValue, cause.map(Self.name), detail, failure?.description]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private static func name(of error: any Error) -> String {
        (error as? URLError).map { "URLError \($0.errorCode)" } ?? "\(type(of: error))"
    }
}
