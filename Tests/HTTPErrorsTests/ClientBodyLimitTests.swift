import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H5: a body that is too long doesn't hide the status", .tags(.http5), .hangLimit)
struct ClientBodyLimitTests {}

extension ClientBodyLimitTests {
    private func truncated(_ status: Int, headers: HTTPHeaders = [:], _ body: String = "beginning") -> Script {
        Script { _, _ in
            TransportResponse(status: status, headers: headers, body: Data(body.utf8), isTruncated: true)
        }
    }

    @Test("a failure keeps its status, hint, retries, service error, and the beginning of its body")
    func failures() async throws {
        for status in [400, 404, 429, 500, 503] {
            let script = truncated(status, headers: ["Retry-After": "7"])
            let policy = RetryPolicy(maxAttempts: 2, maxRetryAfter: .zero).retrying(matching: .transient)
            var verdicts: [RetryStep.Verdict] = []
            let error = await #expect(throws: NetworkError.self) {
                try await retry(policy, onStep: { verdicts.append($0.verdict) }) { _ in
                    try await APIClient(script).send(Call(User.self))
                }
            }
            expect(error?.kind, equals: NetworkError(HTTPFailure(status: status)).kind)
            expect(error?.failure?.status, equals: status)
            expect(error?.failure?.body, equals: Data("beginning".utf8))
            expect(error?.retryAfter, equals: .seconds(7))
            expect(verdicts, equals: [status >= 429 ? .hintTooLong(.seconds(7)) : .notRetryable])
            let own = await #expect(throws: NetworkError.self) {
                try await APIClient(script) { GitHubError(code: $0.status) }.send(Call(User.self))
            }
            expect(own?.service(as: GitHubError.self)?.code, equals: status)
        }
    }

    @Test("a 401 with a body that is too long still refreshes the token")
    func refresh() async throws {
        let script = Script { message, _ in
            let isFresh = message.headers["Authorization"] == "Bearer new"
            return TransportResponse(status: isFresh ? 204 : 401, body: Data("x".utf8), isTruncated: true)
        }
        _ = try await APIClient(script, token: BearerToken("old") { "new" }).send(Call(NoContent.self, method: .post))
        expect(script.requests.count, equals: 2)
    }

    @Test("a successful response stays a success unless its body must be decoded")
    func successes() async throws {
        for status in [200, 201, 202] {
            let script = truncated(status, #"{"name": "Ada"}"#)
            _ = try await APIClient(script).send(Call(NoContent.self, method: .post))
            let error = await #expect(throws: NetworkError.self) { try await APIClient(script).send(Call(User.self)) }
            expect("\(try #require(error))", equals: "bodyTooLarge, more than 15 bytes")
            expect(error?.neverReachedServer, equals: false)
        }
        for script in [truncated(200, headers: ["Content-Type": "text/html"]), truncated(200, "")] {
            let error = await #expect(throws: NetworkError.self) { try await APIClient(script).send(Call(User.self)) }
            expect(error?.kind, equals: .bodyTooLarge)
        }
    }
}
