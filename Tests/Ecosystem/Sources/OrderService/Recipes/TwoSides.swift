import ErrorRouting
import Hummingbird

// The connection broke that a response goes to, or the one that it comes from. Both break with the same errors, so each
// is wrapped where it is known which of the two it was.
struct ClientLeft: Error, UnderlyingErrors {
    let underlyingErrors: [any Error]
}

struct UpstreamBroke: Error, UnderlyingErrors {
    let underlyingErrors: [any Error]
}

// What the middleware writes every response with.
struct ClientWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter

    mutating func write(_ buffer: ByteBuffer) async throws {
        do { try await writer.write(buffer) } catch { throw ClientLeft(underlyingErrors: [error]) }
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        do { try await writer.finish(trailers) } catch { throw ClientLeft(underlyingErrors: [error]) }
    }
}

// For a body that comes from another service: `ResponseBody(asyncSequence: Upstream(body: response.body))`.
struct Upstream<Body: AsyncSequence & Sendable>: AsyncSequence, Sendable where Body.Element == ByteBuffer {
    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: Body.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            do { return try await parts.next() } catch { throw UpstreamBroke(underlyingErrors: [error]) }
        }
    }

    let body: Body

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: body.makeAsyncIterator()) }
}
