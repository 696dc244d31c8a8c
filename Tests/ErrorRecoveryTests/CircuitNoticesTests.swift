import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R6: a circuit's notices go where it was told to report, and nowhere else", .tags(.recovery6), .hangLimit)
struct CircuitNoticesTests {
    private let clock = ManualClock()

    private func breaker(errors: any ErrorPosting = .ambient) -> CircuitBreaker {
        CircuitBreaker("search", of: 1, counting: .type(Timeout.self), clock: clock, errors: errors)
    }

    /// Opens the circuit, lets a trial through, and closes it.
    private func cycle(_ breaker: CircuitBreaker) async {
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(5))
        try? await breaker.run {}
    }
}

extension CircuitNoticesTests {
    @Test("no scope of a caller's sees them, but one that it was told to report to, whatever their rules say")
    func scopes() async {
        let swallowing = ErrorHandler().on(matching: .any) { _ in .stop }
        let recorded = await withRecordedErrors { bus in
            let breakers = [breaker(), breaker(errors: bus), breaker(errors: bus.scope("circuits"))]
            await withErrorScope("request", handler: swallowing) { _ in
                for breaker in breakers { await cycle(breaker) }
                // Made in a scope, it is not the scope's either.
                await cycle(breaker())
            }
        }
        let scopes = [[], [], ["circuits"], []].flatMap { Array(repeating: $0, count: 3) }
        expect(recorded.reports.map(\.scope), equals: scopes)
        expect(recorded.statistics.unmatched, equals: 12)
    }

    @Test("no flood limit merges the circuits of one factory, or the changes of one circuit")
    func flood() async {
        let configuration = ErrorBus.Configuration(floodLimit: .init(first: 1, per: .seconds(3_600)))
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            for breaker in (0..<5).map({ _ in breaker(errors: bus) }) { await cycle(breaker) }
        }
        expect(recorded.matches(of: .type(CircuitChanged.self)).count { $0.state == .open }, equals: 5)
        expect(recorded.reports.map(\.occurrences), equals: .init(repeating: 1, count: 15))
    }

    @Test("of two buses the one where it was made gets all of them, whichever caller changes its state")
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

    @Test("without a bus where it was made they go to the root, and not to a bus of a caller's")
    func root() async {
        let outcome = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let breaker = CircuitBreaker("search", of: 1, openFor: .zero, counting: .type(Timeout.self))
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
            // There is no root any more.
            await withErrorBus(handler: callers) { _ in try? await breaker.run {} }
            precondition(toRoot.withLock { $0 } == [.open])
        }
        let lines = outcome.standardErrorLines
        expect(lines.count, equals: 2)
        expect(lines.first?.contains("circuit search is half open"), equals: true)
        expect(lines.last?.contains("circuit search is closed"), equals: true)
    }

    @Test("a circuit does not keep the bus alive where it was made")
    func retained() async {
        weak var weakBus: ErrorBus?
        var breaker: CircuitBreaker?
        await withErrorBus(handler: ErrorHandler()) { bus in
            weakBus = bus
            breaker = self.breaker()
        }
        expectNil(weakBus)
        #expect(breaker != nil)
    }
}
