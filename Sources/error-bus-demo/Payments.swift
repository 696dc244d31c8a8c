import ErrorRecording
import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors
import Synchronization

/// Pays orders at a provider that fails, using retries, a retry budget, and a circuit breaker.
enum Payments {
    static let policy = RetryPolicy(
        maxAttempts: 4, backoff: .exponential(from: .milliseconds(20), upTo: .seconds(1)),
        budget: RetryBudget(ratio: 0.1, reserve: 2)
    )

    static func run(on screen: Screen, recordingTo recorder: ErrorRecorder) async {
        let rows = Mutex([["order", "what", "role", "rule that ran"]])
        await withErrorBus(handler: .default) { bus in
            bus.observeUntilEnd { report in
                recorder.record(report)
                rows.withLock { $0.append(report.paymentCells) }
            }
            let client = APIClient(
                base: URL(string: "https://pay.example")!, transport: ScriptedProvider(), errors: bus)
            let clock = ClockAhead()
            let circuit = CircuitBreaker(
                "payments", counting: .transient, minimumCalls: 4, jitter: 0, clock: clock, errors: bus)
            for order in 17...20 {
                var verdict = ""
                let isPaid =
                    await bus.catching(metadata: ["order": "\(order)", "verdict": verdict]) {
                        try await retry(
                            policy, errors: bus, metadata: ["order": "\(order)"], onStep: { verdict = "\($0)" }
                        ) { _ in
                            try await circuit.run { try await client.send(Charge(order: order)) }
                        }
                    } != nil
                _ = await bus.flush(within: .seconds(10))
                if isPaid { rows.withLock { $0.append(["\(order)", "paid"]) } }
                if order == 19 {
                    clock.advance(by: .seconds(5))
                    rows.withLock { $0.append(["-", "5 seconds later, by the circuit's clock"]) }
                }
            }
        }
        screen.table(rows.withLock { $0 })
    }
}

/// A request that can be sent again, because the provider recognizes its key.
struct Charge: APIRequest {
    typealias Response = NoContent

    let order: Int
    var method: HTTPMethod { .post }
    var path: String { "charges" }
    var idempotencyKey: String? { "order-\(order)" }
}

/// An in-memory payment provider with scripted responses.
final class ScriptedProvider: HTTPTransport {
    /// The statuses of the responses; nil for a refused connection.
    private let script = Mutex<[Int?]>([503, 503, 204, nil, 204])

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let status = script.withLock({ $0.removeFirst() }) else { throw URLError(.cannotConnectToHost) }
        return TransportResponse(status: status)
    }
}

/// A clock that can be advanced, so that the demo doesn't wait for an open circuit.
final class ClockAhead: Clock {
    private let lead = Mutex(Duration.zero)

    var now: ContinuousClock.Instant { .now + lead.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    func advance(by duration: Duration) { lead.withLock { $0 += duration } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: deadline - lead.withLock { $0 }, tolerance: tolerance)
    }
}

extension ErrorReport {
    fileprivate var paymentCells: [String] {
        let attempt = metadata["retry.attempt"].map { "attempt \($0) of \(metadata["retry.of"] ?? ""): " } ?? ""
        let verdict = metadata["verdict"].map { " (\($0))" } ?? ""
        return [
            metadata["order"] ?? "-", attempt + message + verdict, role.name,
            outcome.rule.map { "\($0.matcher), \($0.source.short)" } ?? "none",
        ]
    }
}
