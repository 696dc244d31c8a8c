import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import HTTPErrors
import TestSupport
import Testing

@testable import error_bus_demo

/// Which payments are tried again, and what the demo writes of them.
@Suite struct RecoveringPaymentsTests {}

extension RecoveringPaymentsTests {
    @Test func `what may pass is tried again; a refusal, an open circuit and a cancellation are not`() {
        let decisions = RetryPolicy.payments.decisions
        expect(decisions[NetworkError(URLError(.cannotConnectToHost))], equals: .retry())
        expect(decisions[NetworkError(HTTPFailure(status: 429))], equals: .retry())
        expect(decisions[NetworkError(HTTPFailure(status: 503))], equals: .retry())
        expect(decisions[NetworkError(HTTPFailure(status: 402))], equals: .fail)
        expect(decisions[CircuitOpen(name: "payments", retryAfter: .zero, cause: URLError(.timedOut))], equals: .fail)
    }

    @Test func `an endpoint that is gone is let alone: as much is sent for a hundred orders as for ten`() async {
        let client = PaymentClient(endpoint: PaymentClient.closedEndpoint)
        let policy = RetryPolicy(backoff: .constant(.zero)).retrying(matching: .transient)
        var (attempts, refused, lines) = (0, 0, [String]())
        let recorded = await withRecordedErrors { bus in
            // However long it takes here: by this clock no time passes.
            let payments = RecoveringPayments(client, policy: policy, errors: bus, clock: ManualClock())
            for number in 1...100 {
                do {
                    try await payments.charge(Order(id: "A-\(number)", customer: "customer-1", lines: []))
                } catch is CircuitOpen {
                    refused += 1
                } catch {
                    expect((error as? NetworkError)?.kind, equals: .connection)
                }
            }
            (attempts, lines) = (payments.tally.attempts, payments.tally.lines(payments.circuit))
        }
        // Three orders of three attempts, and the first attempt of the fourth, open it.
        expect(attempts, equals: 10)
        expect(refused, equals: 97)
        expect(recorded.matches(of: .type(CircuitChanged.self)).map(\.state), equals: [.open])
        expect(
            lines,
            equals: [
                "    10  requests sent",
                "     7  tried again",
                "    97  CircuitOpen, not retried: no rule retries this error",
                "     3  NetworkError, not retried: the attempts are spent",
                "        circuit payments: open",
            ])
    }
}

/// The whole demo against an endpoint that says 503 to the first attempt of every order.
@Suite(.serialized, .timeLimit(.minutes(5)), .inProcessOfTheirOwn) struct PaymentRecoveryTests {
    @Test func `orders that an endpoint refuses for the moment are paid at a later attempt, each once`() async throws {
        let endpoint = try FlakyEndpoint()
        defer { endpoint.stop() }
        let sample = try SampleInbox(kinds: [.good: 12, .noLines: 1])
        defer { sample.remove() }
        let end = try await DemoProcess([sample.folder.path, "--payments", endpoint.url.absoluteString]).end()
        #expect(end.reason == .exit && end.status == 0 && end.lawHolds, "\(end)")
        let seen = endpoint.seen
        #expect(seen.requests.count == 12 && seen.requests.values.allSatisfy { $0 == 2 })
        expect(seen.taken.count, equals: 12)
        let expected = """
            Payments:
                24  requests sent
                12  tried again
                12  orders paid at a later attempt
                    circuit payments: closed

            """
        #expect(end.output.contains(expected), "\(end.output)")
    }
}
