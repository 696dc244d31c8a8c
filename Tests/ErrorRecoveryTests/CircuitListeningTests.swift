import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRecovery

/// [R6](../../Sources/ErrorRecovery/ErrorRecovery.docc/ErrorRecovery.md#what-is-promised).
@Suite("R6: a circuit that listens to a bus counts what anyone posts, and changes no outcome", .hangLimit)
struct CircuitListeningTests {
    private let clock = TestClock()

    private func breaker(opensAt failures: Int) -> CircuitBreaker {
        CircuitBreaker.quiet(clock, opensAt: failures)
    }

    @Test("what anyone posts counts, handled, ignored or not, and every outcome is as without")
    func outcomes() async {
        let breaker = breaker(opensAt: 3)
        let rules = ErrorHandler()
            .ignore(matching: .type(Timeout.self).where { $0.code == 1 })
            .on(matching: .type(Timeout.self).where { $0.code == 2 }) { _ in .stop }
            .always { _ in .stop }
        let errors = [Timeout(code: 1), Timeout(code: 2), Timeout(code: 3)]
        let without = await withRecordedErrors(handler: rules) { bus in for error in errors { bus.post(error) } }
        let with = await withRecordedErrors(handler: rules.overlaid(with: breaker.listening)) { bus in
            for error in errors { bus.post(error) }
            bus.post(Refused())
        }
        #expect(breaker.state == .open)
        #expect(with.reports.map(\.outcome.disposition) == [.ignored, .handled, .unmatched, .unmatched])
        #expect(with.reports.prefix(3).map(\.outcome.description) == without.reports.map(\.outcome.description))
    }

    @Test("an error that run threw counts once where it is posted, also caught as its type, and others' count")
    func once() async {
        let breaker = breaker(opensAt: 4)
        await withRecordedErrors(handler: breaker.listening) { bus in
            // Each counts once: 2.
            do { try await breaker.run { throw Timeout(code: 1) } } catch { await bus.deliver(error) }
            do { try await breaker.run { throw Timeout(code: 1) } } catch let error as Timeout {
                await bus.deliver(error)
            } catch {}
            #expect(breaker.state == .closed)
            // Equal to it, and somebody else's: 3.
            await bus.deliver(Timeout(code: 1))
            #expect(breaker.state == .closed)
            // Of another code: 4.
            await bus.deliver(Timeout(code: 2))
            #expect(breaker.state == .open)
        }
    }

    @Test("a call that is retried through the circuit, and posted at its end, counts once for each attempt")
    func retried() async {
        let breaker = breaker(opensAt: 4)
        await withRecordedErrors(handler: breaker.listening) { bus in
            await bus.catching {
                let policy = RetryPolicy.timeouts(3)
                try await retry(policy, clock: ImmediateClock(), reporting: .retriedAttempts, to: bus) { attempt in
                    try await breaker.run { throw Timeout(code: attempt) }
                }
            }
            // Delivered after all that was posted before.
            await bus.deliver(Refused())
            #expect(breaker.state == .closed)
            await bus.deliver(Timeout(code: 9))
            #expect(breaker.state == .open)
        }
    }

    @Test("what run threw stands for one report, for as long as the window; then it counts as a new one")
    func forgetting() async {
        let breaker = breaker(opensAt: 2)
        await withRecordedErrors(handler: breaker.listening) { bus in
            await breaker.fail(with: Timeout())
            clock.advance(by: .seconds(10))
            await bus.deliver(Timeout())
            #expect(breaker.state == .closed)
            await bus.deliver(Timeout())
            #expect(breaker.state == .open)
        }
    }

    @Test("a report that stands for many errors counts for as many")
    func occurrences() async {
        let breaker = breaker(opensAt: 5)
        let handler = breaker.listening
        func report(_ occurrences: Int) -> ErrorReport {
            ErrorReport(error: Timeout(), source: .init(), occurrences: occurrences)
        }
        await breaker.fail(with: Timeout())
        // One of the four was counted when it was thrown.
        await handler.handle(report(4))
        #expect(breaker.state == .closed)
        await handler.handle(report(1))
        #expect(breaker.state == .open)
    }

    @Test("its own changes come over the bus that it listens to, and never count")
    func ownChanges() async {
        let breaker = CircuitBreaker("test", opensAt: 1, counting: .any, clock: clock)
        let recorded = await withRecordedErrors(handler: breaker.listening) { bus in
            await bus.deliver(Timeout())
            clock.advance(by: .seconds(5))
            try? await breaker.run {}
        }
        let states = recorded.matches(of: .type(CircuitChanged.self)).map(\.state)
        #expect(states == [.open, .halfOpen, .closed])
        #expect(recorded.reports.count == 4 && breaker.state == .closed)
    }

    @Test("no more errors are remembered than fit")
    func bounded() {
        var thrown = ThrownErrors(lifetime: .seconds(10))
        for code in 0..<(ThrownErrors.limit + 5) { thrown.add(.init(Timeout(code: code)), at: .zero) }
        #expect(thrown.count == ThrownErrors.limit)
        #expect(thrown.take(.init(Timeout(code: 4)), upTo: 1, at: .zero) == 0)
        #expect(thrown.take(.init(Timeout(code: 5)), upTo: 1, at: .zero) == 1)
        #expect(thrown.take(.init(Timeout(code: 6)), upTo: 1, at: .seconds(10)) == 0)
        #expect(thrown.count == 0)
    }
}
