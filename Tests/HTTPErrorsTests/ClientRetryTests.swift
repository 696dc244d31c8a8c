import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H4: an order is never sent twice", .tags(.http4), .hangLimit)
struct ClientRetryTests {}

extension ClientRetryTests {
    private static let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero))
        .retrying(matching: .transient)
        .retrying(matching: .network(.networkUnavailable, .encoding, .http, .server, .unknown))

    /// The default policy without its delays.
    private static var byDefault: RetryPolicy {
        var policy = RetryPolicy.default
        policy.backoff = .constant(.zero)
        return policy
    }

    /// How often a request is sent where every attempt ends in the same way.
    private func attempts(
        _ method: String,
        key: Bool = false,
        repeatsByItself: Bool = false,
        _ end: @escaping @Sendable () throws -> TransportResponse
    ) async throws -> Int {
        let script = Script(repeatsByItself: repeatsByItself) { _, _ in try end() }
        let client = try APIClient(script, retry: Self.policy)
        let headers: HTTPHeaders = key ? ["Idempotency-Key": "17"] : [:]
        await withRecordedErrors { _ in
            await #expect(throws: NetworkError.self) {
                try await client.send(Call(NoContent.self, method: method, headers: headers))
            }
        }
        return script.requests.count
    }

    @Test("a request that the server may have seen is sent once, unless it is idempotent or has a key")
    func seen() async throws {
        let ends: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.networkConnectionLost) }, { throw URLError(.timedOut) },
            { TransportResponse(status: 503) },
            { TransportResponse(status: 408) }, { TransportResponse(status: 500) }, { throw GitHubError(code: 1) },
        ]
        for end in ends {
            for method in ["POST", "PATCH"] {
                expect(try await attempts(method, end), equals: 1)
                expect(try await attempts(method, key: true, end), equals: 3)
            }
            for method in ["GET", "HEAD", "PUT", "DELETE"] { #expect(try await attempts(method, end) == 3) }
        }
    }

    @Test("a request that the server has not seen, or has asked to come later, is sent again")
    func unseen() async throws {
        let ends: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.cannotConnectToHost) }, { throw URLError(.cannotFindHost) },
            { throw URLError(.notConnectedToInternet) }, { TransportResponse(status: 429) },
        ]
        for end in ends {
            expect(try await attempts("POST", end), equals: 3)
            // Where the layer below repeats, the error of an earlier attempt is unknown.
            expect(try await attempts("POST", repeatsByItself: true, end), equals: 1)
            expect(try await attempts("GET", repeatsByItself: true, end), equals: 3)
            expect(try await attempts("POST", key: true, repeatsByItself: true, end), equals: 3)
        }
    }

    @Test("a retry around a client does not send an order twice either, whatever of it is retried")
    func around() async throws {
        let policies = [
            Self.byDefault, Self.policy,
            RetryPolicy(maxAttempts: 3, backoff: .constant(.zero)).retrying(NetworkError.self),
        ]
        let ends: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.timedOut) }, { throw URLError(.networkConnectionLost) }, { throw GitHubError(code: 1) },
            { throw BusyError() }, { TransportResponse(status: 503) }, { .json("{") },
            { TransportResponse(status: 204) },
        ]
        for (policy, end) in policies.flatMap({ policy in ends.map { (policy, $0) } }) {
            for inner in [nil, Self.policy] {
                let script = Script { _, _ in try end() }
                let client = try APIClient(script, retry: inner)
                await withRecordedErrors { _ in
                    let error = await #expect(throws: NetworkError.self) {
                        try await retry(policy) { _ in
                            try await client.send(Call(User.self, method: "POST"))
                        }
                    }
                    expect(error?.mayBeSentAgain, equals: false)
                }
                expect(script.requests.count, equals: 1)
            }
        }
    }

    @Test("a retry around a client sends again what may be sent again")
    func aroundIdempotent() async throws {
        for (method, key) in [("GET", nil), ("PUT", nil), ("POST", "17")] {
            let script = Script { _, _ in throw URLError(.timedOut) }
            let client = try APIClient(script)
            let call = Call(
                User.self, method: method, headers: HTTPHeaders(key.map { [("Idempotency-Key", $0)] } ?? []))
            let error = await #expect(throws: NetworkError.self) {
                try await retry(Self.byDefault) { _ in try await client.send(call) }
            }
            #expect(error?.mayBeSentAgain == true && script.requests.count == 3)
        }
    }

    @Test("a client's retries within a retry on the same budget are no more than the budget allows for so many calls")
    func nested() async throws {
        let (calls, ratio, reserve) = (100, 0.5, 10)
        var policy = Self.byDefault
        policy.budget = RetryBudget(ratio: ratio, reserve: reserve)
        let script = Script { _, _ in TransportResponse(status: 503) }
        let client = try APIClient(script, retry: policy)
        await withRecordedErrors { _ in
            for _ in 0..<calls {
                _ = try? await retry(policy) { _ in try await client.send(Call(User.self)) }
            }
        }
        #expect(script.requests.count > calls + reserve)
        #expect(Double(script.requests.count) <= (1 + ratio) * Double(calls) + Double(reserve))
    }

    @Test("who is cancelled while it waits for the next attempt gets cancelled, with the last error under it")
    func cancelledWhileWaiting() async throws {
        let clock = ManualClock()
        let script = Script { _, _ in TransportResponse(status: 503) }
        let client = APIClient(
            base: try #require(URL(string: "https://example.org")), transport: script, retry: .default, clock: clock)
        let task = Task { try await client.send(Call(User.self)) }
        await clock.waitForSleepers()
        task.cancel()
        let error = try #require(await #expect(throws: NetworkError.self) { try await task.value })
        #expect(error.kind == .cancelled && error.isCancellation)
        #expect(ErrorMatcher.anywhere(.status(503)).match(error) != nil)
        #expect(error.retryDecision == .fail && script.requests.count == 1)
    }

    @Test("an order that the server has answered is sent once, whatever an interceptor says of the response")
    func inspected() async throws {
        struct Inspector: HTTPInterceptor {
            let error: any Error
            func inspect(_ response: inout TransportResponse, to request: TransportRequest) async throws { throw error }
        }
        // As the interceptor's own client may throw them, for a request of its own.
        let errors: [any Error] = [
            NetworkError(URLError(.cannotConnectToHost)), NetworkError(URLError(.notConnectedToInternet)),
            NetworkError(.encoding), NetworkError(.invalidURL), NetworkError(HTTPFailure(status: 429)),
            URLError(.cannotConnectToHost), HTTPFailure(status: 429),
        ]
        for status in [200, 401, 503, 429] {
            for error in errors {
                let script = Script { _, _ in TransportResponse(status: status) }
                let client = try APIClient(script, retry: Self.policy, interceptors: [Inspector(error: error)])
                await withRecordedErrors { _ in
                    _ = try? await retry(Self.policy) { _ in
                        try await client.send(Call(NoContent.self, method: "POST", body: User(name: "Ada")))
                    }
                }
                #expect(script.requests.count == 1 || status == 429, "\(status), \(error)")
            }
        }
    }

    @Test("a policy says why an order is not sent again")
    func explained() async throws {
        let script = Script { _, _ in TransportResponse(status: 503) }
        let client = try APIClient(script, retry: Self.policy)
        let text = "\(try #require(client.retry).explain(NetworkError(.timeout, mayBeSentAgain: false)))"
        #expect(text.contains("an error that forbids another attempt"))
    }

    @Test("errors of attempts that are followed by another are posted, and the last one is thrown alone")
    func swallowed() async throws {
        let script = Script { _, number in number < 2 ? TransportResponse(status: 503) : .json(#"{"name": "Ada"}"#) }
        let client = try APIClient(script, retry: Self.policy)
        let recorded = await withRecordedErrors { _ in _ = try? await client.send(Call(User.self)) }
        #expect(recorded.matches(of: .status(503)).count == 2 && recorded.errors.count == 2)
        expect(recorded.reports.map { $0.metadata["retry.attempt"] }, equals: ["1", "2"])
        #expect(recorded.reports.allSatisfy { $0.metadata["http.request"] == "GET https://example.org/v1/users/17" })
        #expect(recorded.reports.allSatisfy { $0.source.module == "HTTPErrorsTests" })
    }

    @Test("a hint of the server is waited for, by the client's clock")
    func hint() async throws {
        let clock = ManualClock()
        let script = Script { _, number in
            number == 0 ? TransportResponse(status: 429, headers: ["Retry-After": "30"]) : .json(#"{"name": "Ada"}"#)
        }
        let client = APIClient(
            base: try #require(URL(string: "https://example.org")), transport: script, retry: Self.policy, clock: clock)
        try await withErrorBus(handler: ErrorHandler()) { (_: ErrorBus) async throws in
            async let user = client.send(Call(User.self, method: "POST"))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(29))
            expect(script.requests.count, equals: 1)
            clock.advance(by: .seconds(1))
            expect(try await user, equals: User(name: "Ada"))
        }
    }
}
