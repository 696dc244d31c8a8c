import ErrorRecovery
import ErrorRouting
import Foundation

@testable import HTTPErrors

/// A service's own error.
struct GitHubError: Error, Equatable {
    var code: Int
}

/// A service's own error that knows when to try again.
struct BusyError: RetryClassified, RetryAfterProviding {
    var retryDecision: RetryDecision { .retry(cost: 2) }
    var retryAfter: Duration? { .seconds(9) }
}

extension NetworkError {
    /// One error of each kind, with all the content that it can have.
    static var samples: [NetworkError] { samples(of: HTTPFailure(status: 429)) }

    static func samples(of failure: HTTPFailure) -> [NetworkError] {
        let context = DecodingError.Context(codingPath: [], debugDescription: "x")
        return [
            .invalidURL("http://host/path"),
            .encoding(EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: ""))),
            .networkUnavailable(URLError(.notConnectedToInternet)), .timeout(URLError(.timedOut)), .timeout(failure),
            .cancelled, .connection(URLError(.networkConnectionLost)), .invalidResponse(URLError(.badServerResponse)),
            .unauthorized(failure), .forbidden(failure), .notFound(failure), .http(failure), .server(failure), .noData,
            .decoding(DecodingError.dataCorrupted(context)), .unexpectedContentType("text/html"),
            .bodyTooLarge(limit: 10), .api(GitHubError(code: 1), failure), .unknown(GitHubError(code: 2)),
        ]
    }
}

/// A transport whose responses are a closure's, which gets the request and how many came before it.
final class Script: HTTPTransport {
    private let answer: @Sendable (HTTPMessage, Int) async throws -> HTTPAnswer
    private let sent = Locked<[HTTPMessage]>([])
    let repeatsByItself: Bool

    init(
        repeatsByItself: Bool = false,
        _ answer: @escaping @Sendable (HTTPMessage, Int) async throws -> HTTPAnswer
    ) {
        self.repeatsByItself = repeatsByItself
        self.answer = answer
    }

    /// Every request that was sent.
    var messages: [HTTPMessage] { sent.withLock { $0 } }

    func send(_ message: HTTPMessage) async throws -> HTTPAnswer {
        let number = sent.withLock { sent in
            sent.append(message)
            return sent.count - 1
        }
        return try await answer(message, number)
    }
}

extension HTTPAnswer {
    static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPAnswer {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return HTTPAnswer(status: status, headers: headers, body: Data(text.utf8))
    }
}

struct User: Codable, Equatable {
    var name: String
}

/// A request of any method, with or without a body.
struct Call<Response: Decodable & Sendable>: APIRequest {
    var method = "GET"
    var path = "users/17"
    var query: [URLQueryItem] = []
    var headers: HTTPHeaders = [:]
    var body: (any Encodable & Sendable)?
    var timeout: Duration?

    init(
        _ response: Response.Type,
        method: String = "GET",
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
