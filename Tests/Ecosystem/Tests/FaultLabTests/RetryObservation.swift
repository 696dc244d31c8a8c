import ErrorRecovery
import ErrorRouting
import FaultServer
import Foundation
import HTTPErrors

typealias JSONValue = ProblemDetails.JSONValue

/// A client's error for a situation, and whether the client tried again.
struct RetryObservation: Sendable {
    /// The error; nil for a success.
    let error: NetworkError?
    /// Whether the client made a second attempt.
    let isRetried: Bool

    init(of situation: Situation, as method: HTTPMethod, on server: FaultServer, by transport: any HTTPTransport) async
    {
        let message = situation.message(server)
        var policy = RetryPolicy.default
        policy.maxAttempts = 2
        policy.backoff = .constant(.zero, jitter: .none)
        let retried = Watched(false)
        let client = APIClient(
            base: message.origin, transport: transport, retry: policy, errors: Attempts(retried: retried))
        do throws(NetworkError) {
            _ = try await client.send(Probe(message, as: method))
            error = nil
        } catch {
            self.error = error
        }
        isRetried = retried.value
    }
}

/// Records whether an attempt was posted, which means that a retry followed.
private struct Attempts: ErrorPosting {
    let retried: Watched<Bool>

    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        if role == .attempt { retried.update { $0 = true } }
    }

    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        post(error, as: role, metadata: metadata, source: source)
        return HandleOutcome(disposition: .handled)
    }
}

/// A request for any JSON.
private struct Probe: APIRequest {
    typealias Response = JSONValue

    let method: HTTPMethod
    let path: String
    let query: [URLQueryItem]
    let timeout: Duration?

    init(_ message: TransportRequest, as method: HTTPMethod) {
        self.method = method
        path = String(message.url.path().drop { $0 == "/" })
        query = URLComponents(url: message.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        timeout = message.timeout
    }
}

extension TransportRequest {
    /// The URL without its path and query.
    fileprivate var origin: URL {
        var components = URLComponents()
        components.scheme = url.scheme
        components.host = url.host()
        components.port = url.port
        components.path = "/"
        return components.url ?? url
    }
}
