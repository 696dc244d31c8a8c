import ErrorRouting
import Hummingbird

// The connection broke that a request comes from, or one that the service has opened itself. All break with the same
// errors, so each is wrapped where it is known which of the two it was.
struct ClientBroke: Error, UnderlyingErrors {
    let underlyingErrors: [any Error]
}

struct UpstreamBroke: Error, UnderlyingErrors {
    let underlyingErrors: [any Error]
}

// Around all that a request asks of another service. What breaks towards the client in it remains the client's.
func upstream<Value>(_ operation: () async throws -> Value) async throws -> Value {
    do { return try await operation() } catch {
        throw error is ClientBroke || Task.isCancelled ? error : UpstreamBroke(underlyingErrors: [error])
    }
}

// What the middleware gives as the body of every request.
struct ClientBody: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            do { return try await parts.next() } catch { throw ClientBroke(underlyingErrors: [error]) }
        }
    }

    let body: RequestBody

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: body.makeAsyncIterator()) }
}

// What the middleware writes every response with.
struct ClientWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter

    mutating func write(_ buffer: ByteBuffer) async throws {
        do { try await writer.write(buffer) } catch { throw ClientBroke(underlyingErrors: [error]) }
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        do { try await writer.finish(trailers) } catch { throw ClientBroke(underlyingErrors: [error]) }
    }
}
