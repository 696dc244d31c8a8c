public import Foundation
public import HTTPErrors

/// An error with which a client says that the service it called has failed.
///
/// Within `upstream`, such an error becomes an ``UpstreamError``. `NetworkError` and `URLError` conform; the adapters
/// conform the errors of async-http-client and of SwiftNIO, on which that is built, and gRPC's `RPCError`. For another
/// client, such as a database's, conform its errors yourself:
///
/// ```swift
/// extension PSQLError: UpstreamFailure {}
/// ```
public protocol UpstreamFailure: Error {
    /// Whether the service took too long; false by default.
    var isUpstreamTimeout: Bool { get }
}

extension UpstreamFailure {
    /// Says that the service failed in another way.
    public var isUpstreamTimeout: Bool { false }
}

extension NetworkError: UpstreamFailure {
    /// Whether the error is of the kind `timeout`.
    public var isUpstreamTimeout: Bool { kind == .timeout }
}

extension URLError: UpstreamFailure {
    /// Whether the error has the code `timedOut`.
    public var isUpstreamTimeout: Bool { code == .timedOut }
}
