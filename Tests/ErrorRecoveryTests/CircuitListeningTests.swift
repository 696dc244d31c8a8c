import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R6: a circuit that listens counts what the bus reports, once, and nothing else", .tags(.recovery6), .hangLimit)
struct CircuitListeningTests {
    private let clock = ManualClock()

    /// The window is longer than any delivery takes: a report's age is real, whatever the circuit's clock.
    private func breaker(opensAt failures: Int) -> CircuitBreaker {
        CircuitBreaker(
            "test", opensAt: failures, within: .seconds(3_600), counting: .type(Timeout.self), from: .reports,
            clock: clock, errors: Nobody())
    }
}

extension CircuitListeningTests {
    @Test("what anyone posts counts, handled, ignored or not, and every outcome is as without")
    func outcomes() async {
        let breaker = breaker(opensAt: 3)
        let rules = ErrorHandler()
            .ignore(matching: .type(Timeout.self).where { $0.code == 1 })
            .on(matching: .type(Timeout.self).where { $0.code == 2 }) { _ in .stop }
            .always { _ in .stop }
        let errors = [Timeout(code: 1), Timeout(code: 2), Timeout(code: 3)]
        let without = await withRecordedErrors(handler: rules) { bus in for error in errors { bus.post(error) } }
        let with = await withRecordedErrors(handler: rules.overlaid(with: breaker.handler)) { bus in
            for error in errors { bus.post(error) }
            bus.post(Refused())
        }
        expect(breaker.state, equals: .open)
        expect(with.reports.map(\.outcome.disposition), equals: [.ignored, .handled, .unmatched, .unmatched])
        expect(with.reports.prefix(3).map(\.outcome.description), equals: without.reports.map(\.outcome.description))
    }

    @Test("what run throws counts where it is reported, whoever wrapped it, and not where nobody reports it")
    func reported() async {
        struct Wrapped: Error { let cause: any Error, text: String }
        let breaker = CircuitBreaker(
            "test", opensAt: 3, within: .seconds(3_600), counting: .anywhere(.type(Timeout.self)),
            from: .reports, clock: clock, errors: Nobody())
        await withRecordedErrors(handler: breaker.handler) { bus in
            for _ in 0..<9 { await breaker.fail(with: Timeout()) }
            expect(breaker.state, equals: .closed)
            for language in ["out of time", "時間切れ"] {
                do {
                    try await breaker.run { throw Timeout() }
                } catch {
                    await bus.deliver(Wrapped(cause: error, text: language))
                }
            }
            expect(breaker.state, equals: .closed)
            // Somebody else's, who never heard of the circuit.
            await bus.deliver(Timeout())
            expect(breaker.state, equals: .open)
        }
    }

    @Test("however many errors wait, each counts once, also with a scope and its bus; each report of another bus too")
    func undelivered() async {
        let breaker = breaker(opensAt: 1_502)
        let handler = breaker.handler
        await withRecordedErrors(handler: handler) { bus in
            let scope = bus.scope("a", handler: handler).scope("b", handler: breaker.handler)
            for _ in 0..<1_500 {
                do { try await breaker.run { throw Timeout() } } catch { scope.post(error) }
            }
            await bus.deliver(Refused())
            expect(breaker.state, equals: .closed)
            // Its reports are numbered anew.
            await withRecordedErrors(handler: handler) { other in
                await other.deliver(Timeout())
                expect(breaker.state, equals: .closed)
                await other.deliver(Timeout())
                expect(breaker.state, equals: .open)
            }
        }
    }

    @Test("what a flood limit holds counts as often as it was posted, each once")
    func flood() async {
        let breaker = breaker(opensAt: 21)
        let configuration = ErrorBus.Configuration(floodLimit: .init(first: 2, per: .seconds(1)))
        await withRecordedErrors(handler: breaker.handler, configuration: configuration) { bus in
            for code in 0..<20 { bus.post(Timeout(code: code)) }
            _ = await bus.flush(within: .seconds(60))
            expect(breaker.state, equals: .closed)
            await bus.deliver(Timeout(), fileID: "elsewhere")
            expect(breaker.state, equals: .open)
        }
    }

