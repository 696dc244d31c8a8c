import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

/// Matchers, clocks, errors, and posters call back into their callers.
@Suite("User code that calls back into a circuit doesn't deadlock", .hangLimit)
struct EvilTests {}

extension EvilTests {
    /// The circuit that everything here calls; set once.
    private final class Target: Sendable {
        private let stored = Locked<CircuitBreaker?>(nil)

        var breaker: CircuitBreaker? { stored.withLock { $0 } }
        func set(_ breaker: CircuitBreaker?) { stored.withLock { $0 = breaker } }
    }

    /// An error whose description reads the circuit, posts the error, and handles it.
    private struct Evil: RetryClassified, RetryAfterProviding, CustomStringConvertible {
        let target: Target

        var description: String {
            _ = target.breaker?.state
            return "evil"
        }

        var retryDecision: RetryDecision {
            _ = RetryPolicy.default.explain(self)
            target.breaker?.isolate()
            return .retry()
        }

        var retryAfter: Duration? {
            target.breaker?.close()
            return .zero
        }
    }

    /// A clock that calls its own circuit.
    private final class EvilClock: Clock, Sendable {
        let target: Target
        init(_ target: Target) { self.target = target }

        var now: ImmediateClock.Instant {
            _ = target.breaker?.state
            return .init()
        }

        var minimumResolution: Duration { .zero }
        func sleep(until deadline: ImmediateClock.Instant, tolerance: Duration?) async throws { await Task.yield() }
    }

    /// An error that calls the circuit when it is deallocated.
    private final class Dying: Error {
        let target: Target
        init(_ target: Target) { self.target = target }
        deinit { _ = target.breaker?.state }
    }

    @Test("matchers, clocks, errors, and posters can call the circuit that calls them")
    func evil() async {
        let target = Target()
        let quiet = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: LastResort { _ in }))
        let breaker = CircuitBreaker(
            "evil",
            counting: .predicate { _ in
                _ = target.breaker?.state
                return true
            }, minimumCalls: 2, openPeriod: .zero, clock: EvilClock(target), errors: quiet)
        target.set(breaker)
        await withRecordedErrors { bus in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for round in 0..<20 {
                            await bus.catching {
                                try await retry(
                                    .default, clock: EvilClock(target), errors: bus,
                                    onStep: { _ in _ = breaker.state }
                                ) { _ in
                                    try await breaker.run {
                                        // Run an operation within an operation of the same circuit.
                                        try await breaker.run {
                                            throw round % 2 == 0 ? Evil(target: target) : Dying(target)
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        target.set(nil)
    }
}
