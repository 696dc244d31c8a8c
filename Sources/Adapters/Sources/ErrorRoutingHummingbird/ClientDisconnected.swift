public import ErrorRouting
import Hummingbird
import NIOHTTP1

/// The connection broke that a request came on: no failure of the service.
///
/// A connection that the service has opened itself breaks with the same errors, so ``ErrorReportingMiddleware`` wraps them where
/// it is known which of the two it was: around the request's body, and around the writer of the response's. It ignores
/// them, unless your rules do otherwise.
public enum ClientDisconnected: Error, UnderlyingErrors, CustomStringConvertible {
    /// The client has left; it gets no response.
    case left(any Error)
    /// The client has sent what is not HTTP, and is still there.
    case malformed(any Error)

    /// Returns the error for one of the connection's, which a cancelled request closes itself.
    static func unlessCancelled(_ error: any Error) -> any Error {
        if Task.isCancelled { return CancellationError() }
        let isMalformed = (error as? HTTPParserError).map { $0 != .invalidEOFState } ?? false
        return isMalformed ? ClientDisconnected.malformed(error) : ClientDisconnected.left(error)
    }

    /// What the connection broke with.
    public var underlyingErrors: [any Error] {
        switch self {
        case .left(let error), .malformed(let error): [error]
        }
    }

    /// Which of the two it was; what the connection broke with is in the report's trail.
    public var description: String {
        switch self {
        case .left: "the client has left"
        case .malformed: "the client has sent what is not HTTP"
        }
    }
}

/// The request was cancelled before it was answered, such as by the limit of a shutdown: a notice, not a failure.
///
/// ``ErrorReportingMiddleware`` posts one for each such request, with a rule of its own that handles it.
public struct RequestCancelled: Error, UnderlyingErrors, CustomStringConvertible {
    /// What the request threw when it was cancelled.
    public let underlyingErrors: [any Error]

    /// That the request was cancelled; what it threw is in the report's trail.
    public var description: String { "the request was cancelled" }
}

/// The body of a request, whose errors are the client's.
struct ClientBody: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            let part: ByteBuffer?
            do { part = try await parts.next() } catch { throw ClientDisconnected.unlessCancelled(error) }
            // A cancelled body may end in the same way as a complete one.
            if part == nil { try Task.checkCancellation() }
            return part
        }
    }

    let body: RequestBody

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: body.makeAsyncIterator()) }
}

/// The writer of a response's body, whose errors are the client's.
struct ClientWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter

    mutating func write(_ buffer: ByteBuffer) async throws {
        do { try await writer.write(buffer) } catch { throw ClientDisconnected.unlessCancelled(error) }
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        do { try await writer.finish(trailers) } catch { throw ClientDisconnected.unlessCancelled(error) }
    }
}
