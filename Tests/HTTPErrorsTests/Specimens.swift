import ErrorRecovery
import ErrorRouting
import Foundation

@testable import HTTPErrors

typealias JSONValue = ProblemDetails.JSONValue

/// A service's own error.
struct GitHubError: Error, Equatable {
    var code: Int
}

/// A service's own error with a retry decision and a hint.
struct BusyError: RetryClassified, RetryAfterProviding {
    var retryDecision: RetryDecision { .retry(cost: 2) }
    var retryAfter: Duration? { .seconds(9) }
}

extension NetworkError {
    /// One error of each kind, with all possible contents.
    static var samples: [NetworkError] { samples(of: HTTPFailure(status: 429)) }

    static func samples(of failure: HTTPFailure) -> [NetworkError] {
        let context = DecodingError.Context(codingPath: [], debugDescription: "x")
        return [
            NetworkError(.invalidURL, detail: "http://host/path"),
            NetworkError(
                .encoding, cause: EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: ""))),
            NetworkError(URLError(.notConnectedToInternet)), NetworkError(URLError(.timedOut)),
            NetworkError(.timeout, failure: failure), NetworkError(.cancelled),
            NetworkError(URLError(.networkConnectionLost)), NetworkError(URLError(.badServerResponse)),
            NetworkError(.unauthorized, failure: failure), NetworkError(.forbidden, failure: failure),
            NetworkError(.notFound, failure: failure), NetworkError(.http, failure: failure),
            NetworkError(.server, failure: failure), NetworkError(.noData),
            NetworkError(decoding: .dataCorrupted(context)),
            NetworkError(.unexpectedContentType, detail: "text/html"),
            NetworkError(.bodyTooLarge, detail: "more than 10 bytes"),
            NetworkError(.service, cause: GitHubError(code: 1), failure: failure),
            NetworkError(.unknown, cause: GitHubError(code: 2)),
        ]
    }
}

/// A transport that returns the responses of a closure.
///
/// The closure receives the request, and the number of earlier requests.
final class Script: HTTPTransport {
    private let respond: @Sendable (TransportRequest, Int) async throws -> TransportResponse
    private let sent = Locked<[TransportRequest]>([])
    let repeatsByItself: Bool
    let timeout: Duration?

    init(
        repeatsByItself: Bool = false,
        timeout: Duration? = nil,
        _ respond: @escaping @Sendable (TransportRequest, Int) async throws -> TransportResponse
    ) {
        self.repeatsByItself = repeatsByItself
        self.timeout = timeout
        self.respond = respond
    }

    /// Every request that was sent.
    var requests: [TransportRequest] { sent.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let number = sent.withLock { sent in
            sent.append(request)
            return sent.count - 1
        }
        return try await respond(request, number)
    }
}

extension TransportResponse {
    static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> TransportResponse {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return TransportResponse(status: status, headers: headers, body: Data(text.utf8))
    }
}

struct User: Codable, Equatable {
    var name: String
}

/// A request of any method, with or without a body.
struct Call<Response: Decodable & Sendable>: APIRequest {
    var method = HTTPMethod.get
    var path = "users/17"
    var query: [URLQueryItem] = []
    var headers: HTTPHeaders = [:]
    var body: (any Encodable & Sendable)?
    var timeout: Duration?
    var usesToken = true
    var idempotencyKey: String?

    init(
        _ response: Response.Type,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:],
        body: (any Encodable & Sendable)? = nil
    ) {
        self.method = method
        self.headers = headers
        self.body = body
    }
}

extension APIClient {
    init(
        _ transport: Script,
        retry: RetryPolicy? = nil,
        errors: any ErrorPosting = .ambient,
        token: BearerToken? = nil,
        interceptors: [any HTTPInterceptor] = [],
        serviceError: (@Sendable (HTTPFailure) -> (any Error)?)? = nil
    ) throws {
        guard let base = URL(string: "https://example.org/v1") else { throw URLError(.badURL) }
        self.init(
            base: base, transport: transport, retry: retry, errors: errors, token: token, interceptors: interceptors,
            serviceError: serviceError)
    }
}
