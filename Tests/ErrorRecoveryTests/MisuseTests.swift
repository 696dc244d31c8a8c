import ErrorRecovery
import ErrorRouting
import TestSupport
import Testing

@Suite(
    "Programming errors stop the program and name the wrong value",
    .tags(.recovery2, .recovery4, .recovery6), .hangLimit)
struct MisuseTests {}

extension MisuseTests {
    private static let misuses: [Misuse] = [
        // A policy crashes when it is created and when it is changed.
        Misuse("RetryPolicy.maxAttempts must be at least 1, not 0") { _ = RetryPolicy(maxAttempts: 0) },
        Misuse("RetryPolicy.maxAttempts must be at least 1, not -2") {
            var policy = RetryPolicy.default
            policy.maxAttempts = -2
        },
        Misuse("RetryPolicy.maxRetryAfter must not be negative, but is -1.0 seconds") {
            _ = RetryPolicy(maxRetryAfter: .seconds(-1))
        },
        Misuse("RetryPolicy.deadline must not be negative, but is -1.0 seconds") {
            _ = RetryPolicy(deadline: .seconds(-1))
        },
        // R2: delays.
        Misuse("the multiplier must be positive and finite, but is nan") { _ = Backoff.exponential(by: .nan) },
        Misuse("the multiplier must be positive and finite, but is inf") { _ = Backoff.exponential(by: .infinity) },
        Misuse("the multiplier must be positive and finite, but is 0.0") { _ = Backoff.exponential(by: 0) },
        Misuse("the initial delay must not be negative, but is -1.0 seconds") {
            _ = Backoff.exponential(from: .seconds(-1))
        },
        Misuse("the maximum must not be negative, but is -1.0 seconds") { _ = Backoff.exponential(upTo: .seconds(-1)) },
        Misuse("the delay must not be negative, but is -1.0 seconds") { _ = Backoff.constant(.seconds(-1)) },
        Misuse("the number of a retry must be at least 1, not 0") {
            _ = Backoff.exponential().ceiling(beforeRetry: 0)
        },
        // R4: a budget.
        Misuse("RetryBudget(ratio:reserve:): ratio must be 0 to 1, not 1.5") { _ = RetryBudget(ratio: 1.5) },
        Misuse("RetryBudget(ratio:reserve:): ratio must be 0 to 1, not nan") { _ = RetryBudget(ratio: .nan) },
        Misuse("RetryBudget(ratio:reserve:): reserve must be 0 to 1,000,000,000, not -1") {
            _ = RetryBudget(reserve: -1)
        },
        Misuse("the cost of a retry must be at least 1, not 0") {
            _ = RetryPolicy().retrying(Timeout.self, cost: 0)
        },
        // R6: a circuit.
        Misuse("CircuitBreaker(a): failureRatio must be above 0 and at most 1, not 5.0") {
            _ = CircuitBreaker("a", counting: .any, failureRatio: 5)
        },
        Misuse("CircuitBreaker(a): failureRatio must be above 0 and at most 1, not 0.0") {
            _ = CircuitBreaker("a", counting: .any, failureRatio: 0)
        },
        Misuse("CircuitBreaker(a): failureRatio must be above 0 and at most 1, not nan") {
            _ = CircuitBreaker("a", counting: .any, failureRatio: .nan)
        },
        Misuse("CircuitBreaker(a): minimumCalls must be at least 1, not 0") {
            _ = CircuitBreaker("a", counting: .any, minimumCalls: 0)
        },
        Misuse("CircuitBreaker(a): window must be positive, but is 0.0 seconds") {
            _ = CircuitBreaker("a", counting: .any, window: .zero)
        },
        Misuse("CircuitBreaker(a): openPeriod must not be negative, but is -1.0 seconds") {
            _ = CircuitBreaker("a", counting: .any, openPeriod: .seconds(-1))
        },
        Misuse("CircuitBreaker(a): jitter must be 0 to 1, not 1.5") {
            _ = CircuitBreaker("a", counting: .any, jitter: 1.5)
        },
        Misuse("CircuitBreaker(a): jitter must be 0 to 1, not nan") {
            _ = CircuitBreaker("a", counting: .any, jitter: .nan)
        },
    ]

    @Test("each misuse crashes the program and explains the fault", .serialized, arguments: misuses.indices)
    func stops(index: Int) async throws {
        try handOver(index, as: "retry misuse")
        let message = Self.misuses[index].message
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent], "\(message)") {
            endIfItHangs()
            await Self.misuses[try handedOver("retry misuse")].act()
        }
        #expect(result.standardErrorText.contains(message))
    }
}
