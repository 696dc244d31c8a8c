import AsyncHTTPClient
import ErrorRecovery
import ErrorRouting
import ErrorRoutingAsyncHTTPClient
import ErrorRoutingHummingbird
import Foundation
import HTTPErrors
import NIOCore
import ServiceLifecycle

/// A client for the suppliers' prices, which are not always reachable.
struct Suppliers: Service {
    private struct GetQuote: APIRequest {
        struct Response: Decodable { let price: String }

        let path: String
        let timeout: Duration?
        var query: [URLQueryItem] { [URLQueryItem(name: "price", value: "12.50")] }
    }

    private let base: URL
    private let client: HTTPClient
    private let api: APIClient

    init(base: URL) {
        self.base = base
        var configuration = AsyncHTTPClientHTTPTransport.configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        client = HTTPClient(configuration: configuration)
        // The error of an attempt that a retry follows is posted too, in the request's scope.
        let policy = RetryPolicy(
            maxAttempts: 2, backoff: .exponential(from: .milliseconds(20)), budget: RetryBudget(ratio: 0.2)
        )
        api = APIClient(base: base, transport: .asyncHTTPClient(client), retry: policy)
    }

    /// Requests a supplier's catalogue and returns when its body begins.
    ///
    /// - Parameters:
    ///   - path: The supplier and the catalogue.
    ///   - limit: How many milliseconds the head may take.
    ///   - idleTimeout: How many milliseconds each part of the body may take.
    /// - Returns: The body.
    /// - Throws: ``UpstreamError``
    func catalogue(
        _ path: String,
        within limit: Int,
        idleTimeout: Int
    ) async throws -> UpstreamBody<HTTPClientResponse.Body> {
        let request = HTTPClientRequest(url: base.appending(path: path).absoluteString)
        let response = try await upstream { try await client.execute(request, timeout: .milliseconds(Int64(limit))) }
        return upstream(response.body, idleTimeout: .milliseconds(idleTimeout))
    }

    /// Keeps the connections until the service shuts down.
    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }

    /// - Parameters:
    ///   - path: The supplier and the item.
    ///   - limit: How long each attempt may take; nil for the transport's limit, which is a minute.
    func price(_ path: String, within limit: Duration?) async throws(NetworkError) -> String {
        try await api.send(GetQuote(path: path, timeout: limit)).price
    }
}
