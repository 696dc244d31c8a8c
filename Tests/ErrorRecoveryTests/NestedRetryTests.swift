import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRecovery

@Suite("R4: a budget bounds the attempts of nested retries", .tags(.recovery4), .hangLimit)
struct NestedRetryTests {
    private let clock = ImmediateClock()

    private func policy(_ maxAttempts: Int, _ budget: RetryBudget?) -> RetryPolicy {
        RetryPolicy(maxAttempts: maxAttempts, backoff: .constant(.zero), budget: budget).retrying(Timeout.self)
    }
}

extension NestedRetryTests {
    @Test("nested retries with three failing attempts each don't exceed the budget's bound for that number of calls")
    func threeTimesThree() async {
        let (calls, ratio, reserve) = (200, 0.5, 10)
        let policy = policy(3, RetryBudget(ratio: ratio, reserve: reserve))
        var requests = 0
        for _ in 0..<calls {
            try? await retry(policy, clock: clock) { _ in
                try await retry(policy, clock: clock) { _ in
                    requests += 1
                    throw Timeout()
                }
            }
        }
        #expect(Double(requests) <= (1 + ratio) * Double(calls) + Double(reserve))
        #expect(requests > calls + reserve)
    }

    @Test("an attempt's own tasks belong to it, and a task that outlives a retry counts separately")
    func tasks() async {
        let budget = RetryBudget(ratio: 0.5, reserve: 10)
        let policy = policy(2, budget)
        let gate = Gate()
        var outliving: Task<Void, Never>?
        try? await retry(policy, clock: clock) { attempt in
            if attempt == 1 { throw Timeout() }
            async let child: Void = retry(policy, clock: clock) { _ in }
            outliving = Task {
                await gate.wait()
                await retry(policy, clock: clock) { _ in }
            }
            await child
        }
        expect(budget.statistics.available, equals: 8)
        gate.open()
        await outliving?.value
        expect(budget.statistics.available, equals: 8.5)
    }

    @Test("a refused attempt costs nothing, and the retry after it is paid for once", arguments: [false, true])
    func refusals(isWrapped: Bool) async throws {
        struct Wrapped: Error { let cause: any Error }
        let budget = RetryBudget(ratio: 0, reserve: 3)
        let policy = RetryPolicy(maxAttempts: 9, backoff: .constant(.zero), budget: budget)
            .retrying(Timeout.self, cost: 2).retrying(matching: .anywhere(.type(CircuitOpen.self)))
        func refuse() throws {
            let refusal = CircuitOpen(name: "test", retryAfter: nil, cause: Timeout())
            throw isWrapped ? Wrapped(cause: refusal) : refusal
        }
        // All attempts were refused: requests weren't sent, so tokens aren't withdrawn.
        try? await retry(policy, clock: clock) { _ in try refuse() }
        expect(budget.statistics, equals: .init(available: 3, granted: 0, refused: 0))
        // One attempt was sent, many were refused, and then another was sent. That is one retry.
        try await retry(policy, clock: clock) { attempt in
            if attempt == 1 { throw Timeout() }
            if attempt < 5 { try refuse() }
        }
        expect(budget.statistics, equals: .init(available: 1, granted: 1, refused: 0))
        // One attempt was sent and all others were refused: the withdrawn tokens are given back.
        let other = RetryBudget(ratio: 0, reserve: 3)
        var changed = policy
        changed.budget = other
        try? await retry(changed, clock: clock) { if $0 == 1 { throw Timeout() } else { try refuse() } }
        expect(other.statistics, equals: .init(available: 3, granted: 0, refused: 0))
        // The calls were refused within a retry: only the tokens of their first attempt are given back.
        let shared = RetryBudget(ratio: 0, reserve: 5)
        try await retry(self.policy(2, shared), clock: clock) { attempt in
            if attempt == 1 { throw Timeout() }
            try? await retry(self.policy(1, shared), clock: clock) { _ in try refuse() }
        }
        expect(shared.statistics, equals: .init(available: 4, granted: 1, refused: 0))
    }

    @Test("a refusal next to an attempt that was sent costs as much as that attempt")
    func refusalBesideFailure() async {
        struct Batch: Error { var results: [any Error] }
        let refusal = CircuitOpen(name: "test", retryAfter: nil, cause: Timeout())
        for results in [[Timeout(), refusal], [refusal, Timeout()]] as [[any Error]] {
            let budget = RetryBudget(ratio: 0, reserve: 2)
            let policy = RetryPolicy(maxAttempts: 9, backoff: .constant(.zero), budget: budget).retrying(Batch.self)
            var attempts = 0
            try? await retry(policy, clock: clock) { _ in
                attempts += 1
                throw Batch(results: results)
            }
            expect(attempts, equals: 3)
            expect(budget.statistics, equals: .init(available: 0, granted: 2, refused: 1))
        }
    }
}