    @Test("a report counts at the moment of its posting, however late it is delivered")
    func late() async {
        let breaker = CircuitBreaker(
            "test", opensAt: 2, within: .seconds(60), counting: .any, from: .reports, errors: Nobody())
        let handler = breaker.handler
        func report(_ age: Duration) async {
            await handler.handle(
                ErrorReport(error: Timeout(), source: .init(), instant: .now - age, occurrences: age == .zero ? 1 : 9))
        }
        await report(.seconds(61))
        await report(.seconds(3_600))
        expect(breaker.state, equals: .closed)
        await report(.zero)
        expect(breaker.state, equals: .closed)
        await report(.seconds(30))
        expect(breaker.state, equals: .open)
    }

    @Test("a report that stands for many counts those that lie in the window, and none from before the circuit closed")
    func merged() async throws {
        let breaker = CircuitBreaker(
            "test", opensAt: 3, within: .seconds(1_000), counting: .any, from: .reports, clock: clock,
            errors: Nobody())
        let handler = breaker.handler
        /// Handles a report of errors that were posted at equal intervals, the last of them now.
        func report(_ occurrences: Int, every seconds: Int) async {
            let now = ContinuousClock.now
            let first = now - .seconds(seconds * (occurrences - 1))
            await handler.handle(
                ErrorReport(
                    error: Timeout(), source: .init(), instant: now, firstInstant: first, occurrences: occurrences))
        }
        await report(8, every: 600)
        expect(breaker.state, equals: .closed)
        await report(8, every: 400)
        expect(breaker.state, equals: .open)
        clock.advance(by: .seconds(5))
        try await breaker.run {}
        await report(10, every: 100)
        expect(breaker.state, equals: .closed)
        await report(10, every: 0)
        expect(breaker.state, equals: .open)
    }

    @Test("reports from before the circuit closed never open it again, those from after do")
    func old() async throws {
        let breaker = breaker(opensAt: 2)
        let (acting, gate) = (Gate(), Gate())
        let slow = ErrorHandler().on(Refused.self) { _ in
            acting.open()
            await gate.wait()
            return .stop
        }
        try await withErrorBus(handler: slow.overlaid(with: breaker.handler)) { bus in
            for _ in 0..<2 { await bus.deliver(Timeout()) }
            expect(breaker.state, equals: .open)
            bus.post(Refused())
            await acting.wait()
            for _ in 0..<100 { bus.post(Timeout()) }
            clock.advance(by: .seconds(5))
            try await breaker.run {}
            bus.post(Timeout())
            gate.open()
            await bus.deliver(Refused())
            expect(breaker.state, equals: .closed)
            await bus.deliver(Timeout())
            expect(breaker.state, equals: .open)
        }
    }

    @Test("its own changes come over the bus that it listens to, and never count")
    func ownChanges() async {
        let recorded = await withRecordedErrors { bus in
            let breaker = CircuitBreaker(
                "test", opensAt: 1, within: .seconds(3_600), counting: .any, from: .reports, clock: clock,
                errors: bus)
            await withErrorBus(handler: breaker.handler) { listening in
                await listening.deliver(Timeout())
                clock.advance(by: .seconds(5))
                try? await breaker.run {}
                for state in CircuitChanged.State.allCases {
                    await listening.deliver(CircuitChanged(name: "other", state: state, cause: Timeout()))
                }
                await listening.deliver(CircuitOpen(name: "other", retryAfter: nil, cause: Timeout()))
                await listening.deliver(CancellationError())
            }
            expect(breaker.state, equals: .closed)
        }
        expect(recorded.matches(of: .type(CircuitChanged.self)).map(\.state), equals: [.open, .halfOpen, .closed])
    }
}
