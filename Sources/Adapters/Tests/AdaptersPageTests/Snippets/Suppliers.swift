import AsyncHTTPClient
import ErrorRecovery
import ErrorRoutingAsyncHTTPClient
import Foundation
import HTTPErrors
import ServiceLifecycle

struct Suppliers: Service {
    private let client = HTTPClient(configuration: AsyncHTTPClientHTTPTransport.configuration())
    let api: APIClient

    init(base: URL) {
        api = APIClient(base: base, transport: .asyncHTTPClient(client), retry: .default)
    }

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}
