public import Foundation

/// A request to a service, and the type of what it answers.
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
/// Only the path is required; the rest is that of a GET.
public protocol APIRequest: Sendable {
    /// What a good answer holds; ``NoContent`` where it holds nothing.
    associatedtype Response: Decodable & Sendable

    /// The method, in capitals; `GET` unless it says otherwise.
    var method: String { get }
    /// The path below the client's base URL. It is percent-encoded for you.
    var path: String { get }
    /// The query; empty unless it says otherwise. It is percent-encoded for you, plus signs too.
    var query: [URLQueryItem] { get }
    /// The header fields; `Accept` and, with a body, `Content-Type` are those of JSON unless they are among them.
    var headers: HTTPHeaders { get }
    /// What is encoded as the body; nothing unless it says otherwise.
    var body: (any Encodable & Sendable)? { get }
    /// How long it may take; nil for the transport's limit.
    var timeout: Duration? { get }

    /// An error that a good answer stands for: some services say no with a 200.
    ///
    /// - Parameter response: The answer, decoded.
    /// - Returns: The service's own error, which is thrown as ``NetworkError/api(_:_:)``; nil for none, as unless it
    ///   says otherwise.
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

/// A response that holds nothing, or nothing that is asked for: whatever the body, it is not read.
public struct NoContent: Decodable, Sendable {
    /// Makes one, for tests and fakes.
    public init() {}

    /// Makes one of anything.
    public init(from decoder: any Decoder) {}
}
