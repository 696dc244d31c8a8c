public import Foundation

/// A request to a service, with the type of its response.
///
/// ```swift
/// struct GetUser: APIRequest {
///     typealias Response = User
///     let id: Int
///     var path: String { "users/\(id)" }
/// }
/// let user = try await client.send(GetUser(id: 17))
/// ```
///
/// Only the path is required; the defaults make a GET.
public protocol APIRequest: Sendable {
    /// The type that a successful response is decoded as; ``NoContent`` if its body is not needed.
    associatedtype Response: Decodable & Sendable

    /// The method, in capitals; `GET` by default.
    var method: String { get }
    /// The path below the client's base URL, which the client percent-encodes.
    ///
    /// Two hexadecimal digits after a percent sign are already encoded, and stay: `projects/group%2Fapp` has two segments.
    /// Pass a text that a user typed through ``segment(_:)-method``, so that it adds no segments and no query.
    ///
    /// A path that could lead out of the base is not sent: one with a segment of dots, a backslash, two slashes at the
    /// beginning, or a control character, also where they are encoded.
    var path: String { get }
    /// The query; empty by default. The client percent-encodes it, plus signs too.
    var query: [URLQueryItem] { get }
    /// The header fields; empty by default. The client adds `Accept` and, with a body, `Content-Type` for JSON, unless
    /// they are set.
    var headers: HTTPHeaders { get }
    /// The value to encode as JSON for the body, or ``BodyBytes``; nil by default.
    var body: (any Encodable & Sendable)? { get }
    /// The time limit of each attempt, its redirects and a refresh of the token included; nil, the default, for the
    /// transport's limit.
    ///
    /// A request whose limit is not positive fails before anything is sent.
    var timeout: Duration? { get }
    /// Whether the client's token is sent, and refreshed if the server refuses it; true by default.
    ///
    /// Return false for a request that signs in: its 401 says that the password is wrong, and not the token.
    var usesToken: Bool { get }
    /// The key by which the server recognizes a request that it gets again, sent as `Idempotency-Key`; nil by default.
    ///
    /// A request with a key may be sent again, by the client's retries and by a `retry` around `send`. Store the key in
    /// the request: a computed property that makes a new key for each call would make each attempt an order of its own.
    /// A key among the ``headers`` counts only for the client's own retries, which repeat one message.
    var idempotencyKey: String? { get }

    /// Returns the service's own error if a response means a failure: some services report failures with status 200.
    ///
    /// - Parameter response: The decoded response.
    /// - Returns: The error, which becomes the cause of a ``NetworkError`` of kind `service`; nil, the default, for
    ///   none.
    func rejection(of response: Response) -> (any Error)?
}

extension APIRequest {
    /// The method `GET`.
    public var method: String { "GET" }
    /// No query.
    public var query: [URLQueryItem] { [] }
    /// No header fields.
    public var headers: HTTPHeaders { [:] }
    /// No body.
    public var body: (any Encodable & Sendable)? { nil }
    /// The transport's own limit.
    public var timeout: Duration? { nil }
    /// True.
    public var usesToken: Bool { true }
    /// No key.
    public var idempotencyKey: String? { nil }

    /// No error.
    public func rejection(of response: Response) -> (any Error)? { nil }

    /// Returns a text as one segment of a path, whatever it contains.
    ///
    /// ```swift
    /// var path: String { "projects/\(segment(name))/issues" }
    /// ```
    ///
    /// A text that consists of dots only still makes a path that is not sent.
    ///
    /// - Parameter text: The text, for example one that a user typed.
    /// - Returns: The text with all characters but letters, digits, and `-._~` percent-encoded.
    public func segment(_ text: String) -> String { Self.segment(text) }

    /// Returns a text as one segment of a path, whatever it contains; see the instance method.
    public static func segment(_ text: String) -> String { text.percentEncoded(keeping: "-._~") }
}

/// A body that is sent as it is, with its content type.
///
/// ```swift
/// var body: (any Encodable & Sendable)? { BodyBytes(image, contentType: "image/png") }
/// ```
public struct BodyBytes: Encodable, Sendable, SecretHolding {
    /// The bytes.
    var bytes: Data
    /// The content type, unless the request's headers have one.
    var contentType: String

    /// Makes a body.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The content type, unless the request's headers have one.
    public init(_ bytes: Data, contentType: String) {
        (self.bytes, self.contentType) = (bytes, contentType)
    }

    /// The number of bytes.
    public var description: String { "\(bytes.count) bytes" }
}

/// A response without a value: the body is ignored.
public struct NoContent: Decodable, Sendable {
    /// Makes an empty response, for tests and fakes.
    public init() {}

    /// Makes an empty response, whatever the decoder holds.
    public init(from decoder: any Decoder) {}
}
