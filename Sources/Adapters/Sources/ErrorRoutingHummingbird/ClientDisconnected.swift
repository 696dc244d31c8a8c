public import ErrorRouting
import Hummingbird
import NIOHTTP1

/// The error of a broken client connection, which isn't a failure of the service.
///
/// The service's own outgoing connections break with the same errors. So ``ErrorReportingMiddleware`` wraps an error
/// only where the connection is certainly the client's: in the request's body and in the writer of the response's body.
/// The middleware ignores the wrapped errors unless your rules match them.
///
/// If a client disconnects before the response's head is written, this goes undetected unless the route reads or
/// watches the connection. If the client closed the connection properly, Hummingbird still writes the response and
/// counts a success. If the client reset the connection, Hummingbird doesn't run the response's body: `hb.requests`
/// doesn't count the request, `http.server.active_requests` continues to count it, and its span ends without an error.
public enum ClientDisconnected: Error, UnderlyingErrorsProviding, CustomStringConvertible {
    /// The client has disconnected and doesn't receive a response.
    case left(any Error)
    /// The client has sent malformed HTTP but is still connected.
    case malformed(any Error)

    /// Returns the error for a connection error; in a cancelled request, a `CancellationError`, because the
    /// cancellation closes the connection.
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

    /// The case, without the connection's error, which is among the report's underlying errors.
    public var description: String {
        switch self {
        case .left: "the client has left"
        case .malformed: "the client has sent what is not HTTP"
        }
    }
}

/// The notice that a request was cancelled before it was answered, for example by the time limit of a shutdown.
///
/// ``ErrorReportingMiddleware`` posts one notice for each such request, and handles it with its own rule.
public struct RequestCancelled: Error, UnderlyingErrorsProviding, CustomStringConvertible {
    /// The error that the request threw when it was cancelled.
    public let underlyingErrors: [any Error]

    /// The cancellation, without the thrown error, which is among the report's underlying errors.
    public var description: String { "the request was cancelled" }
}

/// The body of a request.
///
/// An error while reading it is attributed to the client.
struct ClientBody: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            let part: ByteBuffer?
            do { part = try await parts.next() } catch { throw ClientDisconnected.unlessCancelled(error) }
            // Check for cancellation, because a cancelled body can end like a complete body.
            if part == nil { try Task.checkCancellation() }
            return part
        }
    }

    let body: RequestBody

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: body.makeAsyncIterator()) }
}

/// The writer of a response's body.
///
/// An error while writing is attributed to the client.
struct ClientWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter

    mutating func write(_ buffer: ByteBuffer) async throws {
        do { try await writer.write(buffer) } catch { throw ClientDisconnected.unlessCancelled(error) }
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        do { try await writer.finish(trailers) } catch { throw ClientDisconnected.unlessCancelled(error) }
    }
}
