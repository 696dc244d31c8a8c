import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests with `URLSession`.
///
/// The transport stores no cookies, caches, or credentials, and doesn't follow redirects. It sends a request once. On
/// Linux, libcurl resends a request if a kept-alive connection drops, so a request that might have an effect uses its
/// own connection there.
///
/// A call throws immediately if its task is cancelled or its time limit is over. Its transfer is then cancelled, and
/// its connection ends. Until then, it doesn't delay other requests, because they have their own connections. On Linux,
/// a server on a fast network can prevent that; see <doc:URLSessionOnLinux>.
public final class URLSessionHTTPTransport: HTTPTransport {
    /// How long a request without its own time limit may take.
    public let timeout: Duration?
    private let transferLimit: Duration
    private let bodyLimit: Int
    private let configuration: URLSessionConfiguration
    private let session: URLSession
    private let delegate: TransferDelegate
    private let onChallenge: ChallengeHandler?

    /// Answers a challenge as `URLSession`'s delegate does: with a disposition, and with a credential for
    /// `.useCredential`.
    public typealias ChallengeHandler =
        @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Creates a transport with its own session.
    ///
    /// - Parameters:
    ///   - timeout: How long a request without its own time limit may take, from the start to the last byte of the
    ///     response.
    ///   - bodyLimit: How many bytes of a body are read. The response contains the beginning of a longer body.
    ///   - transferLimit: How long any transfer may take, including one that no caller waits for. On Linux it limits
    ///     only the time in which no bytes move.
    ///   - configuration: The session's configuration. The transport copies it without cache, cookies, and credentials.
    ///     It keeps only those additional headers that any server may see, as ``APIClient`` does after a redirect to
    ///     another origin. Set other headers with an ``HTTPInterceptor``.
    ///   - onChallenge: Answers challenges, for example to compare a server's certificate with a pinned one, or to
    ///     provide a client certificate. Its time counts toward the request's limit, and it isn't cancelled with the
    ///     request. Return `.performDefaultHandling` for a challenge that you don't handle: then the system decides
    ///     about certificates, and a 401 is the response. Without a handler, all challenges are answered like that. If
    ///     the handler answers a 401 with a credential, `URLSession` sends the request again, which the server refused.
    ///     If the server refuses the credential too, the handler is called again: compare the challenge's
    ///     `previousFailureCount`, or a wrong password is sent until the request's limit.
    ///
    ///     > Important: On Linux, `URLSession` never asks about certificates, so the handler can't pin one there. It is
    ///     called only for a 401 with the scheme `Basic`.
    public init(
        timeout: Duration = .seconds(60),
        bodyLimit: Int = 1 << 20,
        transferLimit: Duration = .seconds(60),
        configuration: URLSessionConfiguration = .ephemeral,
        onChallenge: ChallengeHandler? = nil
    ) {
        if timeout <= .zero { fatalError("URLSessionHTTPTransport: timeout must be positive, but is \(timeout)") }
        if bodyLimit < 0 { fatalError("URLSessionHTTPTransport: bodyLimit must not be negative, but is \(bodyLimit)") }
        if transferLimit <= .zero {
            fatalError("URLSessionHTTPTransport: transferLimit must be positive, but is \(transferLimit)")
        }
        self.timeout = timeout
        self.transferLimit = min(transferLimit, Self.longest)
        self.bodyLimit = bodyLimit
        // `copy()` returns `Any`.
        let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        own.timeoutIntervalForResource = self.transferLimit / .seconds(1)
        // Allow many connections: a transfer that no caller waits for must not block other requests.
        own.httpMaximumConnectionsPerHost = 10_000
        own.urlCache = nil
        own.httpCookieStorage = nil
        own.httpCookieAcceptPolicy = .never
        own.httpShouldSetCookies = false
        own.urlCredentialStorage = nil
        // The session adds them to every request, including one that a redirect sends to another server.
        own.httpAdditionalHeaders = own.httpAdditionalHeaders?.filter { HTTPHeaders.isPublic("\($0.key)") }
        self.configuration = own
        self.onChallenge = onChallenge
        delegate = TransferDelegate(onChallenge: onChallenge)
        session = URLSession(configuration: own, delegate: delegate, delegateQueue: nil)
    }

