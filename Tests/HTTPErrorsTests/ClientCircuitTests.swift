import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

/// A transport behind a circuit.
private struct Guarded: HTTPTransport {
    let circuit: CircuitBreaker
    let transport: Script
    var repeatsByItself: Bool { transport.repeatsByItself }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await circuit.run {
            let response = try await transport.send(request)
            if response.status >= 500 {
                throw HTTPFailure(status: response.status, headers: response.headers, body: response.body)
            }
            return response
        }
    }
}

@Suite("H10: a circuit within a transport refuses requests with its own error", .tags(.http10), .hangLimit)
struct ClientCircuitTests {
    private let clock = ManualClock()

    private func circuit() -> CircuitBreaker {
        CircuitBreaker("shop", counting: .type(HTTPFailure.self), minimumCalls: 1, jitter: 0, clock: clock)
    }

    private func client(
        _ script: Script,
        _ circuit: CircuitBreaker,
        retry: RetryPolicy? = nil,
        token: BearerToken? = nil
    ) throws -> APIClient {
        APIClient(
            base: try #require(URL(string: "https://example.org/v1")),
            transport: Guarded(circuit: circuit, transport: script), retry: retry, token: token)
    }
}

extension ClientCircuitTests {
    @Test("a refusal has the kind server, its hint, and its cause, and means that the server wasn't reached")
    func refusal() async throws {
        for repeats in [false, true] {
            let script = Script(repeatsByItself: repeats) { _, _ in TransportResponse(status: 503) }
            let client = try client(script, circuit())
            let order = Call(NoContent.self, method: .post)
            await withRecordedErrors { _ in
                let failed = await #expect(throws: NetworkError.self) { try await client.send(order) }
                expect(failed?.kind, equals: .server)
                expect(failed?.mayBeSentAgain, equals: false)
                expectNil(failed.flatMap { ErrorMatcher.transient.match($0) })
                let refused = await #expect(throws: NetworkError.self) { try await client.send(order) }
                expect(refused?.kind, equals: .server)
                expectNil(refused?.failure)
                expect(refused?.retryAfter, equals: .seconds(5))
                expect([refused?.neverReachedServer, refused?.mayBeSentAgain], equals: [true, true])
                expect(refused?.description, equals: "server, CircuitOpen")
                let cause = refused.flatMap(ErrorMatcher.anywhere(.type(HTTPFailure.self)).match)
                expect(cause?.status, equals: 503)
                for language in NetworkError.Language.allCases {
                    NetworkError.$language.withValue(language) {
                        expect(refused?.errorDescription, equals: failed?.errorDescription)
                        #expect(refused?.recoverySuggestion != nil)
                    }
                }
            }
            expect(script.requests.count, equals: 1)
        }
    }

    @Test("a refusal is retried only if a rule decides so, and not before its hint, as without a client")
    func retried() async throws {
        let refusal = NetworkError.from(
            CircuitOpen(name: "shop", retryAfter: .seconds(4), cause: HTTPFailure(status: 503)))
        expect(RetryPolicy.default.decisions[refusal], equals: .fail)
        expectNil(ErrorMatcher.transient.match(refusal))
        expect(refusal.retryAfter, equals: .seconds(4))
        #expect(!NetworkError(.unauthorized, cause: refusal, failure: HTTPFailure(status: 401)).neverReachedServer)
    }

    @Test("the refresh of a token is part of the trial call that needs it, so the half-open circuit admits it")
    func refreshInTrial() async throws {
        let circuit = CircuitBreaker("shop", counting: .any, minimumCalls: 1, jitter: 0, clock: clock)
        let script = Script { message, _ in
            TransportResponse(status: message.headers["Authorization"] == "Bearer new" ? 204 : 401)
        }
        let client = try APIClient(script, token: BearerToken("old") { try await circuit.run { "new" } })
        try await withRecordedErrors { _ in
            _ = await #expect(throws: HTTPFailure.self) { try await circuit.run { throw HTTPFailure(status: 503) } }
            clock.advance(by: .seconds(5))
            _ = try await circuit.run { try await client.send(Call(NoContent.self)) }
        }
        expect(circuit.state, equals: .closed)
        expect(script.requests.count, equals: 2)
    }
}
