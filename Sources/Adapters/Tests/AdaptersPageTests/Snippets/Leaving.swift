import ErrorRoutingHummingbird
import Hummingbird

private func consume(
    _ request: Request,
    _ handle: @escaping @Sendable (RequestBody) async throws -> Response
) async throws -> Response {
    do {
        return try await request.body.consumeWithCancellationOnInboundClose { try await handle($0) }
    } catch is CancellationError where !Task.isCancelled {
        throw ClientDisconnected.left(CancellationError())
    }
}
