import ErrorRecovery
import ErrorRouting
import Foundation
import Testing

/// An error that the policies of the tests retry.
struct Timeout: Error, Equatable {
    var code = 0
}

/// An error that no rule of the tests retries.
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

/// A clock on which a sleep takes no time: it moves to the deadline by itself, and remembers what was slept.
final class ImmediateClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private let state = Locked((now: Instant(), sleeps: [Duration]()))
    /// How much longer than asked each sleep takes.
    private let oversleeping: Duration
    /// The error that each sleep throws at its end.
    private let failure: (any Error)?

    init(oversleeping: Duration = .zero, failure: (any Error)? = nil) {
        self.oversleeping = oversleeping
        self.failure = failure
    }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Lets time pass in which nobody sleeps.
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
