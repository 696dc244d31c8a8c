import ErrorRecovery
import ErrorRouting
import Foundation
import Testing

/// An error that the tests' policies retry.
struct Timeout: Error, Equatable {
    var code = 0
}

/// An error that the tests' policies don't retry.
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
    /// Retries timeouts without jitter, after 1, 2, 4, … seconds.
    static func timeouts(_ maxAttempts: Int = 3, budget: RetryBudget? = nil, deadline: Duration? = nil) -> RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts,
            backoff: .exponential(jitter: .none),
            budget: budget,
            deadline: deadline
        ).retrying(Timeout.self)
    }
}

/// A clock whose sleeps end immediately: it advances to the deadline and records each sleep.
final class ImmediateClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private let state = Locked((now: Instant(), sleeps: [Duration]()))
    /// How much longer than requested each sleep takes.
    private let oversleeping: Duration
    /// The error that each sleep throws when it ends.
    private let failure: (any Error)?

    init(oversleeping: Duration = .zero, failure: (any Error)? = nil) {
        self.oversleeping = oversleeping
        self.failure = failure
    }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Advances the time without sleeping.
    func advance(by duration: Duration) {
        state.withLock { $0.now = $0.now.advanced(by: duration) }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline.advanced(by: oversleeping))
        }
        if let failure { throw failure }
    }
}
