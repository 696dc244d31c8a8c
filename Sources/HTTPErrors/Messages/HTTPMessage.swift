public import Foundation

/// A request, as a transport sends it.
///
/// Descriptions have the method and the URL without its query; neither headers nor the body.
public struct HTTPMessage: Sendable {
    /// The method, in capitals.
    public var method: String
    /// Where it is sent.
    public var url: URL
    /// Its header fields.
    public var headers: HTTPHeaders
    /// Its body.
    public var body: Data?
    /// How long the transport may take for it, from the beginning to the last byte of the answer; nil for the
    /// transport's own limit.
    public var timeout: Duration?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method, in capitals.
    ///   - url: Where it is sent.
    ///   - headers: Its header fields.
    ///   - body: Its body.
    ///   - timeout: How long the transport may take for it; nil for the transport's own limit.
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

    /// Whether sending it twice does what sending it once does, by RFC 9110, section 9.2.2, or because it carries an
    /// `Idempotency-Key`, by which the server knows the second one.
    public var isIdempotent: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) || headers["Idempotency-Key"] != nil
    }
}

extension HTTPMessage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method, and the URL without its query.
    public var description: String { "\(method) \(url.withoutSecrets)" }

    /// The method, and the URL without its query.
    public var debugDescription: String { description }

    /// Nothing: what is printed by reflection shall have neither headers nor body.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An answer, as a transport hands it over: with whatever status, and the whole body.
///
/// Descriptions have the status and the body's length.
public struct HTTPAnswer: Sendable {
    /// The status.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body, decompressed.
    public var body: Data

    /// Makes an answer, also for tests and fakes.
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

extension HTTPAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the body's length.
    public var description: String { "HTTP \(status), \(body.count) bytes" }

    /// The status and the body's length.
    public var debugDescription: String { description }

    /// Nothing: what is printed by reflection shall have neither headers nor body.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension URL {
    /// The scheme, host, port and path, which may be written down; query, fragment, user and password may not.
    var withoutSecrets: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "a URL" }
        components.query = nil
        components.fragment = nil
        components.user = nil
        components.password = nil
        return components.string ?? "a URL"
    }
}

/// What sends requests: `URLSession` by ``URLSessionTransport``, another client in a service, a closure's worth of code
/// in a test.
///
/// An answer with whatever status is an answer, and no error. What it throws an ``APIClient`` turns into a
/// ``NetworkError``: a `URLError` by its code, a ``NetworkError`` stays as it is, and anything else is
/// ``NetworkError/unknown(_:)``.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns the answer with its whole body.
    ///
    /// Where the task is cancelled it returns at once, by throwing a `CancellationError`, say. It keeps to the
    /// request's time limit, and bounds what it keeps of the body by throwing ``NetworkError/bodyTooLarge(limit:)``.
    ///
    /// - Parameter message: The request.
    /// - Returns: The answer.
    /// - Throws: Where there is no answer, or none that is whole.
    func send(_ message: HTTPMessage) async throws -> HTTPAnswer

    /// Whether the layer below may send a request twice by itself; false unless it says otherwise.
    ///
    /// An ``APIClient`` then never sends again by itself what must not be sent twice, for nobody knows how often it was
    /// sent already.
    var repeatsByItself: Bool { get }
}

extension HTTPTransport {
    /// No: it sends a request once, or not at all.
    public var repeatsByItself: Bool { false }
}
