public import ErrorRouting
import Foundation
import HTTPErrors
import NIOCore
import NIOPosix

/// A service failed that the request needs.
///
/// Each case is a kind of its own: in the report's fingerprint, for a flood limit, and in the dimensions of counters.
public enum UpstreamBroke: Error, UnderlyingErrors, CustomStringConvertible {
    /// It took too long, to answer or to go on.
    case timeout(any Error)
    /// No connection could be made, or it broke before the response's head.
    case connection(any Error)
    /// The response's body broke off.
    case body(any Error)

    /// What failed.
    public var underlyingErrors: [any Error] {
        switch self {
        case .timeout(let error), .connection(let error), .body(let error): [error]
        }
    }

    /// Which of them it was; what failed is in the report's trail.
    public var description: String {
        switch self {
        case .timeout: "the upstream took too long"
        case .connection: "the connection to the upstream failed"
        case .body: "the upstream's response broke off"
        }
    }

    /// Returns the error of what was asked of another service; what breaks towards the client remains the client's, and
    /// a cancelled request's is its cancellation.
    static func error(for error: any Error, else make: (any Error) -> UpstreamBroke) -> any Error {
        if error is ClientBroke || error is UpstreamBroke || Task.isCancelled { return error }
        return isTimeout(error) ? UpstreamBroke.timeout(error) : make(error)
    }

    /// Whether an error is one of `URLSession`, of async-http-client, or of SwiftNIO, on which that is built.
    ///
    /// async-http-client is no dependency of this module, so its errors are known by their names.
    static func isOfClient(_ error: any Error) -> Bool {
        if error is NetworkError || error is URLError { return true }
        let name = String(reflecting: type(of: error))
        return name.hasPrefix("AsyncHTTPClient.") || name.hasPrefix("NIO")
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        if ErrorMatcher<NetworkError>.network(.timeout).match(error) != nil { return true }
        if case URLError.timedOut = error { return true }
        if case ChannelError.connectTimeout = error { return true }
        if let error = error as? NIOConnectionError { return error.connectionErrors.contains { isTimeout($0.error) } }
        guard String(reflecting: type(of: error)) == "AsyncHTTPClient.HTTPClientError" else { return false }
        let text = "\(error)".lowercased()
        return text.contains("timeout") || text.contains("deadlineexceeded")
    }
}

/// Runs what a request asks of another service, up to the head of its response.
///
/// ```swift
/// let response = try await upstream { try await client.execute(request, timeout: .seconds(10)) }
/// return Response(status: .ok, body: .init(asyncSequence: upstream(response.body, pauses: .seconds(10))))
/// ```
///
/// - Parameter operation: The operation, with a time limit of its own.
/// - Returns: What the operation returned.
/// - Throws: ``UpstreamBroke`` for an error of an HTTP client; what the operation threw, if it is another, or the
///   request was cancelled.
public func upstream<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Value
) async throws -> Value {
    do { return try await operation() } catch {
        guard UpstreamBroke.isOfClient(error) else { throw error }
        throw UpstreamBroke.error(for: error, else: UpstreamBroke.connection)
    }
}
