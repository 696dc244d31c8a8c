public import ErrorRouting
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

    private static func isTimeout(_ error: any Error) -> Bool {
        if ErrorMatcher<NetworkError>.network(.timeout).match(error) != nil { return true }
        if case ChannelError.connectTimeout = error { return true }
        if let error = error as? NIOConnectionError { return error.connectionErrors.contains { isTimeout($0.error) } }
        // async-http-client is no dependency of this module, so its error is known by its name.
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
/// - Throws: ``UpstreamBroke``; what the operation threw, if it is the client's or the request was cancelled.
public func upstream<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Value
) async throws -> Value {
    do { return try await operation() } catch { throw UpstreamBroke.error(for: error, else: UpstreamBroke.connection) }
}

/// Returns the body of another service's response, with a limit to the pauses in it.
///
/// The body may be of any length, and take as long as a client that is slow to read it makes it: what has a limit is
/// the time for the next part, once it was asked for.
///
/// - Parameters:
///   - body: The body. Its iterator must end when its task is cancelled, as async-http-client's does.
///   - limit: How long the next part may take.
/// - Returns: The body, which throws ``UpstreamBroke``.
public func upstream<Body: AsyncSequence & Sendable>(_ body: Body, pauses limit: Duration) -> UpstreamBody<Body>
where Body.Element: Sendable {
    UpstreamBody(body: body, limit: limit)
}

/// The body of another service's response, as ``upstream(_:pauses:)`` returns it.
public struct UpstreamBody<Body: AsyncSequence & Sendable>: AsyncSequence, Sendable where Body.Element: Sendable {
    /// Iterates over the parts, each within the time limit.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let parts: Parts
        private let limit: Duration

        init(_ body: Body, limit: Duration) {
            parts = Parts(body)
            self.limit = limit
        }

        /// Waits for the next part, for a limited time.
        ///
        /// - Returns: The part; nil at the end of the body.
        /// - Throws: ``UpstreamBroke``, or what the body threw because the request was cancelled.
        public mutating func next() async throws -> Body.Element? {
            let (parts, limit) = (parts, limit)
            do {
                return try await withThrowingTaskGroup(of: Body.Element?.self) { group in
                    group.addTask { try await parts.next() }
                    group.addTask {
                        try await Task.sleep(for: limit)
                        throw UpstreamPaused(limit: limit)
                    }
                    defer { group.cancelAll() }
                    return try await group.next() ?? nil
                }
            } catch let pause as UpstreamPaused {
                throw UpstreamBroke.timeout(pause)
            } catch {
                throw UpstreamBroke.error(for: error, else: UpstreamBroke.body)
            }
        }
    }

    let body: Body
    let limit: Duration

    /// Begins the body.
    ///
    /// - Returns: Its iterator.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body, limit: limit) }

    /// The body's iterator, which one task at a time uses: that of a part has ended before the next part is asked for.
    private final class Parts: @unchecked Sendable {
        private var iterator: Body.AsyncIterator

        init(_ body: Body) { iterator = body.makeAsyncIterator() }

        func next() async throws -> Body.Element? { try await iterator.next() }
    }
}

/// The cause of a time-out within a body.
private struct UpstreamPaused: Error, CustomStringConvertible {
    let limit: Duration

    var description: String { "nothing came for \(limit)" }
}
