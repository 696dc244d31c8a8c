import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R1: retry and circuits keep the caller's isolation", .tags(.recovery1), .hangLimit)
struct RetryIsolationTests {}

extension RetryIsolationTests {
    /// A value that may not leave its actor.
    private final class Counter {
        var count = 0
    }

    @Test("on the main actor, operation and steps run on it, with a value that is not Sendable")
    @MainActor
    func mainActor() async throws {
        let counter = Counter()
        let clock = ImmediateClock()
        let circuit = CircuitBreaker("test", opensAt: 1, for: .zero, counting: .type(Timeout.self), clock: clock)
        let count = try await retry(
            .timeouts(budget: RetryBudget()), clock: clock,
            onStep: { _ in
                MainActor.assertIsolated()
                counter.count += 10
            }
        ) { attempt in
            try await circuit.run {
                MainActor.assertIsolated()
                counter.count += 1
                // The first attempt is made in a closed circuit, the others are trials.
                if attempt < 3 { throw Timeout() }
                return counter.count
            }
        }
        #expect(count == 23 && circuit.state == .closed)
    }

    @Test("on an actor, the operation may change the actor's state")
    func anActor() async throws {
        actor Client {
            private var attempts = 0
            private let counter = Counter()

            func call() async throws -> Int {
                let policy = RetryPolicy.timeouts(budget: RetryBudget())
                return try await retry(policy, clock: ImmediateClock(), onStep: { _ in self.assertIsolated() }) { _ in
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

    @Test("a result that is not Sendable comes back to its actor")
    @MainActor
    func nonSendableResult() async {
        let counter = Counter()
        let result = await retry(RetryPolicy(budget: RetryBudget())) { _ in counter }
        result.count += 1
        expect(counter.count, equals: 1)
    }

    @Test("a clock may be known as any Clock<Duration> only")
    func erasedClock() async throws {
        let clock: any Clock<Duration> = ImmediateClock()
        let result = try await retry(.timeouts(), clock: clock) { attempt in
            if attempt == 1 { throw Timeout() }
            return attempt
        }
        expect(result, equals: 2)
    }
}
