import ErrorRecovery
import ErrorRouting
import TestSupport
import Testing

@Suite(
    "Simulated outages and thundering herds stay within the bounds of their policies",
    .tags(.recovery2, .recovery4, .recovery6), .hangLimit)
struct SimulationTests {}

extension SimulationTests {
    /// The events of a budget in order.
    private enum Event {
        case call
        case requested(granted: Bool)
    }

    /// Runs callers that are spread over ten minutes in which every call fails.
    private func outage(_ callers: Int, budget: RetryBudget?) async -> (attempts: Int, events: [Event]) {
        let policy = RetryPolicy(
            maxAttempts: 4, backoff: .exponential(from: .milliseconds(500), upTo: .seconds(20)), budget: budget
        ).retrying(Timeout.self)
        return await Simulation.run { simulation in
            let log = Locked((attempts: 0, events: [Event]()))
            await withTaskGroup { group in
                for caller in 0..<callers {
                    group.addTask {
                        // The last retries succeed after the outage.
                        try? await simulation.sleep(for: .milliseconds(600_000 / callers * caller))
                        log.withLock { $0.events.append(.call) }
                        _ = try? await retry(
                            policy, clock: simulation,
                            onStep: { step in
                                switch step.verdict {
                                case .retriesAfter: log.withLock { $0.events.append(.requested(granted: true)) }
                                case .budgetSpent: log.withLock { $0.events.append(.requested(granted: false)) }
                                default: break
                                }
                            }
                        ) { _ in
                            log.withLock { $0.attempts += 1 }
                            if simulation.time < .seconds(600) { throw Timeout() }
                        }
                    }
                }
            }
            return log.withLock { $0 }
        }
    }

    @Test("R4: in an outage of ten minutes with 10,000 callers, the budget bounds the multiplication of calls")
    func outageWithBudget() async {
        let budget = RetryBudget(ratio: 0.1, reserve: 10)
        let (attempts, events) = await outage(10_000, budget: budget)
        #expect(attempts <= 11_010)
        #expect(attempts > 10_900)

        // This is a model of the bucket in tenths of a token.
        var (held, granted) = (100, 0)
        var differences = 0
        for event in events {
            switch event {
            case .call:
                held = min(held + 1, 100)
            case .requested(let isGranted):
                if isGranted != (held >= 10) { differences += 1 }
                if held >= 10 { (held, granted) = (held - 10, granted + 1) }
            }
        }
        expect(differences, equals: 0)
        expect(attempts, equals: 10_000 + granted)
        expect(budget.statistics.granted, equals: granted)
        expect(budget.statistics.available, equals: Double(held) / 10)
    }

    @Test("R4: without a budget, the same outage causes almost four times as many calls")
    func outageWithoutBudget() async {
        let callers = isLong ? 10_000 : 1_000
        let (attempts, _) = await outage(callers, budget: nil)
        #expect(attempts <= 4 * callers)
        #expect(10 * attempts > 39 * callers)
    }

    /// Returns the most retries in any 100 ms, for a thousand clients that start together and always fail.
    private func widestPeak(_ jitter: Backoff.Jitter) async -> Int {
        let policy = RetryPolicy(maxAttempts: 5, backoff: .exponential(jitter: jitter)).retrying(Timeout.self)
        let retries = await Simulation.run { simulation in
            let retries = Locked([Int: Int]())
            await withTaskGroup { group in
                for _ in 0..<1_000 {
                    group.addTask {
                        _ = try? await retry(policy, clock: simulation) { attempt in
                            let slot = Int(simulation.time / .milliseconds(100))
                            if attempt > 1 { retries.withLock { $0[slot, default: 0] += 1 } }
                            throw Timeout()
                        }
                    }
                }
            }
            return retries.withLock { $0 }
        }
        return retries.values.max() ?? 0
    }

    @Test("R2: of 1,000 clients that fail together, only those without jitter return together")
    func herd() async {
        expect(await widestPeak(.none), equals: 1_000)
        // The first 1,000 retries spread over 1 s, half a second, and 2 s.
        let (full, equal, decorrelated) = (
            await widestPeak(.full), await widestPeak(.equal), await widestPeak(.decorrelated)
        )
        #expect(full < 250)
        #expect(equal < 330)
        #expect(decorrelated < 125)
    }

    /// Runs 20 callers that call a flapping dependency every second for ten minutes.
    ///
    /// The dependency alternately works and fails for 20 s.
    private func flapping(behind breaker: @Sendable @escaping (Simulation) -> CircuitBreaker?) async -> (
        whileDown: Int, whileUp: Int
    ) {
        await Simulation.run { simulation in
            let breaker = breaker(simulation)
            let counts = Locked((whileDown: 0, whileUp: 0))
            let call: @Sendable () async throws -> Void = {
                let isUp = Int(simulation.time / .seconds(20)) % 2 == 0
                counts.withLock { if isUp { $0.whileUp += 1 } else { $0.whileDown += 1 } }
                // Yield to other callers, as a real call does.
                try await simulation.sleep(for: .milliseconds(50))
                if !isUp { throw Timeout() }
            }
            await withTaskGroup { group in
                for caller in 0..<20 {
                    group.addTask {
                        try? await simulation.sleep(for: .milliseconds(37 * caller))
                        while simulation.time < .seconds(600) {
                            if let breaker { try? await breaker.run(call) } else { try? await call() }
                            try? await simulation.sleep(for: .seconds(1))
                        }
                    }
                }
            }
            return counts.withLock { $0 }
        }
    }

    @Test("R6: a circuit spares a flapping dependency while it is down, and closes soon after it is up again")
    func flappingDependency() async {
        let without = await flapping { _ in nil }
        let with = await flapping { simulation in
            CircuitBreaker(
                "flapping", counting: .type(Timeout.self), jitter: 0, clock: simulation, errors: SilentPoster())
        }
        #expect(without.whileDown > 5_000)
        #expect(without.whileUp > 5_000)
        // In each of fifteen outages, these calls reach the dependency: the failures that open the circuit (half of the
        // calls in ten seconds), the calls that were running, and a trial call every 5 s.
        #expect(with.whileDown <= 15 * (100 + 12))
        // The circuit closes at most 5 s after the dependency works again, and the dependency then works for 20 s.
        #expect(Double(with.whileUp) >= 0.7 * Double(without.whileUp))
    }
}
