import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors
import HTTPTypes
import OpenAPIRuntime

/// Repeats requests that are safe to send twice, and refuses all requests while the service is down.
nonisolated struct Resilience: ClientMiddleware {
    var policy = RetryPolicy.default
    let circuit: CircuitBreaker

    init(_ service: String) {
        circuit = CircuitBreaker(service, counting: .outage || .type(ClientError.self))
    }

    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?) {
        var policy = policy
        let isIdempotent = [.get, .head, .put, .delete, .options].contains(request.method)
        if !isIdempotent || body?.iterationBehavior == .single { policy.maxAttempts = 1 }
        var failure: (HTTPResponse, HTTPBody?)?
        do {
            return try await retry(policy, errors: .ambient, metadata: ["operation": operationID]) { _ in
                failure = nil
                return try await circuit.run {
                    let answer = try await next(request, body, baseURL)
                    guard answer.0.status.code >= 400 else { return answer }
                    failure = answer
                    throw NetworkError(answer.0)
                }
            }
        } catch {
            // The generated code turns this response into the operation's output.
            guard let failure else { throw error }
            return failure
        }
    }
}

extension NetworkError {
    nonisolated init(_ response: HTTPResponse) {
        var headers: HTTPHeaders = [:]
        headers["Retry-After"] = response.headerFields[.retryAfter]
        headers["Date"] = response.headerFields[.date]
        self.init(HTTPFailure(status: response.status.code, headers: headers))
    }
}
