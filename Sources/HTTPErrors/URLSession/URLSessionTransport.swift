import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests by `URLSession`.
///
/// The transport keeps no cookies, caches or credentials, and follows no redirect. A request is sent once. On Linux,
/// libcurl sends a request again by itself if a kept-alive connection drops; so there a request that may have an effect
/// gets its own connection.
///
/// A call whose task is cancelled, or whose time limit is over, throws at once. On Linux its transfer is not cancelled
/// then, because that can crash the process. The transfer ends when its next bytes move, or when no bytes have moved
/// for `transferLimit` or for the request's own time limit, whichever is shorter. Its connection ends with it.
/// Meanwhile it does not delay other requests, which have their own connections.
public final class URLSessionTransport: HTTPTransport {
    /// How long a request without its own time limit may take.
    public let timeout: Duration?
    private let transferLimit: Duration
    private let bodyLimit: Int
    private let configuration: URLSessionConfiguration
    private let session: URLSession
    private let delegate = TransferDelegate()

    /// Makes a transport with its own session.
    ///
    /// - Parameters:
    ///   - timeout: How long a request without its own time limit may take, from its beginning to the last byte of
    ///     the response.
    ///   - bodyLimit: How many bytes of a body are read; of a longer one, the response has the beginning.
    ///   - transferLimit: How long any transfer may take, also one that no caller waits for. On Linux it limits only
    ///     the time in which no bytes move.
    ///   - configuration: The session's configuration; the transport copies it without cache, cookies and credentials.
    ///     Of its additional headers it keeps those that any server may see, as ``APIClient`` does after a redirect to
    ///     another origin; an ``HTTPInterceptor`` sets the others.
    public init(
        timeout: Duration = .seconds(60),
        bodyLimit: Int = 1 << 20,
        transferLimit: Duration = .seconds(60),
        configuration: URLSessionConfiguration = .ephemeral
    ) {
        if timeout <= .zero { fatalError("URLSessionTransport: timeout must be positive, but is \(timeout)") }
        if bodyLimit < 0 { fatalError("URLSessionTransport: bodyLimit must not be negative, but is \(bodyLimit)") }
        if transferLimit <= .zero {
            fatalError("URLSessionTransport: transferLimit must be positive, but is \(transferLimit)")
        }
        self.timeout = timeout
        self.transferLimit = min(transferLimit, Self.longest)
        self.bodyLimit = bodyLimit
        // `copy()` returns `Any`.
        let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        own.timeoutIntervalForResource = self.transferLimit / .seconds(1)
        // A transfer that no caller waits for must not keep other requests from a connection.
        own.httpMaximumConnectionsPerHost = 10_000
        own.urlCache = nil
        own.httpCookieStorage = nil
        own.httpCookieAcceptPolicy = .never
        own.httpShouldSetCookies = false
        own.urlCredentialStorage = nil
        // The session adds them to every request, also to one that a redirect sends to another server.
        own.httpAdditionalHeaders = own.httpAdditionalHeaders?.filter { HTTPHeaders.isPublic("\($0.key)") }
        self.configuration = own
        session = URLSession(configuration: own, delegate: delegate, delegateQueue: nil)
    }

    /// The longest time limit, a year: Linux counts milliseconds, and traps if they overflow.
    static let longest = Duration.seconds(365 * 86_400)

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request, and returns the response with its whole body.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: `CancellationError` if the task is cancelled, or a `URLError` whose code is the same on all platforms.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let limit = min(request.timeout ?? timeout ?? Self.longest, Self.longest)
        guard limit > .zero else { throw URLError(.timedOut) }
        // The response to HEAD declares the length of a body that does not come.
        let transfer = Transfer(bodyLimit: request.method == "HEAD" ? .max : bodyLimit)
        start(transfer, urlRequest(for: request, within: limit), alone: request.needsOwnConnection)
        do {
            return try await transfer.response(within: limit)
        } catch let error as URLError {
            // A circuit around a transport keeps and posts what the transport throws.
            throw withoutSecrets(error.evenedOut(for: request.url))
        }
    }

    private func start(_ transfer: Transfer, _ request: URLRequest, alone: Bool) {
        let delegate = alone ? TransferDelegate() : delegate
        let session = alone ? URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil) : session
        let task = session.dataTask(with: request)
        delegate.add(transfer, for: task)
        task.resume()
        // The session and its connection end with this one transfer.
        if alone { session.finishTasksAndInvalidate() }
    }

    private func urlRequest(for request: TransportRequest, within limit: Duration) -> URLRequest {
        var result = URLRequest(url: request.url)
        // On Linux this is the only limit; it limits the time in which no bytes move. It counts whole seconds there, so
        // it is rounded up: half a second would mean no limit. Linux ignores the limit of the initializer.
        result.timeoutInterval = (min(limit, transferLimit) / .seconds(1)).rounded(.up)
        result.httpMethod = request.method
        for (name, value) in request.headers.fields { result.setValue(value, forHTTPHeaderField: name) }
        result.httpBody = request.body
        result.httpShouldHandleCookies = false
        return result
    }
}

extension URLSessionTransport: SecretHolding {
    /// The type's name: the session's configuration may hold secrets.
    public var description: String { "URLSessionTransport" }
}

extension TransportRequest {
    /// Whether the request must not share a connection with others.
    ///
    /// When a reused connection drops, libcurl sends a request again. If the request has a body, which libcurl cannot
    /// read twice, it waits for ever.
    fileprivate var needsOwnConnection: Bool {
        #if canImport(FoundationNetworking)
            body != nil || !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
        #else
            false
        #endif
    }
}

extension URLError {
    /// The error with the code that it has on other platforms.
    ///
    /// On Linux a dropped connection has the code of a bad response, and garbage has the code of an unsupported URL. A
    /// TLS failure, a truncated response and a response that contradicts itself all have the code `unknown`; only
    /// libcurl's text tells a refused certificate and the last one from the others.
    fileprivate func evenedOut(for url: URL) -> URLError {
        #if canImport(FoundationNetworking)
            let isHTTP = ["http", "https"].contains(url.scheme?.lowercased() ?? "")
            switch errorCode {
            case NSURLErrorUnknown where Self.undecodable.contains { localizedDescription.contains($0) }:
                return URLError(.cannotDecodeContentData, userInfo: errorUserInfo)
            case NSURLErrorUnknown where Self.malformed.contains { localizedDescription.contains($0) },
                NSURLErrorUnsupportedURL where isHTTP:
                return URLError(.cannotParseResponse, userInfo: errorUserInfo)
            case NSURLErrorUnknown where localizedDescription.contains("SSL certificate problem"):
                return URLError(.serverCertificateUntrusted, userInfo: errorUserInfo)
            case NSURLErrorBadServerResponse, NSURLErrorUnknown:
                return URLError(.networkConnectionLost, userInfo: errorUserInfo)
            default:
                return self
            }
        #else
            return self
        #endif
    }

    #if canImport(FoundationNetworking)
        /// Parts of libcurl's texts for a body that it cannot decode; the last two are for bytes after the end of one.
        private static let undecodable = [
            "content unencoding", "content encoding", "Failed writing received data", "chunked-encoded stream",
        ]

        /// Parts of its texts for a response that it, or Foundation, cannot read; it reports a line that is too long as
        /// a lack of memory, and a folded first line as a bad argument.
        private static let malformed = [
            "Invalid Content-Length", "chunked-encoding", "Failed writing header", "Header without colon",
            "Nul byte in header", "Unsupported HTTP version", "Too large response headers", "Out of memory",
            "bad argument",
        ]
    #endif
}
