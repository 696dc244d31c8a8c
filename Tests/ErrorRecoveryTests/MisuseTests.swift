import ErrorRecovery
import ErrorRouting
import TestSupport
import Testing

@Suite(
    "Programming errors stop the program, and say which value it was",
    .tags(.recovery2, .recovery4, .recovery6), .hangLimit)
struct MisuseTests {
    @Test("a policy with fewer than one attempt stops the program, when it is made and when it is changed")
    func attempts() async {
        let made = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryPolicy(maxAttempts: 0)
        }
        expect(made, says: "RetryPolicy.maxAttempts must be at least 1, not 0")
        let changed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var policy = RetryPolicy.default
            policy.maxAttempts = -2
        }
        expect(changed, says: "RetryPolicy.maxAttempts must be at least 1, not -2")
    }

    @Test("negative hints and deadlines of a policy stop the program")
    func negativeLimits() async {
        let hint = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryPolicy(longestHint: .seconds(-1))
        }
        expect(hint, says: "RetryPolicy.longestHint must not be negative, but is -1.0 seconds")
        let deadline = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryPolicy(deadline: .seconds(-1))
        }
        expect(deadline, says: "RetryPolicy.deadline must not be negative, but is -1.0 seconds")
    }

    @Test("R2: a multiplier that is not a number, infinite or zero stops the program")
    func multiplier() async {
        let nan = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Backoff.exponential(by: .nan)
        }
        expect(nan, says: "the multiplier must be positive and finite, but is nan")
        let infinite = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Backoff.exponential(by: .infinity)
        }
        expect(infinite, says: "the multiplier must be positive and finite, but is inf")
        let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Backoff.exponential(by: -2)
        }
        expect(negative, says: "the multiplier must be positive and finite, but is -2.0")
    }

    @Test("R2: negative delays, and a retry before the first, stop the program")
    func delays() async {
        let initial = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Backoff.exponential(from: .seconds(-1))
        }
        expect(initial, says: "the initial delay must not be negative, but is -1.0 seconds")
        let maximum = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Backoff.exponential(upTo: .seconds(-1))
        }
        expect(maximum, says: "the maximum must not be negative, but is -1.0 seconds")
        let constant = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Backoff.constant(.seconds(-1))
        }
        expect(constant, says: "the delay must not be negative, but is -1.0 seconds")
        let zeroth = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Backoff.exponential().ceiling(beforeRetry: 0)
        }
        expect(zeroth, says: "the number of a retry must be at least 1, not 0")
    }

    @Test("R4: a ratio outside 0 to 1, a negative reserve and a cost of zero stop the program")
    func budget() async {
        let ratio = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryBudget(ratio: 1.5)
        }
        expect(ratio, says: "RetryBudget(ratio:reserve:): ratio must be 0 to 1, not 1.5")
        let nan = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryBudget(ratio: .nan)
        }
        expect(nan, says: "RetryBudget(ratio:reserve:): ratio must be 0 to 1, not nan")
        let reserve = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryBudget(reserve: -1)
        }
        expect(reserve, says: "RetryBudget(ratio:reserve:): reserve must be 0 to 1,000,000,000, not -1")
        let cost = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = RetryPolicy().retrying(Timeout.self, cost: 0)
        }
        expect(cost, says: "the cost of a retry must be at least 1, not 0")
    }

    @Test("R6: a threshold below 1, an empty window and a negative pause stop the program")
    func circuit() async {
        let threshold = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("a", opensAt: 0, counting: .any)
        }
        expect(threshold, says: "CircuitBreaker(a): opensAt must be at least 1, not 0")
        let window = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("a", within: .zero, counting: .any)
        }
        expect(window, says: "CircuitBreaker(a): within must be positive, but is 0.0 seconds")
        let pause = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CircuitBreaker("a", for: .seconds(-1), counting: .any)
        }
        expect(pause, says: "CircuitBreaker(a): for must not be negative, but is -1.0 seconds")
    }

    private func expect(
        _ result: ExitTest.Result?,
        says message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(output.contains(message), sourceLocation: sourceLocation)
    }
}
