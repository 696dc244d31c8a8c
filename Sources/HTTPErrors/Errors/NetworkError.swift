public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// The one error type that ``APIClient`` throws: everything that can go wrong, from the URL to the decoded answer.
///
/// The cause is an underlying error: `ErrorMatcher.anywhere(.type(GitHubError.self))` finds the service's own error.
/// The texts for people are in English and Japanese. The ``description`` is for logs, and contains no URL, header field
/// or body.
public enum NetworkError: Error {
    /// The URL is not valid; the text is the URL without its query.
    case invalidURL(String)
    /// The request's body cannot be encoded.
    case encoding(any Error)
    /// This device has no network, or is not allowed to use it.
    case networkUnavailable(URLError)
    /// No answer came in time, or the status is 408 or 504.
    case timeout(any Error)
    /// The task was cancelled, or a person cancelled the authentication.
    case cancelled
    /// The server could not be connected to, or the connection was lost.
    case connection(URLError)
    /// The answer is not valid HTTP, or redirects without end.
    case invalidResponse(any Error)
    /// Status 401: the request is not authenticated.
    case unauthorized(HTTPFailure)
    /// Status 403: the user has no permission.
    case forbidden(HTTPFailure)
    /// Status 404: the resource does not exist.
    case notFound(HTTPFailure)
    /// Another status that is not a success; most mean that the request is wrong.
    case http(HTTPFailure)
    /// A status of 500 or above, except 504.
    case server(HTTPFailure)
    /// The answer is empty, although a value was expected.
    case noData
    /// The body cannot be decoded; a `DecodingError` says where.
    case decoding(any Error)
    /// The content type is not one that the request accepts.
    case unexpectedContentType(String)
    /// The body is longer than the transport's limit.
    case bodyTooLarge(limit: Int)
    /// The service's own error, and the answer that contained it.
    case api(any Error, HTTPFailure)
    /// Any other error.
    case unknown(any Error)
}

extension NetworkError {
    /// The cases without their associated values, for rules and for labels of metrics.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// See the ``NetworkError`` case of the same name.
        case invalidURL, encoding, networkUnavailable, timeout, cancelled, connection, invalidResponse, unauthorized,
            forbidden, notFound, http, server, noData, decoding, unexpectedContentType, bodyTooLarge, api, unknown
    }

    /// The error's case, without its values.
    public var kind: Kind {
        switch self {
        case .invalidURL: .invalidURL
        case .encoding: .encoding
        case .networkUnavailable: .networkUnavailable
        case .timeout: .timeout
        case .cancelled: .cancelled
        case .connection: .connection
        case .invalidResponse: .invalidResponse
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .http: .http
        case .server: .server
        case .noData: .noData
        case .decoding: .decoding
        case .unexpectedContentType: .unexpectedContentType
        case .bodyTooLarge: .bodyTooLarge
        case .api: .api
        case .unknown: .unknown
        }
    }

    /// The answer that the error comes from; nil if there was none.
    public var failure: HTTPFailure? {
        switch self {
        case .unauthorized(let failure), .forbidden(let failure), .notFound(let failure), .http(let failure),
            .server(let failure), .api(_, let failure):
            failure
        case .timeout(let error), .invalidResponse(let error), .unknown(let error):
            error as? HTTPFailure
        case .invalidURL, .encoding, .networkUnavailable, .cancelled, .connection, .noData, .decoding,
            .unexpectedContentType, .bodyTooLarge:
            nil
        }
    }

    /// Returns the service's own error, if it has a type.
    ///
    /// - Parameter type: The error's type.
    /// - Returns: The error; nil if there is none, or if it has another type.
    public func service<E: Error>(as type: E.Type) -> E? {
        guard case .api(let error, _) = self else { return nil }
        return ErrorMatcher.type(type).match(error)
    }

    /// Whether the server has certainly not received the request, so that it is safe to send it again.
    ///
    /// False if that is not known: the request may have been sent before a connection was lost.
    public var neverReachedServer: Bool {
        switch self {
        case .invalidURL, .encoding, .networkUnavailable: true
        case .connection(let error): URLErrorKind.beforeSending.contains(error.errorCode)
        default: false
        }
    }
}

extension NetworkError: UnderlyingErrors {
    /// The causes.
    public var underlyingErrors: [any Error] {
        switch self {
        case .networkUnavailable(let error), .connection(let error):
            [error]
        case .encoding(let error), .timeout(let error), .invalidResponse(let error), .decoding(let error),
            .unknown(let error):
            [error]
        case .unauthorized(let failure), .forbidden(let failure), .notFound(let failure), .http(let failure),
            .server(let failure):
            [failure]
        case .api(let error, let failure):
            [error, failure]
        case .invalidURL, .cancelled, .noData, .unexpectedContentType, .bodyTooLarge:
            []
        }
    }
}

extension NetworkError: RetryClassified, RetryAfterProviding, CancellationConvertible {
    /// The service's own error decides if it is `RetryClassified`; else the errors of `ErrorMatcher.transient` are
    /// retried.
    public var retryDecision: RetryDecision {
        if case .api(let error, _) = self, let error = error as? any RetryClassified { return error.retryDecision }
        return isTransient ? .retry() : .fail
    }

    /// The hint of the service's own error, or else of the answer's `Retry-After`.
    public var retryAfter: Duration? {
        if case .api(let error, _) = self, let hint = (error as? any RetryAfterProviding)?.retryAfter { return hint }
        return failure?.retryAfter
    }

    /// Whether the error is ``cancelled``.
    public var isCancellation: Bool { kind == .cancelled }

    /// Whether the error may be temporary, so that another attempt may succeed.
    var isTransient: Bool {
        switch kind {
        case .timeout, .connection: true
        default: failure.map { Self.transientStatuses.contains($0.status) } ?? false
        }
    }

    private static let transientStatuses: Set = [408, 425, 429, 500, 502, 503, 504]
}

extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind, with the status or code; for logs, in English.
    public var description: String {
        switch self {
        case .networkUnavailable(let error), .connection(let error):
            "\(kind.rawValue), URLError \(error.errorCode)"
        case .bodyTooLarge(let limit):
            "\(kind.rawValue), more than \(limit) bytes"
        case .api(let error, let failure):
            "\(kind.rawValue), \(type(of: error)), \(failure)"
        case .encoding(let error), .timeout(let error), .invalidResponse(let error), .decoding(let error),
            .unknown(let error):
            "\(kind.rawValue), \(Self.name(of: error))"
        default:
            failure.map { "\(kind.rawValue), \($0)" } ?? kind.rawValue
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror with the kind alone, so that reflection prints no more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue]) }

    private static func name(of error: any Error) -> String {
        switch error {
        case let failure as HTTPFailure: failure.description
        case let error as URLError: "URLError \(error.errorCode)"
        default: "\(type(of: error))"
        }
    }
}
