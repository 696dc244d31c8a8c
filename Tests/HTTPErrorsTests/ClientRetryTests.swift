import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

/// [H4](../../Sources/HTTPErrors/HTTPErrors.docc/HTTPErrors.md#what-is-promised).
@Suite("H4: an order is never sent twice", .hangLimit)
struct ClientRetryTests {
    private static let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero))
        .retrying(matching: .transient)
        .retrying(matching: .network(.networkUnavailable, .encoding, .http, .server, .unknown))

    /// How often a request is sent where every attempt ends in the same way.
    private func attempts(
        _ method: String,
        key: Bool = false,
        repeatsByItself: Bool = false,
        _ end: @escaping @Sendable () throws -> HTTPAnswer
    ) async throws -> Int {
        let script = Script(repeatsByItself: repeatsByItself) { _, _ in try end() }
        let client = try APIClient(script, retry: Self.policy)
        let headers: HTTPHeaders = key ? ["Idempotency-Key": "17"] : [:]
        await withRecordedErrors { _ in
            await #expect(throws: NetworkError.self) {
                try await client.send(Call(NoContent.self, method: method, headers: headers))
            }
        }
        return script.messages.count
    }

    @Test("a request that the server may have seen is sent once, unless it is idempotent or has a key")
    func seen() async throws {
        let ends: [@Sendable () throws -> HTTPAnswer] = [
            { throw URLError(.networkConnectionLost) }, { throw URLError(.timedOut) }, { HTTPAnswer(status: 503) },
            { HTTPAnswer(status: 408) }, { HTTPAnswer(status: 500) }, { throw GitHubError(code: 1) },
        ]
        for end in ends {
            for method in ["POST", "PATCH"] {
                #expect(try await attempts(method, end) == 1)
                #expect(try await attempts(method, key: true, end) == 3)
            }
            for method in ["GET", "HEAD", "PUT", "DELETE"] { #expect(try await attempts(method, end) == 3) }
        }
    }

    @Test("a request that the server has not seen, or has asked to come later, is sent again")
    func unseen() async throws {
        let ends: [@Sendable () throws -> HTTPAnswer] = [
            { throw URLError(.cannotConnectToHost) }, { throw URLError(.cannotFindHost) },
            { throw URLError(.notConnectedToInternet) }, { HTTPAnswer(status: 429) },
        ]
        for end in ends {
            #expect(try await attempts("POST", end) == 3)
            // Where the layer below repeats, the error of an earlier attempt is unknown.
            #expect(try await attempts("POST", repeatsByItself: true, end) == 1)
            #expect(try await attempts("GET", repeatsByItself: true, end) == 3)
            #expect(try await attempts("POST", key: true, repeatsByItself: true, end) == 3)
        }
    }

    @Test("a policy says why an order is not sent again")
    func explained() async throws {
        let script = Script { _, _ in HTTPAnswer(status: 503) }
        let client = try APIClient(script, retry: Self.policy)
        let text = "\(try #require(client.cautiousRetry).explain(NetworkError(HTTPFailure(status: 503))))"
        #expect(text.contains("NetworkError after which the server may have seen what must not be sent twice"))
    }

    @Test("errors of attempts that are followed by another are posted, and the last one is thrown alone")
    func swallowed() async throws {
        let script = Script { _, number in number < 2 ? HTTPAnswer(status: 503) : .json(#"{"name": "Ada"}"#) }
        let client = try APIClient(script, retry: Self.policy)
        let recorded = await withRecordedErrors { _ in _ = try? await client.send(Call(User.self)) }
        #expect(recorded.matches(of: .status(503...503)).count == 2 && recorded.errors.count == 2)
        #expect(recorded.reports.map { $0.metadata["retry.attempt"] } == ["1", "2"])
        #expect(recorded.reports.allSatisfy { $0.metadata["http.request"] == "GET https://example.org/v1/users/17" })
        #expect(recorded.reports.allSatisfy { $0.source.module == "HTTPErrorsTests" })
    }

    @Test("a hint of the server is waited for, by the client's clock")
    func hint() async throws {
        let clock = TestClock()
        let script = Script { _, number in
            number == 0 ? HTTPAnswer(status: 429, headers: ["Retry-After": "30"]) : .json(#"{"name": "Ada"}"#)
        }
        let client = APIClient(
            base: try #require(URL(string: "https://example.org")), transport: script, retry: Self.policy, clock: clock)
        try await withErrorBus(handler: ErrorHandler()) { (_: ErrorBus) async throws in
            async let user = client.send(Call(User.self, method: "POST"))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(29))
            #expect(script.messages.count == 1)
            clock.advance(by: .seconds(1))
            #expect(try await user == User(name: "Ada"))
        }
    }
}
