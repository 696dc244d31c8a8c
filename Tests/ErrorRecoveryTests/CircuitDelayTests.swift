import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R6: a refusal's delay is when its circuit might admit a call", .tags(.recovery6), .hangLimit)
struct CircuitDelayTests {}

extension CircuitDelayTests {
    @Test("it is the rest of the open period; during a trial call and during isolation there are other delays")
    func delays() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker.quiet(clock)
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(2))
        expect(try await breaker.refusal().delay(), equals: .seconds(3))
        clock.advance(by: .seconds(3))
        try await breaker.run {
            // A separate task isn't part of the trial call.
            let refusal = try await Task.detached { try await breaker.refusal() }.value
            expect(refusal.delay(), equals: .seconds(1))
            expect(refusal.delay(duringTrial: .milliseconds(50)), equals: .milliseconds(50))
            expect(refusal.isIsolated, equals: false)
        }
        breaker.isolate()
        let refusal = try await breaker.refusal()
        expect(refusal.delay(), equals: .seconds(30))
        expect(refusal.delay(whileIsolated: .seconds(7), duringTrial: .zero), equals: .seconds(7))
        expect(refusal.isIsolated, equals: true)
    }

    @Test("a hint that is longer than the open period is the delay, even during a trial call")
    func hints() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker.quiet(clock, counting: .type(Busy.self))
        await breaker.fail(with: Busy(retryAfter: .seconds(20)))
        expect(try await breaker.refusal().delay(), equals: .seconds(20))
        clock.advance(by: .seconds(5))
        try await breaker.run {
            let refusal = try await Task.detached { try await breaker.refusal() }.value
            expect(refusal.delay(), equals: .seconds(15))
        }
    }

    @Test("twenty jobs that wait out each refusal make every call once, without failing")
    func jobs() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker.quiet(clock)
        await breaker.fail(with: Timeout())
        let sent = Locked<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    while true {
                        do {
                            return try await breaker.run { sent.withLock { $0.append(number) } }
                        } catch let refusal as CircuitOpen {
                            try? await clock.sleep(for: refusal.delay())
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
            group.addTask {
                await eventually("every job has made its call") {
                    // Calls that were refused during the trial call wait a second time.
                    clock.advance(by: .seconds(1))
                    return sent.withLock { $0.count } >= 20
                }
            }
        }
        expect(sent.withLock { $0.sorted() }, equals: Array(0..<20))
        expect(breaker.state, equals: .closed)
    }
}

extension CircuitBreaker {
    /// Returns the refusal of a call.
    fileprivate func refusal() async throws -> CircuitOpen {
        try #require(await #expect(throws: CircuitOpen.self) { try await run {} })
    }

    fileprivate static func quiet(_ clock: ManualClock, counting: ErrorMatcher<Busy>) -> CircuitBreaker {
        CircuitBreaker("test", counting: counting, minimumCalls: 1, jitter: 0, clock: clock, errors: SilentPoster())
    }
}
