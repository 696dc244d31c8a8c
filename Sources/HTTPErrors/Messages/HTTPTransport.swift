public import Foundation

/// A type that sends requests: ``URLSessionTransport``, another HTTP client, or a fake in a test.
///
/// A transport returns every response, whatever its status, and throws only if there is none. It follows no redirect:
/// an ``APIClient`` does that, in the same way for every transport. The client turns a thrown error into a
/// ``NetworkError``: a `URLError` by its code, an ``HTTPFailure`` by its status, a cancellation and coding errors into
/// those kinds, and any other error into one of kind `unknown`. A ``NetworkError`` keeps its kind.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns the response with its whole body.
    ///
    /// If the task is cancelled, it throws at once, for example a `CancellationError`. It obeys the request's time
    /// limit, sends nothing if that is not positive, and throws a ``NetworkError`` of kind `bodyTooLarge` if the body
    /// exceeds its own limit.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: An error if there is no complete response.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Whether the layer below may send a request twice by itself; false by default.
    ///
    /// If true, an ``APIClient`` never retries a request that must not be sent twice, since it cannot know how often
    /// the request has been sent.
    var repeatsByItself: Bool { get }
}

extension HTTPTransport {
    /// False: a request is sent once, or not at all.
    public var repeatsByItself: Bool { false }
}

/// A request, as a transport sends it.
///
/// Descriptions contain the method and the URL without its query, and neither headers nor body.
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

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method, in capitals.
    ///   - url: The URL.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - timeout: The time limit; nil for the transport's own limit.
    public init(
        method: String = "GET",
        url: URL,
        headers: HTTPHeaders = [:],
        body: Data? = nil,
        timeout: Duration? = nil
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
    /// `Idempotency-Key`, by which the server recognises the second one.
    var isIdempotent: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) || headers["Idempotency-Key"] != nil
    }
}

extension TransportRequest: SecretHolding {
    /// The method, and the URL without its query.
    public var description: String { "\(method) \(url.withoutSecrets)" }
}

/// A response of any status with its whole body, as a transport returns it.
///
/// Descriptions contain the status and the body's length.
public struct TransportResponse: Sendable {
    /// The status.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body, decompressed.
    public var body: Data

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension TransportResponse: SecretHolding {
    /// The status and the body's length.
    public var description: String { "HTTP \(status), \(body.count) bytes" }
}

extension URL {
    /// The URL without query, fragment, user and password, which may be secret.
    var withoutSecrets: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "a URL" }
        components.query = nil
        components.fragment = nil
        components.user = nil
        components.password = nil
        return components.string ?? "a URL"
    }
}
