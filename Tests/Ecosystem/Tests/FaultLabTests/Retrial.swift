import ErrorRecovery
import ErrorRouting
import FaultServer
import Foundation
import HTTPErrors
import Synchronization

/// The error that a client makes of a situation, and whether the client tries again.
struct Retrial: Sendable {
    /// How it ended; nil where it ended well.
    let error: NetworkError?
    /// How often the request went to the transport, of at most two times.
    let attempts: Int

    init(of situation: Situation, as method: String, on server: FaultServer, by transport: any HTTPTransport) async {
        let message = situation.message(server)
        let counting = CountingTransport(transport)
        var policy = RetryPolicy.default
        policy.maxAttempts = 2
        policy.backoff = .constant(.zero, jitter: .none)
        // Ignores what the client posts besides.
        error = await withErrorBus(handler: ErrorHandler()) { bus -> NetworkError? in
            let client = APIClient(base: message.origin, transport: counting, retry: policy, errors: bus)
            do throws(NetworkError) {
                _ = try await client.send(Probe(message, as: method))
                return nil
            } catch {
                return error
            }
        }
        attempts = counting.count
    }
}

/// A request for any JSON.
private struct Probe: APIRequest {
    typealias Response = JSONValue

    let method: String
    let path: String
    let query: [URLQueryItem]
    let timeout: Duration?

    init(_ message: HTTPMessage, as method: String) {
        self.method = method
        path = String(message.url.path().drop { $0 == "/" })
        query = URLComponents(url: message.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        timeout = message.timeout
    }
}

/// A transport that counts what goes to another.
private final class CountingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let sent = Atomic(0)

    var count: Int { sent.load(ordering: .relaxed) }
    var repeatsByItself: Bool { transport.repeatsByItself }

    init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    func send(_ message: HTTPMessage) async throws -> HTTPAnswer {
        sent.add(1, ordering: .relaxed)
        return try await transport.send(message)
    }
}

extension HTTPMessage {
    /// The URL without path and query.
    fileprivate var origin: URL {
        var components = URLComponents()
        components.scheme = url.scheme
        components.host = url.host()
        components.port = url.port
        components.path = "/"
        return components.url ?? url
    }
}
