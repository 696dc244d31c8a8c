public import Foundation

/// A type that sends requests: ``URLSessionHTTPTransport``, another HTTP client, or a fake in a test.
///
/// A transport returns every response, regardless of its status and the length of its body. It throws only if there is
/// no response. It doesn't follow redirects: an ``APIClient`` does, in the same way for every transport.
///
/// The client converts a thrown error into a ``NetworkError``. The kind of a `URLError` depends on its code, and the
/// kind of an ``HTTPFailure`` depends on its status. A cancellation becomes `cancelled`, an encoding or decoding error
/// becomes `encoding` or `decoding`, a `CircuitOpen` becomes `server`, and any other error becomes `unknown`. A
/// ``NetworkError`` keeps its kind.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response.
    ///
    /// If the task is cancelled, it throws immediately, for example a `CancellationError`. It obeys the request's time
    /// limit, and doesn't send a request if the limit isn't positive. If the body exceeds the transport's own limit, it
    /// stops there and returns the beginning of the body in a truncated response (``TransportResponse/isTruncated``).
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response.
    /// - Throws: An error if there is no complete response.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// The time limit of a request without its own limit; nil, the default, if it is unknown.
    ///
    /// For such a request, an ``APIClient`` also waits at most this long for a new token.
    var timeout: Duration? { get }

    /// Whether the HTTP stack can resend a request on its own; false by default.
    ///
    /// If true, an ``APIClient`` never retries a request that must not be sent twice, because it can't determine how
    /// often the request was sent.
    var repeatsByItself: Bool { get }
}

extension HTTPTransport {
    /// Nil: the limit is unknown.
    public var timeout: Duration? { nil }

    /// False: a request is sent at most once.
    public var repeatsByItself: Bool { false }
}

/// A request as a transport sends it.
///
/// Descriptions contain the method and the URL without its query, but neither headers nor body. For a request of an
/// ``APIClient``, they also leave out the base path, because some services put the token there.
public struct TransportRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL.
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Data?
    /// The time limit, from the start to the last byte of the response; nil for the transport's own limit.
    public var timeout: Duration?
    /// The path of the client's base, which descriptions leave out.
    var basePath = ""

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method to send, such as `.post`.
    ///   - url: The absolute URL.
    ///   - headers: The header fields to send.
    ///   - body: The body to send; nil to send none.
    ///   - timeout: The time limit; nil for the transport's own limit.
    public init(
        method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: Data? = nil, timeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Whether sending the request twice has the same effect as sending it once.
    ///
    /// This is true for the idempotent methods of RFC 9110, section 9.2.2, and for a request with an `Idempotency-Key`,
    /// which lets the server recognize the second request.
    var isIdempotent: Bool { hasIdempotentMethod || headers["Idempotency-Key"] != nil }

    /// Whether the method is idempotent according to RFC 9110.
    var hasIdempotentMethod: Bool { method.isIdempotent }
}

extension TransportRequest: SecretHolding {
    /// The method and the URL without its query.
    public var description: String { "\(method) \(url.withoutSecrets(below: basePath))" }
}

/// A response of any status with its body, as a transport returns it.
///
/// Descriptions contain the status and the body's length.
public struct TransportResponse: Sendable {
    /// The status.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body, decompressed.
    public var body: Data
    /// Whether the body exceeded the transport's limit, so that only its beginning is available.
    public var isTruncated: Bool

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The response's status, such as 200.
    ///   - headers: The response's header fields.
    ///   - body: The decompressed body.
    ///   - isTruncated: Whether the body is only the beginning of a longer body.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data(), isTruncated: Bool = false) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isTruncated = isTruncated
    }
}

extension TransportResponse: SecretHolding {
    /// The status and the body's length.
    public var description: String { "HTTP \(status), \(body.count) bytes" }
}

extension URL {
    /// Returns the URL without its query, fragment, user, and password, which might be secret.
    ///
    /// If the URL is below a client's base, an ellipsis replaces `basePath`, the path of that base.
    func withoutSecrets(below basePath: String = "") -> String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "a URL" }
        components.query = nil
        components.fragment = nil
        components.user = nil
        components.password = nil
        guard !basePath.isEmpty else { return components.string ?? "a URL" }
        let path = components.percentEncodedPath
        components.path = ""
        // Compare the strings: a different spelling of the base path counts as another path.
        let isBelow = path.hasPrefix(basePath) && ["", "/"].contains(path.dropFirst(basePath.count).prefix(1))
        return (components.string ?? "a URL") + (isBelow ? "/…\(path.dropFirst(basePath.count))" : path)
    }

    /// The path without a trailing slash; empty for a root.
    ///
    /// If this URL is a client's base, the paths of all its requests begin with this path.
    var basePath: String {
        let path = absoluteURL.path(percentEncoded: true)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
