import ErrorRouting
public import Foundation

extension NetworkError {
    /// What a status means.
    ///
    /// - Parameter failure: An answer that is no success.
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

    /// What a `URLError` means, by its code.
    ///
    /// It is kept without what may be secret: of a URL in it the query goes.
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

    /// A body that is not what was asked for.
    ///
    /// The coding path is kept. What the decoder tells of values is not: they are somebody's.
    ///
    /// - Parameter error: The decoder's error.
    public init(decoding error: DecodingError) {
        self = .decoding(error.withoutSecrets)
    }

    /// Whatever a transport, an interceptor or a coder threw.
    static func from(_ error: any Error) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(error) { return error }
        if ErrorMatcher.cancellation.match(error) != nil { return .cancelled }
        if let error = ErrorMatcher.type(HTTPFailure.self).match(error) { return NetworkError(error) }
        // By the domain, and not the type: on Linux some codes are none that the type knows.
        if let error = ErrorMatcher.nsError(domain: NSURLErrorDomain).match(error) {
            return NetworkError(URLError(_nsError: error))
        }
        if let error = ErrorMatcher.type(DecodingError.self).match(error) { return NetworkError(decoding: error) }
        if let error = ErrorMatcher.type(EncodingError.self).match(error) { return .encoding(error.withoutSecrets) }
        return .unknown(error)
    }
}

/// What a code of `NSURLErrorDomain` means.
enum URLErrorKind: CaseIterable {
    case networkUnavailable, timeout, cancelled, connection, invalidResponse, invalidURL, unknown

    /// By numbers, since reading `URLError.code` traps on Linux where the code has no name there.
    init(code: Int) {
        self = Self.kinds[code] ?? .unknown
    }

    /// Where the request has certainly not been sent.
    static let beforeSending = Set(
        [NSURLErrorCannotConnectToHost, NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed] + tls)

    /// The codes of TLS: seven, each of them one less on Linux than elsewhere.
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
