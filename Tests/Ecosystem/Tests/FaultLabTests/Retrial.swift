import ErrorRecovery
import ErrorRouting
import FaultServer
import Foundation
import HTTPErrors

/// The error that a client makes of a situation, and whether the client tries again.
struct Retrial: Sendable {
    /// How it ended; nil where it ended well.
    let error: NetworkError?
    /// Whether it was tried a second time.
    let isRetried: Bool

    init(of situation: Situation, as method: String, on server: FaultServer, by transport: any HTTPTransport) async {
        let message = situation.message(server)
        var policy = RetryPolicy.default
        policy.maxAttempts = 2
        policy.backoff = .constant(.zero, jitter: .none)
        let retried = Watched(false)
        // An attempt that another follows is posted as one.
        let handler = ErrorHandler().on(matching: .any) { _, report in
            if report.role == .attempt { retried.update { $0 = true } }
            return .stop
        }
        error = await withErrorBus(handler: handler) { bus -> NetworkError? in
            let client = APIClient(base: message.origin, transport: transport, retry: policy, errors: bus)
            do throws(NetworkError) {
                _ = try await client.send(Probe(message, as: method))
                return nil
            } catch {
                return error
            }
        }
        isRetried = retried.value
    }
}

/// A request for any JSON.
private struct Probe: APIRequest {
    typealias Response = JSONValue

    let method: String
    let path: String
    let query: [URLQueryItem]
    let timeout: Duration?

    init(_ message: TransportRequest, as method: String) {
        self.method = method
        path = String(message.url.path().drop { $0 == "/" })
        query = URLComponents(url: message.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        timeout = message.timeout
    }
}

extension TransportRequest {
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
