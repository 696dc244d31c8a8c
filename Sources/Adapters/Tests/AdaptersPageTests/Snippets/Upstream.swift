import AsyncHTTPClient
import ErrorRoutingHummingbird
import Hummingbird
import NIOHTTP1

private func others(_ client: HTTPClient, _ request: HTTPClientRequest) async throws -> Response {
    let response = try await upstream { try await client.execute(request, timeout: .seconds(10)) }
    guard response.status == .ok else { throw HTTPError(.badGateway) }
    return Response(
        status: .ok, body: ResponseBody(asyncSequence: upstream(response.body, idleTimeout: .seconds(10))))
}
