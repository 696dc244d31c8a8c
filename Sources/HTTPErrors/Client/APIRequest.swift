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
/// Only the path is required. By default, the request is a GET.
public protocol APIRequest: HTTPMethodProviding, Sendable {
    /// The type of a successful response's value.
    ///
    /// - `String` and `Data` are the unprocessed body, regardless of its content type. A `String` is decoded with the
    ///   content type's charset, or as UTF-8 if there is no charset.
    /// - ``NoContent`` ignores the body.
    /// - Any other type is decoded from JSON.
    ///
    /// If the response doesn't have a body, as after a 204, an optional is nil, and a `String` or `Data` is empty. Any
    /// other type throws an error of kind `noData`. An optional is also nil for JSON's `null`.
    associatedtype Response: Decodable & Sendable

    /// The method; `GET` by default.
    var method: HTTPMethod { get }
    /// The path below the client's base URL, which the client percent-encodes.
    ///
    /// A percent sign followed by two hexadecimal digits counts as encoded and isn't changed: `projects/group%2Fapp`
    /// has two segments. Pass a string that a user typed through ``segment(_:)``, so that it can't add segments or a
    /// query.
    ///
    /// The client doesn't send a path that could lead out of the base. Such a path contains a segment of dots, a
    /// backslash, two slashes at the beginning, or a control character, encoded or not.
    var path: String { get }
    /// The query, which the client percent-encodes, including plus signs; empty by default.
    var query: [URLQueryItem] { get }
    /// The header fields; empty by default.
    ///
    /// Unless the request contains them, the client adds `Accept` and, for a request with a body, `Content-Type`, both
    /// for JSON. For a `String` or `Data` response, it accepts any type.
    var headers: HTTPHeaders { get }
    /// The value to encode as JSON for the body, or ``BodyBytes``; nil by default.
    var body: (any Encodable & Sendable)? { get }
    /// The time limit of each attempt, including its redirects and a token refresh; nil, the default, for the
    /// transport's limit.
    ///
    /// If the limit isn't positive, the request fails before anything is sent.
    var timeout: Duration? { get }
    /// Whether the client sends its token, and refreshes it if the server refuses it; true by default.
    ///
    /// Return false for a request that signs in, because its 401 means that the password is wrong, not the token.
    var usesToken: Bool { get }
    /// The key that lets the server recognize a repeated request, sent as `Idempotency-Key`; nil by default.
    ///
    /// Both the client's retries and a `retry` around `send` may send a request with a key again. Store the key in the
    /// request: if a computed property created a new key on each call, the server would treat each attempt as a new
    /// request. A key that you set in ``headers`` protects only the client's own retries, because they resend the same
    /// message.
    var idempotencyKey: String? { get }

    /// Returns the service's own error if a response reports a failure, as some services do with status 200.
    ///
    /// - Parameter response: The decoded response.
    /// - Returns: The error, which becomes the cause of a ``NetworkError`` of kind `service`; nil, the default, for a
    ///   success.
    func rejection(of response: Response) -> (any Error)?
}

extension APIRequest {
    /// The method `GET`.
    public var method: HTTPMethod { .get }
    /// No query.
    public var query: [URLQueryItem] { [] }
    /// No header fields.
    public var headers: HTTPHeaders { [:] }
    /// No body.
    public var body: (any Encodable & Sendable)? { nil }
    /// Nil: the transport's limit applies.
    public var timeout: Duration? { nil }
    /// True.
    public var usesToken: Bool { true }
    /// No key.
    public var idempotencyKey: String? { nil }

    /// No error.
    public func rejection(of response: Response) -> (any Error)? { nil }

    /// Returns a string as one path segment, regardless of its characters.
    ///
    /// ```swift
    /// var path: String { "projects/\(segment(name))/issues" }
    /// ```
    ///
    /// The client still doesn't send a path with a segment that consists only of dots.
    ///
    /// - Parameter text: The string, for example a string that a user typed.
    /// - Returns: The string with all characters percent-encoded, except ASCII letters, digits, and `-._~`.
    public func segment(_ text: String) -> String { text.percentEncoded(keeping: "-._~") }
}

/// A body of bytes, sent unchanged with its content type.
///
/// ```swift
/// var body: (any Encodable & Sendable)? { BodyBytes(image, contentType: "image/png") }
/// ```
public struct BodyBytes: Encodable, Sendable, SecretHolding {
    /// The bytes.
    var bytes: Data
    /// The content type to send, unless the request's headers contain it.
    var contentType: String

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to send.
    ///   - contentType: The content type to send, unless the request's headers contain it.
    public init(_ bytes: Data, contentType: String) {
        (self.bytes, self.contentType) = (bytes, contentType)
    }
}

/// A response type without a value: the client ignores the body.
public struct NoContent: Decodable, Sendable {}
