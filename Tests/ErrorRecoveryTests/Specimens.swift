import ErrorRecovery
import ErrorRouting
import Testing

/// What the tests throw.
struct Timeout: Error, Equatable {
    var code = 0
}

/// What no rule of the tests retries.
struct Refused: Error {}

/// An error that classifies itself.
struct Classified: RetryClassified {
    var retryDecision: RetryDecision
}

/// An error with a server's hint.
struct Busy: RetryAfterProviding {
    var retryAfter: Duration?
}

extension RetryPolicy {
    /// Retries time-outs, without jitter: after 1, 2, 4, … seconds.
    static func timeouts(_ maxAttempts: Int = 3, budget: RetryBudget? = nil, deadline: Duration? = nil) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts,
            backoff: .exponential(jitter: .none),
            budget: budget,
            deadline: deadline
        ).retrying(Timeout.self)
    }
}
