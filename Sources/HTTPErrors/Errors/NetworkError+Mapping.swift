import ErrorRecovery
import ErrorRouting
public import Foundation

extension NetworkError {
    /// Creates the error for a response's status.
    ///
    /// - Parameter failure: A response that isn't a success.
    public init(_ failure: HTTPFailure) {
        let kind: Kind =
            switch failure.status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 408, 504, 522, 524: .timeout
            case 500...599: .server
            case 100...499: .http
            default: .invalidResponse
            }
        self.init(kind, failure: failure)
    }

    /// Creates the error for a `URLError`'s code.
    ///
    /// `URLError.cancelled` has the kind `cancelled` only in a cancelled task. In any other task, the caller didn't
    /// cancel the request: a session was invalidated or refused a challenge.
    ///
    /// The `URLError` becomes the cause, without possible secrets such as its URL's query.
    ///
    /// - Parameter error: The error from `URLSession` or another HTTP stack.
    public init(_ error: URLError) {
        self.init(Self.kind(ofURLErrorCode: error.errorCode), cause: error)
    }

    /// Creates the error for a body that can't be decoded.
    ///
    /// The coding path is kept, except for keys that come from the body, such as dictionary keys. The decoder's message
    /// is dropped, because it might contain personal values.
    ///
    /// - Parameter error: The error that the decoder threw.
    public init(decoding error: DecodingError) {
        self.init(.decoding, cause: error)
    }

    /// Returns the network error for an error that a transport, an interceptor, or a coder threw.
    static func from(_ error: any Error) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(error) { return error }
        if ErrorMatcher.cancellation.match(error) != nil { return NetworkError(.cancelled) }
        if let error = ErrorMatcher.type(HTTPFailure.self).match(error) { return NetworkError(error) }
        // Match the domain instead of the type, because on Linux `URLError` doesn't define some codes.
        if let error = ErrorMatcher.nsError(domain: NSURLErrorDomain).match(error) {
            return NetworkError(URLError(_nsError: error))
        }
        if ErrorMatcher.type(DecodingError.self).match(error) != nil { return NetworkError(.decoding, cause: error) }
        if ErrorMatcher.type(EncodingError.self).match(error) != nil { return NetworkError(.encoding, cause: error) }
        if let error = ErrorMatcher.type(CircuitOpen.self).match(error) { return NetworkError(.server, cause: error) }
        return NetworkError(.unknown, cause: error)
    }

    /// Returns the error, marked if the request must not be sent again because that could repeat an effect.
    ///
    /// `key` is the request's stored key; it is nil if the request has no key, or has a key only among its headers.
    /// `repeats` is true if the HTTP stack might have sent the request more than once. `isProcessed` is true if a
    /// server might have acted on the request before it redirected the client.
    func afterSending(_ request: TransportRequest, key: String?, repeats: Bool, isProcessed: Bool) -> NetworkError {
        // The request had no effect if a server didn't act on it before a redirect, and a circuit refused it or the
        // HTTP stack sent it at most once without effect: it didn't reach the server, or the server rejected it with
        // 429.
        let isUnprocessed = !isProcessed && (isRefusal || !repeats && (neverReachedServer || failure?.status == 429))
        var error = self
        // Sending it again is safe if it is idempotent, possibly because of a key in its headers, or had no effect.
        error.mayBeSentAgain = mayBeSentAgain && (request.isIdempotent || isUnprocessed)
        // Another call might use a different key, so it is safe only if the method is idempotent, the key is stored, or
        // the request had no effect.
        error.dependsOnKey = !(request.hasIdempotentMethod || key != nil || isUnprocessed)
        return error
    }

    // MARK: Codes

    /// Returns the kind for a code of `NSURLErrorDomain`.
    ///
    /// Pass the number, because on Linux reading `URLError.code` traps for a code without a name.
    private static func kind(ofURLErrorCode code: Int) -> Kind {
        if Task.isCancelled, [NSURLErrorCancelled, NSURLErrorUserCancelledAuthentication].contains(code) {
            return .cancelled
        }
        return kinds[code] ?? .unknown
    }

    /// The codes of errors that occur before the request is sent.
    static let codesBeforeSending = Set(
        [NSURLErrorCannotConnectToHost, NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed] + tlsCodes)

    /// The codes of TLS failures.
    ///
    /// On Linux, each failure has two codes, because Foundation's constants are off by one from `URLError.Code`.
    private static let tlsCodes = Array(-1207 ... -1200)

    /// The codes of errors that would recur on another attempt: a refused certificate, or an invalidated session.
    ///
    /// `secureConnectionFailed` isn't included, because a connection that breaks during the handshake produces it too.
    static let permanentCodes = Set(-1207 ... -1201).union([NSURLErrorCancelled])

    private static let kinds: [Int: Kind] = {
        let codes: [Kind: [Int]] = [
            .networkUnavailable: [
                NSURLErrorNotConnectedToInternet, NSURLErrorInternationalRoamingOff, NSURLErrorDataNotAllowed,
                NSURLErrorCallIsActive,
            ],
            .timeout: [NSURLErrorTimedOut],
            .unauthorized: [NSURLErrorUserCancelledAuthentication],
            .connection: Array(codesBeforeSending) + [NSURLErrorNetworkConnectionLost, NSURLErrorCancelled],
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