    /// The longest time limit, a year.
    ///
    /// Foundation on Linux counts milliseconds and traps on overflow.
    static let longest = Duration.seconds(365 * 86_400)

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and returns the response with its body.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: `CancellationError` if the task is cancelled, or a `URLError` with the same code on all platforms.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let limit = min(request.timeout ?? timeout ?? Self.longest, Self.longest)
        guard limit > .zero else { throw URLError(.timedOut) }
        // Don't limit HEAD: its response declares the length of a body that doesn't follow.
        let transfer = Transfer(bodyLimit: request.method == .head ? .max : bodyLimit)
        start(transfer, urlRequest(for: request, within: limit), alone: request.needsOwnConnection)
        do {
            return try await transfer.response(within: limit)
        } catch let error as URLError {
            // Remove secrets here: a circuit around a transport retains and posts the transport's errors.
            throw withoutSecrets(error.normalized(for: request.url))
        }
    }

    private func start(_ transfer: Transfer, _ request: URLRequest, alone: Bool) {
        // Capture `self`: its session must not be invalidated before the task is created.
        Transfer.calls.async { [self] in
            guard transfer.isWanted else { return }
            let delegate = alone ? TransferDelegate(onChallenge: onChallenge) : delegate
            let session =
                alone ? URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil) : session
            let task = session.dataTask(with: request)
            delegate.add(transfer, for: task)
            transfer.start(task)
            // End the session and its connection with this one transfer.
            if alone { session.finishTasksAndInvalidate() }
        }
    }

    private func urlRequest(for request: TransportRequest, within limit: Duration) -> URLRequest {
        var result = URLRequest(url: request.url)
        // On Linux this is the only limit, and it limits the time in which no bytes move. Round it up: Linux counts
        // whole seconds, so half a second would mean no limit. Linux ignores the initializer's limit.
        result.timeoutInterval = (min(limit, transferLimit) / .seconds(1)).rounded(.up)
        result.httpMethod = request.method.rawValue
        for (name, value) in request.headers.fields { result.setValue(value, forHTTPHeaderField: name) }
        result.httpBody = request.body
        result.httpShouldHandleCookies = false
        return result
    }
}

extension HTTPTransport where Self == URLSessionHTTPTransport {
    /// A transport that sends requests with `URLSession`.
    ///
    /// - Parameters:
    ///   - timeout: How long a request without its own time limit may take; positive.
    ///   - bodyLimit: How many bytes of a body are read; not negative.
    /// - Returns: The transport. Create a ``URLSessionHTTPTransport`` for its further settings.
    public static func urlSession(timeout: Duration = .seconds(60), bodyLimit: Int = 1 << 20) -> Self {
        URLSessionHTTPTransport(timeout: timeout, bodyLimit: bodyLimit)
    }
}

// The session's configuration might contain secrets.
extension URLSessionHTTPTransport: SecretHolding {}

extension TransportRequest {
    /// Whether the request needs its own connection.
    ///
    /// When a reused connection drops, libcurl resends the request. If the request has a body, libcurl waits forever,
    /// because it can't read the body twice.
    fileprivate var needsOwnConnection: Bool {
        #if canImport(FoundationNetworking)
            body != nil || ![.get, .head, .options, .trace].contains(method)
        #else
            false
        #endif
    }
}

extension URLError {
    /// The error with the code that it has on other platforms.
    ///
    /// On Linux a dropped connection has the code of a bad response, and garbage has the code of an unsupported URL. A
    /// TLS failure, a truncated response, and a malformed response all have the code `unknown`. Only libcurl's message
    /// identifies a refused certificate and a malformed response.
    fileprivate func normalized(for url: URL) -> URLError {
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
            default: break
            }
        #endif
        return self
    }

    #if canImport(FoundationNetworking)
        /// Parts of libcurl's messages for a body that it can't decode.
        ///
        /// The last two mean bytes after the end of the body.
        private static let undecodable = [
            "content unencoding", "content encoding", "Failed writing received data", "chunked-encoded stream",
        ]

        /// Parts of libcurl's messages for a response that it or Foundation can't read.
        ///
        /// "Out of memory" means a line that is too long, and "bad argument" a folded first line.
        private static let malformed = [
            "Invalid Content-Length", "chunked-encoding", "Failed writing header", "Header without colon",
            "Nul byte in header", "Unsupported HTTP version", "Too large response headers", "Out of memory",
            "bad argument",
        ]
    #endif
}
