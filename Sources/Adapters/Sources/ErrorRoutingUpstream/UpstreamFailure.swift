public import Foundation
public import HTTPErrors

/// An error of a client that reports a failure of the called service.
///
/// Inside `upstream`, such an error becomes an ``UpstreamError``. `NetworkError` and `URLError` conform. The adapters
/// add the conformance to gRPC's `RPCError`, and to the errors of async-http-client and of the parts of SwiftNIO that
/// it uses. For another client, such as a database's, conform its errors yourself:
///
/// ```swift
/// extension PSQLError: UpstreamFailure {}
/// ```
public protocol UpstreamFailure: Error {
    /// Whether the service took too long; false by default.
    var isUpstreamTimeout: Bool { get }
}

extension UpstreamFailure {
    /// Returns false: the service failed in another way.
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
