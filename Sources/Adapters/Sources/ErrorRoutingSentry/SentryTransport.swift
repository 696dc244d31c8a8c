import AsyncHTTPClient
import ErrorRoutingAsyncHTTPClient
import HTTPErrors

/// Sends requests with a client, and finally shuts the client down if it created the client itself.
struct SentryTransport: Sendable {
    let send: @Sendable (TransportRequest) async throws -> TransportResponse
    let shutDown: @Sendable () async -> Void

    /// Uses the given client, or creates one if it is nil; an attempt can take as long as `timeout`.
    init(client: HTTPClient?, timeout: Duration) {
        let used = client ?? HTTPClient(configuration: Self.configuration)
        // Use a small body limit, because Sentry's answers are short and aren't read.
        let transport = AsyncHTTPClientHTTPTransport(used, timeout: timeout, bodyLimit: Self.bodyLimit)
        send = { try await transport.send($0) }
        // Shut down a client that this initializer created, because a client that is deallocated before its shutdown
        // crashes.
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
