import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R6: a call within a trial call is part of the trial call", .tags(.recovery6), .hangLimit)
struct NestedRunTests {
    private let clock = ManualClock()

    /// Returns a circuit whose next call is a trial call.
    private func breaker() async -> CircuitBreaker {
        let breaker = CircuitBreaker.quiet(clock)
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(5))
        return breaker
    }
}

extension NestedRunTests {
    @Test("a failing call within a trial call opens the circuit only if the trial call itself fails")
    func failures() async throws {
        let breaker = await breaker()
        let token = try await breaker.run {
            await breaker.fail(with: Timeout())
            expect(breaker.state, equals: .halfOpen)
            // Act like a token refresh, which serves many callers in its own task.
            return try await Task { try await breaker.run { "fresh" } }.value
        }
        expect(token, equals: "fresh")
        expect(breaker.state, equals: .closed)
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(5))
        await #expect(throws: Timeout(code: 2)) {
            try await breaker.run { try await breaker.run { throw Timeout(code: 2) } }
        }
        expect(breaker.state, equals: .open)
    }

    @Test("a call that outlives the trial call, or runs next to it, isn't part of it")
    func others() async throws {
        let breaker = await breaker()
        let (gate, outliving) = try await breaker.run {
            let gate = Gate()
            let task = Task {
                await gate.wait()
                try await breaker.run {}
            }
            await Task.detached { _ = await #expect(throws: CircuitOpen.self) { try await breaker.run {} } }.value
            return (gate, task)
        }
        await breaker.fail(with: Timeout())
        gate.open()
        await #expect(throws: CircuitOpen.self) { try await outliving.value }
        // Another circuit's trial call has no effect here.
        let other = await self.breaker()
        await breaker.fail(with: Timeout())
        await #expect(throws: CircuitOpen.self) {
            try await other.run { try await Task.detached { try await other.run {} }.value }
        }
    }

    @Test("a refusal keeps its cause's hint if the hint is longer than the open period")
    func hints() async throws {
        let breaker = CircuitBreaker(
            "test", counting: .any, minimumCalls: 1, jitter: 0, clock: clock, errors: SilentPoster())
        func hint() async -> Duration? {
            await #expect(throws: CircuitOpen.self) { try await breaker.run {} }?.retryAfter
        }
        await breaker.fail(with: Busy(retryAfter: .seconds(120)))
        expect(await hint(), equals: .seconds(120))
        clock.advance(by: .seconds(4))
        expect(await hint(), equals: .seconds(116))
        clock.advance(by: .seconds(1))
        // After the open period, a trial call is admitted, and concurrent refusals still carry the hint.
        try await breaker.run {
            expect(await Task.detached { await hint() }.value, equals: .seconds(115))
            clock.advance(by: .seconds(115))
            expectNil(await Task.detached { await hint() }.value)
        }
        expect(breaker.state, equals: .closed)
        for shorter in [nil, .seconds(1), .seconds(-9)] as [Duration?] {
            await breaker.fail(with: Busy(retryAfter: shorter))
            expect(await hint(), equals: .seconds(5))
            clock.advance(by: .seconds(5))
            try await breaker.run {}
        }
    }
}
