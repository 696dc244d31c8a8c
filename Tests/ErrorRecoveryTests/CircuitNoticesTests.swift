import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R6: a circuit posts its notices only to its own poster", .tags(.recovery6), .hangLimit)
struct CircuitNoticesTests {
    private let clock = ManualClock()

    private func breaker(errors: any ErrorPosting = .ambient) -> CircuitBreaker {
        CircuitBreaker(
            "search", counting: .type(Timeout.self), minimumCalls: 1, jitter: 0, clock: clock, errors: errors)
    }

    /// Opens the circuit, runs a trial call, and closes the circuit.
    private func cycle(_ breaker: CircuitBreaker) async {
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(5))
        try? await breaker.run {}
    }
}

extension CircuitNoticesTests {
    @Test("no caller's scope receives notices, whatever its rules, but the circuit's own poster can be a scope")
    func scopes() async {
        let swallowing = ErrorHandler().on(matching: .any) { _ in .stop }
        let recorded = await withRecordedErrors { bus in
            let breakers = [breaker(), breaker(errors: bus), breaker(errors: bus.scope("circuits"))]
            await withErrorScope("request", handler: swallowing) { _ in
                for breaker in breakers { await cycle(breaker) }
                // A circuit that is created in a scope doesn't post to that scope either.
                await cycle(breaker())
            }
        }
        let scopes = [[], [], ["circuits"], []].flatMap { Array(repeating: $0, count: 3) }
        expect(recorded.reports.map(\.scope), equals: scopes)
        expect(recorded.statistics.unmatched, equals: 12)
    }

    @Test("a flood limit doesn't merge notices of different circuits from one factory, or of one circuit's changes")
    func flood() async {
        let configuration = ErrorBus.Configuration(floodLimit: .init(first: 1, per: .seconds(3_600)))
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            for breaker in (0..<5).map({ _ in breaker(errors: bus) }) { await cycle(breaker) }
        }
        expect(recorded.matches(of: .type(CircuitChanged.self)).count { $0.state == .open }, equals: 5)
        expect(recorded.reports.map(\.occurrences), equals: .init(repeating: 1, count: 15))
    }

    @Test("the bus that was bound at a circuit's creation receives all notices, whichever caller changes the state")
    func twoBuses() async {
        var other: RecordedErrors?
        let recorded = await withRecordedErrors { _ in
            let breaker = breaker()
            other = await withRecordedErrors { _ in
                await breaker.fail(with: Timeout())
                clock.advance(by: .seconds(5))
            }
            try? await breaker.run {}
        }
        expect(recorded.matches(of: .type(CircuitChanged.self)).map(\.state), equals: [.open, .halfOpen, .closed])
        expect(other?.reports.isEmpty, equals: true)
    }

    @Test("if a circuit was created without a bus, the root receives its notices, and no caller's bus does")
    func root() async {
        let outcome = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let breaker = CircuitBreaker("search", counting: .type(Timeout.self), minimumCalls: 1, openPeriod: .zero)
            let toRoot = Locked<[CircuitChanged.State]>([])
            let rules = ErrorHandler().on(CircuitChanged.self) { change in
                toRoot.withLock { $0.append(change.state) }
                return .stop
            }
            let callers = ErrorHandler().on(CircuitChanged.self) { _ in fatalError("a caller's bus got a notice") }
            await withErrorBus(handler: rules, asRoot: true) { _ in
                await withErrorBus(handler: callers) { _ in await breaker.fail(with: Timeout()) }
            }
            precondition(toRoot.withLock { $0 } == [.open])
            // The root no longer exists.
            await withErrorBus(handler: callers) { _ in try? await breaker.run {} }
            precondition(toRoot.withLock { $0 } == [.open])
        }
        let lines = outcome.standardErrorLines
        expect(lines.count, equals: 2)
        expect(lines.first?.contains("circuit search is half open"), equals: true)
        expect(lines.last?.contains("circuit search is closed"), equals: true)
    }

    @Test("a circuit doesn't retain the bus where it was created")
    func retained() async {
        weak var weakBus: ErrorBus?
        var breaker: CircuitBreaker?
        await withErrorBus(handler: ErrorHandler()) { bus in
            weakBus = bus
            breaker = self.breaker()
        }
        // The task that ran the bus's worker might still be ending.
        await eventually("the tasks that ran the bus have released it") { weakBus == nil }
        #expect(breaker != nil)
    }
}
