public import Foundation
public import HTTPErrors

/// A client's error that reports a failure of the called service.
///
/// Inside `upstream`, such an error becomes an ``UpstreamError``. `NetworkError` and `URLError` conform to this
/// protocol. The adapters add the conformance to gRPC's `RPCError`, and to the errors of async-http-client and of the
/// parts of SwiftNIO that it uses. For another client, such as a database client, conform its errors yourself:
///
/// ```swift
/// extension PSQLError: UpstreamFailure {}
/// ```
public protocol UpstreamFailure: Error {
    /// Whether the service took too long; false by default.
    var isUpstreamTimeout: Bool { get }

    /// Whether the caller's own client was shut down before or during the request; false by default.
    ///
    /// It isn't read in a cancelled task, because the cancellation explains the error there.
    var isClientShutDown: Bool { get }
}

extension UpstreamFailure {
    /// False: the service failed in another way.
    public var isUpstreamTimeout: Bool { false }

    /// False: the client is running.
    public var isClientShutDown: Bool { false }
}

extension NetworkError: UpstreamFailure {
    /// Whether the error has the kind `timeout`.
    public var isUpstreamTimeout: Bool { kind == .timeout }

    /// Whether the error has the kind `connection` because its client or session was shut down.
    public var isClientShutDown: Bool { kind == .connection && (cause as? URLError)?.code == .cancelled }
}

extension URLError: UpstreamFailure {
    /// Whether the error has the code `timedOut`.
    public var isUpstreamTimeout: Bool { code == .timedOut }

    /// Whether the error has the code `cancelled`, as for a session that was invalidated.
    public var isClientShutDown: Bool { code == .cancelled }
}
