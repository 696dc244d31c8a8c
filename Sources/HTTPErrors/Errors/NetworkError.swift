public import ErrorRecovery
public import ErrorRouting
public import Foundation

/// What can go wrong with a request, from the URL to the decoded answer: the one error that ``APIClient`` throws.
///
/// The cause is kept under it: `ErrorMatcher.anywhere(.type(GitHubError.self))` finds the service's own error. Its
/// texts for people are in English and Japanese; its ``description``, for logs, has no URL, header field or body in it.
public enum NetworkError: Error {
    /// There is no URL to send to; the text is what was made of it, without a query.
    case invalidURL(String)
    /// The request's body cannot be encoded.
    case encoding(any Error)
    /// This device has no network, or must not use it now.
    case networkUnavailable(URLError)
    /// No answer came in time, or the server says that it got none itself: 408 and 504.
    case timeout(any Error)
    /// The task was cancelled, or a person did not give a password.
    case cancelled
    /// There is no connection to the server, or it was lost.
    case connection(URLError)
    /// What came is no HTTP, or redirects without end.
    case invalidResponse(any Error)
    /// 401: who asks is not known.
    case unauthorized(HTTPFailure)
    /// 403: who asks may not.
    case forbidden(HTTPFailure)
    /// 404: there is nothing.
    case notFound(HTTPFailure)
    /// Another status that is no success: most are the request's fault.
    case http(HTTPFailure)
    /// A status of 500 or above, but for 504.
    case server(HTTPFailure)
    /// The answer is empty, where a value was asked for.
    case noData
    /// The body is not what was asked for; a `DecodingError` says where.
    case decoding(any Error)
    /// The body is of another type than was asked for.
    case unexpectedContentType(String)
    /// The body is longer than the transport keeps.
    case bodyTooLarge(limit: Int)
    /// The service's own error, and the answer that it was in.
    case api(any Error, HTTPFailure)
    /// Something else.
    case unknown(any Error)
}

extension NetworkError {
    /// The cases without what they carry: for rules, and for labels of metrics.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// See the ``NetworkError`` case of the same name.
        case invalidURL, encoding, networkUnavailable, timeout, cancelled, connection, invalidResponse, unauthorized,
            forbidden, notFound, http, server, noData, decoding, unexpectedContentType, bodyTooLarge, api, unknown
    }

    /// Which case it is.
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

    /// The answer that it comes from; nil where there was none.
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

    /// The service's own error, where there is one and it is of a type.
    ///
    /// - Parameter type: The error's type.
    /// - Returns: The error; nil where there is none, or one of another type.
    public func service<E: Error>(as type: E.Type) -> E? {
        guard case .api(let error, _) = self else { return nil }
        return ErrorMatcher.type(type).match(error)
    }

    /// Whether it is certain that the server has not seen the request, so that sending it again is sending it once.
    ///
    /// False where it is not known: a connection that was lost may have carried the request.
    public var neverReachedServer: Bool {
        switch self {
        case .invalidURL, .encoding, .networkUnavailable: true
        case .connection(let error): URLErrorKind.beforeSending.contains(error.errorCode)
        default: false
        }
    }
}

extension NetworkError: UnderlyingErrors {
    /// The cause.
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
    /// Retried is what `ErrorMatcher.transient` matches; a service's own error that knows by itself is
    /// asked first.
    public var retryDecision: RetryDecision {
        if case .api(let error, _) = self, let error = error as? any RetryClassified { return error.retryDecision }
        return isTransient ? .retry() : .fail
    }

    /// What the answer's `Retry-After` says, or a service's own error.
    public var retryAfter: Duration? {
        if case .api(let error, _) = self, let hint = (error as? any RetryAfterProviding)?.retryAfter { return hint }
        return failure?.retryAfter
    }

    /// Whether it is ``cancelled``.
    public var isCancellation: Bool { kind == .cancelled }

    /// Whether another attempt may succeed, for all that is known of it.
    var isTransient: Bool {
        switch kind {
        case .timeout, .connection: true
        default: failure.map { Self.transientStatuses.contains($0.status) } ?? false
        }
    }

    private static let transientStatuses: Set = [408, 425, 429, 500, 502, 503, 504]
}

extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its kind, with the status or code: for logs, in English.
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

    /// Its kind: what is printed by reflection shall have no more than a description.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue]) }

    private static func name(of error: any Error) -> String {
        switch error {
        case let failure as HTTPFailure: failure.description
        case let error as URLError: "URLError \(error.errorCode)"
        default: "\(type(of: error))"
        }
    }
}
