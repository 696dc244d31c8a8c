import ErrorRecovery
import ErrorRouting
import TestSupport
import Testing

@Suite("R6: a circuit survives a clock that is put back or forward", .tags(.recovery6), .hangLimit)
struct CircuitClockTests {
    private let clock = ImmediateClock()

    private func breaker(opensAt failures: Int = 1) -> CircuitBreaker {
        CircuitBreaker("test", opensAt: failures, counting: .type(Timeout.self), clock: clock, reportingTo: Nobody())
    }
}

extension CircuitClockTests {
    @Test("an open circuit whose clock is put back by a day is open for one more pause, not for the day")
    func putBackWhileOpen() async throws {
        let breaker = breaker()
        clock.advance(by: .seconds(86_400))
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(4))
        clock.advance(by: .seconds(-86_400))
        let refusal = await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
        expect(refusal?.retryAfter, equals: .seconds(5))
        clock.advance(by: .seconds(5))
        try await breaker.run {}
        expect(breaker.state, equals: .closed)
    }

    @Test("failures from before the clock was put back leave the window as those after it do")
    func putBackWhileClosed() async {
        let breaker = breaker(opensAt: 3)
        clock.advance(by: .seconds(86_400))
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(-86_400))
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(10))
        await breaker.fail(with: Timeout())
        expect(breaker.state, equals: .closed)
        clock.advance(by: .seconds(9))
        await breaker.fail(with: Timeout())
        expect(breaker.state, equals: .closed)
        await breaker.fail(with: Timeout())
        expect(breaker.state, equals: .open)
    }

    @Test("a clock that is put forward ends the pause, and forgets the failures")
    func putForward() async throws {
        let breaker = breaker(opensAt: 2)
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(86_400))
        await breaker.fail(with: Timeout())
        expect(breaker.state, equals: .closed)
        await breaker.fail(with: Timeout())
        expect(breaker.state, equals: .open)
        clock.advance(by: .seconds(86_400))
        try await breaker.run {}
        expect(breaker.state, equals: .closed)
    }
}
