import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests with `URLSession`.
///
/// The transport doesn't store cookies, cached responses, or credentials, and doesn't follow redirects. It sends each
/// request once. On Linux, libcurl resends a request if a kept-alive connection drops, so a request that might have an
/// effect uses its own connection there.
///
/// A call throws immediately when its task is cancelled or its time limit expires. The transfer is then cancelled, and
/// its connection is closed. Until then, it doesn't delay other requests, because they have their own connections. On
/// Linux, a server on a fast network can prevent the cancellation; see <doc:URLSessionOnLinux>.
public final class URLSessionHTTPTransport: HTTPTransport {
    /// How long a request without its own time limit may take.
    public let timeout: Duration?
    private let transferLimit: Duration
    private let bodyLimit: Int
    private let configuration: URLSessionConfiguration
    private let session: URLSession
    private let delegate: TransferDelegate
    private let onChallenge: ChallengeHandler?

    /// Answers a challenge as a `URLSession` delegate does: with a disposition, and with a credential for
    /// `.useCredential`.
    public typealias ChallengeHandler =
        @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Creates a transport with its own session.
    ///
    /// - Parameters:
    ///   - timeout: How long a request without its own time limit may take, from the start to the last byte of the
    ///     response.
    ///   - bodyLimit: How many bytes of a body are read. If the body is longer, the response contains its beginning.
    ///   - transferLimit: How long any transfer may take, including a transfer that no caller waits for. On Linux, it
    ///     limits only the time during which no bytes are transferred.
    ///   - configuration: The session's configuration. The transport copies it without cache, cookies, and credentials.
    ///     It keeps only those additional headers that any server may receive, as ``APIClient`` does after a redirect
    ///     to another origin. Set other headers with an ``HTTPInterceptor``.
    ///   - onChallenge: Answers challenges, for example to compare a server certificate with a pinned certificate, or
    ///     to provide a client certificate. Its time counts toward the request's limit, and it isn't cancelled with the
    ///     request. For a challenge that you don't handle, return `.performDefaultHandling`: the system then decides
    ///     whether to trust the certificate, and a 401 becomes the response. If there is no handler, all challenges are
    ///     answered that way. If the handler answers a 401 with a credential, `URLSession` resends the refused request.
    ///     If the server also refuses the credential, the handler is called again. So check the challenge's
    ///     `previousFailureCount`; otherwise, a wrong password is sent until the request's limit expires.
    ///
    ///     > Important: On Linux, `URLSession` doesn't send certificate challenges, so the handler can't pin a
    ///     certificate there. It is called only for a 401 with the scheme `Basic`.
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
        // Use `.ephemeral` if the cast fails: `copy()` returns `Any`.
        let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        own.timeoutIntervalForResource = self.transferLimit / .seconds(1)
        // Allow many connections, because a transfer that no caller waits for must not block other requests.
        own.httpMaximumConnectionsPerHost = 10_000
        own.urlCache = nil
        own.httpCookieStorage = nil
        own.httpCookieAcceptPolicy = .never
        own.httpShouldSetCookies = false
        own.urlCredentialStorage = nil
        // Filter these headers: the session adds them to every request, including a request to another server after a
        // redirect.
        own.httpAdditionalHeaders = own.httpAdditionalHeaders?.filter { HTTPHeaders.isPublic("\($0.key)") }
        self.configuration = own
        self.onChallenge = onChallenge
        delegate = TransferDelegate(onChallenge: onChallenge)
        session = URLSession(configuration: own, delegate: delegate, delegateQueue: nil)
    }

    /// The longest time limit: a year.
    ///
    /// Foundation on Linux counts milliseconds and traps on overflow.
    static let longest = Duration.seconds(365 * 86_400)

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and returns the response with its body.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response.
    /// - Throws: `CancellationError` if the task is cancelled; otherwise a `URLError` with the same code on all
    ///   platforms.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let limit = min(request.timeout ?? timeout ?? Self.longest, Self.longest)
        guard limit > .zero else { throw URLError(.timedOut) }
        // Don't limit the body of a HEAD: its response declares the length of a body that isn't sent.
        let transfer = Transfer(bodyLimit: request.method == .head ? .max : bodyLimit)
        start(transfer, urlRequest(for: request, within: limit), alone: request.needsOwnConnection)
        do {
            return try await transfer.response(within: limit)
        } catch let error as URLError {
            // Remove secrets here, because a circuit around a transport retains and posts the transport's errors.
            throw withoutSecrets(error.normalized(for: request.url))
        }
    }

    private func start(_ transfer: Transfer, _ request: URLRequest, alone: Bool) {
        // Capture `self`, because its session must not be invalidated before the task is created.
        Transfer.calls.async { [self] in
            guard transfer.isWanted else { return }
            let delegate = alone ? TransferDelegate(onChallenge: onChallenge) : delegate
            let session =
                alone ? URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil) : session
            let task = session.dataTask(with: request)
            delegate.add(transfer, for: task)
            transfer.start(task)
            // End the session and its connection together with this transfer.
            if alone { session.finishTasksAndInvalidate() }
        }
    }

    private func urlRequest(for request: TransportRequest, within limit: Duration) -> URLRequest {
        var result = URLRequest(url: request.url)
        // On Linux, this is the only limit, and it limits the time during which no bytes are transferred. Round it up:
        // Linux counts whole seconds, so half a second would mean no limit. Linux also ignores the limit that
        // `URLRequest.init` takes.
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
    /// - Returns: The transport. To change other settings, create a ``URLSessionHTTPTransport`` instead.
    public static func urlSession(timeout: Duration = .seconds(60), bodyLimit: Int = 1 << 20) -> Self {
        URLSessionHTTPTransport(timeout: timeout, bodyLimit: bodyLimit)
    }
}

// Hide the session's configuration, because it might contain secrets.
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
    /// The error with the code that other platforms use.
    ///
    /// On Linux, a dropped connection has the code of a bad response, and garbage has the code of an unsupported URL. A
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
        /// The last two messages mean that bytes follow the end of the body.
        private static let undecodable = [
            "content unencoding", "content encoding", "Failed writing received data", "chunked-encoded stream",
        ]

        /// Parts of libcurl's messages for a response that libcurl or Foundation can't parse.
        ///
        /// "Out of memory" means a line that is too long, and "bad argument" means a folded first line.
        private static let malformed = [
            "Invalid Content-Length", "chunked-encoding", "Failed writing header", "Header without colon",
            "Nul byte in header", "Unsupported HTTP version", "Too large response headers", "Out of memory",
            "bad argument",
        ]
    #endif
}
