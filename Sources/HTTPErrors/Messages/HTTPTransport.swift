public import Foundation

/// A type that sends requests: ``URLSessionTransport``, another HTTP client, or a fake in a test.
///
/// A transport returns every response, whatever its status and however long its body is, and throws only if there is
/// none. It follows no redirect: an ``APIClient`` does that, in the same way for every transport. The client turns a
/// thrown error into a ``NetworkError``: a `URLError` by its code, an ``HTTPFailure`` by its status, a cancellation and
/// coding errors into those kinds, and any other error into one of kind `unknown`. A ``NetworkError`` keeps its kind.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns the response.
    ///
    /// If the task is cancelled, it throws at once, for example a `CancellationError`. It obeys the request's time
    /// limit, and sends nothing if that is not positive. If the body exceeds the transport's own limit, it stops there,
    /// and returns the beginning of the body in a response that says so (``TransportResponse/isTruncated``).
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: An error if there is no complete response.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// The time limit of a request that has none of its own; nil, the default, if that is not known.
    ///
    /// An ``APIClient`` waits no longer for a new token on behalf of such a request.
    var timeout: Duration? { get }

    /// Whether the layer below may send a request twice by itself; false by default.
    ///
    /// If true, an ``APIClient`` never retries a request that must not be sent twice, since it cannot know how often
    /// the request has been sent.
    var repeatsByItself: Bool { get }
}

extension HTTPTransport {
    /// Nil.
    public var timeout: Duration? { nil }

    /// False: a request is sent once, or not at all.
    public var repeatsByItself: Bool { false }
}

/// A request, as a transport sends it.
///
/// Descriptions contain the method and the URL without its query, and neither headers nor body. Of a request that an
/// ``APIClient`` made, they do not contain the path of the client's base, which may be secret: some services have the
/// token there.
public struct TransportRequest: Sendable {
    /// The method, in capitals.
    public var method: String
    /// The URL.
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Data?
    /// The time limit, from the beginning to the last byte of the response; nil for the transport's own limit.
    public var timeout: Duration?
    /// The path of the client's base, which descriptions do not contain.
    var basePath = ""

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method, in capitals.
    ///   - url: The URL.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - timeout: The time limit; nil for the transport's own limit.
    public init(
        method: String = "GET", url: URL, headers: HTTPHeaders = [:], body: Data? = nil, timeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Whether sending the request twice has the same effect as sending it once.
    ///
    /// That holds for the methods that are idempotent by RFC 9110, section 9.2.2, and for a request with an
    /// `Idempotency-Key`, by which the server recognizes the second one.
    var isIdempotent: Bool { hasIdempotentMethod || headers["Idempotency-Key"] != nil }

    /// Whether the method is idempotent by RFC 9110.
    var hasIdempotentMethod: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }
}

extension TransportRequest: SecretHolding {
    /// The method, and the URL without its query.
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
    /// Whether the body is only the beginning of one that is longer than the transport's limit.
    public var isTruncated: Bool

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - isTruncated: Whether the body is only the beginning of one that is too long.
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
    /// Returns the URL without query, fragment, user and password, which may be secret, and with an ellipsis in place
    /// of the path of a client's base.
    ///
    /// - Parameter basePath: The path of the base; empty for none.
    func withoutSecrets(below basePath: String = "") -> String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "a URL" }
        components.query = nil
        components.fragment = nil
        components.user = nil
        components.password = nil
        guard !basePath.isEmpty else { return components.string ?? "a URL" }
        let path = components.percentEncodedPath
        components.path = ""
        // As text, since another spelling of the base's path is not the base's path.
        let isBelow = path.hasPrefix(basePath) && ["", "/"].contains(path.dropFirst(basePath.count).prefix(1))
        return (components.string ?? "a URL") + (isBelow ? "/…\(path.dropFirst(basePath.count))" : path)
    }

    /// The path, as a request's URL begins with it if this is the base: empty, or without a slash at its end.
    var basePath: String {
        let path = absoluteURL.path(percentEncoded: true)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
