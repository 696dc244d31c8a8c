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
    /// A path that could lead out of the base is not sent: one with a segment of dots, a backslash, two slashes at the
    /// beginning, or a control character, also where they are encoded.
    var path: String { get }
    /// The query; empty by default. The client percent-encodes it, plus signs too.
    var query: [URLQueryItem] { get }
    /// The header fields; empty by default. The client adds `Accept` and, with a body, `Content-Type` for JSON, unless
    /// they are set.
    var headers: HTTPHeaders { get }
    /// The value to encode as the body; nil by default.
    var body: (any Encodable & Sendable)? { get }
    /// The time limit of each attempt, its redirects and a refresh of the token included; nil, the default, for the
    /// transport's limit.
    ///
    /// A request whose limit is not positive fails before anything is sent.
    var timeout: Duration? { get }

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

    /// No error.
    public func rejection(of response: Response) -> (any Error)? { nil }
}

/// A response without a value: the body is ignored.
public struct NoContent: Decodable, Sendable {
    /// Makes an empty response, for tests and fakes.
    public init() {}

    /// Makes an empty response, whatever the decoder holds.
    public init(from decoder: any Decoder) {}
}
