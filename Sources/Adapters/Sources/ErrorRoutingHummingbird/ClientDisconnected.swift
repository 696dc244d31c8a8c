public import ErrorRouting
import Hummingbird
import NIOHTTP1

/// The client's connection broke, which isn't a failure of the service.
///
/// The service's own outgoing connections break with the same errors. So ``ErrorReportingMiddleware`` wraps them only
/// where the connection is certainly the client's: around the request's body, and around the writer of the response's
/// body. It ignores them, unless your rules do otherwise.
public enum ClientDisconnected: Error, UnderlyingErrorsProviding, CustomStringConvertible {
    /// The client has disconnected; it receives no response.
    case left(any Error)
    /// The client has sent malformed HTTP, and is still connected.
    case malformed(any Error)

    /// Returns the error for one of the connection's errors, except in a cancelled request, which closes the connection
    /// itself.
    static func unlessCancelled(_ error: any Error) -> any Error {
        if Task.isCancelled { return CancellationError() }
        let isMalformed = (error as? HTTPParserError).map { $0 != .invalidEOFState } ?? false
        return isMalformed ? ClientDisconnected.malformed(error) : ClientDisconnected.left(error)
    }

    /// The error of the broken connection.
    public var underlyingErrors: [any Error] {
        switch self {
        case .left(let error), .malformed(let error): [error]
        }
    }

    /// Describes the case; the connection's error is in the report's trail.
    public var description: String {
        switch self {
        case .left: "the client has left"
        case .malformed: "the client has sent what is not HTTP"
        }
    }
}

/// The request was cancelled before it was answered, for example by the time limit of a shutdown: a notice, not a
/// failure.
///
/// ``ErrorReportingMiddleware`` posts one for each such request, and has its own rule that handles it.
public struct RequestCancelled: Error, UnderlyingErrorsProviding, CustomStringConvertible {
    /// The error that the request threw when it was cancelled.
    public let underlyingErrors: [any Error]

    /// The cancellation; the thrown error is in the report's trail.
    public var description: String { "the request was cancelled" }
}

/// The body of a request.
///
/// An error while it is read is the client's error.
struct ClientBody: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            let part: ByteBuffer?
            do { part = try await parts.next() } catch { throw ClientDisconnected.unlessCancelled(error) }
            // A cancelled body can end in the same way as a complete one.
            if part == nil { try Task.checkCancellation() }
            return part
        }
    }

    let body: RequestBody

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: body.makeAsyncIterator()) }
}

/// The writer of a response's body.
///
/// An error while it writes is the client's error.
struct ClientWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter

    mutating func write(_ buffer: ByteBuffer) async throws {
        do { try await writer.write(buffer) } catch { throw ClientDisconnected.unlessCancelled(error) }
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        do { try await writer.finish(trailers) } catch { throw ClientDisconnected.unlessCancelled(error) }
    }
}
