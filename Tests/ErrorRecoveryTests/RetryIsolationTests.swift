import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R1: retry and circuits keep the caller's isolation", .tags(.recovery1), .hangLimit)
struct RetryIsolationTests {}

extension RetryIsolationTests {
    /// A value that can't leave its actor.
    private final class Counter {
        var count = 0
    }

    @Test("on the main actor, operation and steps run there, with a value and a result that aren't Sendable")
    @MainActor
    func mainActor() async throws {
        let counter = Counter()
        let clock = ImmediateClock()
        let circuit = CircuitBreaker(
            "test", counting: .type(Timeout.self), failureRatio: 1, openPeriod: .zero, clock: clock)
        let result = try await retry(
            .timeouts(budget: RetryBudget()), clock: clock,
            onStep: { _ in
                MainActor.assertIsolated()
                counter.count += 10
            }
        ) { attempt in
            try await circuit.run {
                MainActor.assertIsolated()
                counter.count += 1
                // The first attempt runs in a closed circuit, and the others are trial calls.
                if attempt < 3 { throw Timeout() }
                return counter
            }
        }
        result.count += 100
        expect(counter.count, equals: 123)
        expect(circuit.state, equals: .closed)
    }

    @Test("on an actor, the operation can change the actor's state, even if the clock is any Clock<Duration>")
    func anActor() async throws {
        actor Client {
            private var attempts = 0
            private let counter = Counter()

            func call() async throws -> Int {
                let policy = RetryPolicy.timeouts(budget: RetryBudget())
                let clock: any Clock<Duration> = ImmediateClock()
                return try await retry(policy, clock: clock, onStep: { _ in self.assertIsolated() }) { _ in
                    self.assertIsolated()
                    attempts += 1
                    counter.count += 1
                    if attempts < 3 { throw Timeout() }
                    return attempts + counter.count
                }
            }
        }
        expect(try await Client().call(), equals: 6)
    }
}
