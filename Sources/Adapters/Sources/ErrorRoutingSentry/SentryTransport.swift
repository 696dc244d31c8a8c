import AsyncHTTPClient
import ErrorRoutingAsyncHTTPClient
import HTTPErrors

/// Sends requests with a client, which it shuts down at the end if the client is its own.
struct SentryTransport: Sendable {
    let send: @Sendable (TransportRequest) async throws -> TransportResponse
    let shutDown: @Sendable () async -> Void

    /// - Parameters:
    ///   - client: The client; nil to create one.
    ///   - timeout: How long an attempt can take.
    init(client: HTTPClient?, timeout: Duration) {
        let used = client ?? HTTPClient(configuration: Self.configuration)
        // Sentry's answers are short; nobody reads them.
        let transport = AsyncHTTPClientHTTPTransport(used, timeout: timeout, bodyLimit: Self.bodyLimit)
        send = { try await transport.send($0) }
        // A client that is deallocated before its shutdown stops the process.
        shutDown = { if client == nil { try? await used.shutdown() } }
    }

    init(
        send: @escaping @Sendable (TransportRequest) async throws -> TransportResponse,
        shutDown: @escaping @Sendable () async -> Void = {}
    ) { (self.send, self.shutDown) = (send, shutDown) }

    private static let bodyLimit = 1 << 16

    private static var configuration: HTTPClient.Configuration {
        var configuration = AsyncHTTPClientHTTPTransport.configuration(bodyLimit: bodyLimit)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        return configuration
    }
}
