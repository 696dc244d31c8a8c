import ErrorRecovery
import ErrorRouting
public import Foundation

extension NetworkError {
    /// Makes the error that a status stands for.
    ///
    /// - Parameter failure: A response that is not a success.
    public init(_ failure: HTTPFailure) {
        let kind: Kind =
            switch failure.status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 408, 504: .timeout
            case 500...599: .server
            case 100...499: .http
            default: .invalidResponse
            }
        self.init(kind, failure: failure)
    }

    /// Makes the error that a `URLError`'s code stands for.
    ///
    /// `URLError.cancelled` is of kind `cancelled` only in a cancelled task. In any other task nobody has asked for it:
    /// a session was invalidated, or refused a challenge.
    ///
    /// The `URLError` is kept as the cause, without what may be secret, such as its URL's query.
    ///
    /// - Parameter error: The error.
    public init(_ error: URLError) {
        self.init(Self.kind(ofURLErrorCode: error.errorCode), cause: error)
    }

    /// Makes the error for a body that cannot be decoded.
    ///
    /// The coding path is kept, except for keys that come from the body, such as a dictionary's. The decoder's text is
    /// not kept, because it may contain personal values.
    ///
    /// - Parameter error: The decoder's error.
    public init(decoding error: DecodingError) {
        self.init(.decoding, cause: error)
    }

    /// Returns the network error for an error that a transport, an interceptor or a coder threw.
    static func from(_ error: any Error) -> NetworkError {
        if let error = ErrorMatcher.type(NetworkError.self).match(error) { return error }
        if ErrorMatcher.cancellation.match(error) != nil { return NetworkError(.cancelled) }
        if let error = ErrorMatcher.type(HTTPFailure.self).match(error) { return NetworkError(error) }
        // By the domain and not by the type: on Linux `URLError` does not know some codes.
        if let error = ErrorMatcher.nsError(domain: NSURLErrorDomain).match(error) {
            return NetworkError(URLError(_nsError: error))
        }
        if ErrorMatcher.type(DecodingError.self).match(error) != nil { return NetworkError(.decoding, cause: error) }
        if ErrorMatcher.type(EncodingError.self).match(error) != nil { return NetworkError(.encoding, cause: error) }
        if let error = ErrorMatcher.type(CircuitOpen.self).match(error) { return NetworkError(.server, cause: error) }
        return NetworkError(.unknown, cause: error)
    }

    /// Returns the error, marked as one after which the request must not be sent again, if sending it twice could
    /// repeat an effect.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: The key that the request always has; nil if it has none, or one among its headers.
    ///   - repeats: Whether the layer below may have sent the request before the attempt that the error is of.
    ///   - isProcessed: Whether a server may have acted on the request, and the error is of what it redirected to.
    func afterSending(_ request: TransportRequest, key: String?, repeats: Bool, isProcessed: Bool) -> NetworkError {
        let isUnprocessed = !isProcessed && (isRefusal || !repeats && (neverReachedServer || failure?.status == 429))
        var error = self
        error.mayBeSentAgain = mayBeSentAgain && (request.isIdempotent || isUnprocessed)
        error.dependsOnKey = !(request.hasIdempotentMethod || key != nil || isUnprocessed)
        return error
    }

    // MARK: Codes

    /// Returns the kind for a code of `NSURLErrorDomain`.
    ///
    /// Takes the number, since on Linux reading `URLError.code` traps for a code without a name.
    private static func kind(ofURLErrorCode code: Int) -> Kind {
        if Task.isCancelled, [NSURLErrorCancelled, NSURLErrorUserCancelledAuthentication].contains(code) {
            return .cancelled
        }
        return kinds[code] ?? .unknown
    }

    /// The codes after which the request has certainly not been sent.
    static let codesBeforeSending = Set(
        [NSURLErrorCannotConnectToHost, NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed] + tlsCodes)

    /// The codes of TLS failures.
    ///
    /// On Linux each failure has two codes, since Foundation's constants are one less than those of `URLError.Code`.
    private static let tlsCodes = Array(-1207 ... -1200)

    /// The codes after which another attempt ends in the same way: a certificate is refused, or the session is over.
    ///
    /// Not `secureConnectionFailed`, which a connection that breaks during the handshake has too.
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
