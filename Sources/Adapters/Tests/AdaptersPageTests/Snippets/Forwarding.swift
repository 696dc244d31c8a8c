import AsyncHTTPClient
import ErrorRoutingHummingbird
import Hummingbird
import NIOHTTP1

private func forward(_ request: Request, with client: HTTPClient) async throws -> HTTPClientResponse {
    var outgoing = HTTPClientRequest(url: "http://localhost:9100\(request.uri.path)")
    outgoing.method = .init(rawValue: request.method.rawValue)
    outgoing.body = try await request.collectedBody(upTo: 1 << 20)
    let response = try await upstream { try await client.execute(outgoing, timeout: .seconds(10)) }
    return response
}
