import ErrorRouting
public import Foundation

extension NetworkError {
    /// Makes the error that a status stands for.
    ///
    /// - Parameter failure: An answer that is not a success.
    public init(_ failure: HTTPFailure) {
        self =
            switch failure.status {
            case 401: .unauthorized(failure)
            case 403: .forbidden(failure)
            case 404: .notFound(failure)
            case 408, 504: .timeout(failure)
            case 500...: .server(failure)
            default: .http(failure)
            }
    }

    /// Makes the error that a `URLError`'s code stands for.
    ///
    /// The `URLError` is kept as the cause, without what may be secret, such as its URL's query.
    ///
    /// - Parameter error: The error.
    public init(_ error: URLError) {
        let error = error.withoutSecrets
        self =
            switch URLErrorKind(code: error.errorCode) {
            case .networkUnavailable: .networkUnavailable(error)
            case .timeout: .timeout(error)
            case .cancelled: .cancelled
            case .connection: .connection(error)
            case .invalidResponse: .invalidResponse(error)
            case .invalidURL: .invalidURL(error.failingURL?.withoutSecrets ?? "a URL")
            case .unknown: .unknown(error)
            }
    }

    /// Makes the error for a body that cannot be decoded.
    ///
    /// The coding path is kept. The decoder's text is not, since it may contain personal values.
    ///
    /// - Parameter error: The decoder's error.
    public init(decoding error: DecodingError) {
        self = .decoding(error.withoutSecrets)
    }

    /// Returns the network error for an error that a transport, an interceptor or a coder threw.
    static func from(_ error: any Error) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(error) { return error }
        if ErrorMatcher.cancellation.match(error) != nil { return .cancelled }
        if let error = ErrorMatcher.type(HTTPFailure.self).match(error) { return NetworkError(error) }
        // By the domain and not by the type: on Linux `URLError` does not know some codes.
        if let error = ErrorMatcher.nsError(domain: NSURLErrorDomain).match(error) {
            return NetworkError(URLError(_nsError: error))
        }
        if let error = ErrorMatcher.type(DecodingError.self).match(error) { return NetworkError(decoding: error) }
        if let error = ErrorMatcher.type(EncodingError.self).match(error) { return .encoding(error.withoutSecrets) }
        return .unknown(error)
    }
}

/// The kinds of errors that the codes of `NSURLErrorDomain` stand for.
enum URLErrorKind: CaseIterable {
    case networkUnavailable, timeout, cancelled, connection, invalidResponse, invalidURL, unknown

    /// Takes the number, since on Linux reading `URLError.code` traps for a code without a name.
    init(code: Int) {
        self = Self.kinds[code] ?? .unknown
    }

    /// The codes after which the request has certainly not been sent.
    static let beforeSending = Set(
        [NSURLErrorCannotConnectToHost, NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed] + tls)

    /// The codes of TLS failures: seven, each of them one less on Linux than on other platforms.
    private static let tls = Array(-1207 ... -1200)

    private static let kinds: [Int: URLErrorKind] = {
        let codes: [URLErrorKind: [Int]] = [
            .networkUnavailable: [
                NSURLErrorNotConnectedToInternet, NSURLErrorInternationalRoamingOff, NSURLErrorDataNotAllowed,
                NSURLErrorCallIsActive,
            ],
            .timeout: [NSURLErrorTimedOut],
            .cancelled: [NSURLErrorCancelled, NSURLErrorUserCancelledAuthentication],
            .connection: Array(beforeSending) + [NSURLErrorNetworkConnectionLost],
            .invalidResponse: [
                NSURLErrorBadServerResponse, NSURLErrorCannotParseResponse, NSURLErrorZeroByteResource,
                NSURLErrorHTTPTooManyRedirects, NSURLErrorRedirectToNonExistentLocation,
                NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData,
            ],
            .invalidURL: [NSURLErrorBadURL, NSURLErrorUnsupportedURL],
        ]
        return Dictionary(uniqueKeysWithValues: codes.flatMap { kind, codes in codes.map { ($0, kind) } })
    }()
}
