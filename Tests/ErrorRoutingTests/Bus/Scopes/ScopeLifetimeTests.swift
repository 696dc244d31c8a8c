import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 13, 16, and 21: a scope lives no longer than its owners and reports need it",
    .tags(.promise13, .promise16, .promise21), .hangLimit)
struct ScopeLifetimeTests {}

extension ScopeLifetimeTests {
    /// An error that a weak reference can watch.
    private final class Traced: Error {}

    /// An object that a handler retains.
    private final class Captured: Sendable {}

    /// The objects that must be deallocated in the end.
    private struct Watched {
        weak var bus: ErrorBus?
        weak var outer: ErrorScope?
        weak var inner: ErrorScope?
        weak var captured: Captured?
        weak var error: Traced?

        private var isGone: Bool { bus == nil && outer == nil && inner == nil && captured == nil && error == nil }

        /// Returns when all of them are deallocated, and otherwise hangs.
        ///
        /// The worker's task might still be ending.
        func waitUntilGone() async {
            await eventually("bus, scopes, rules, and errors are deallocated") { isGone }
        }
    }

    /// Runs a body with a bus and a scope within a scope, then returns weak references to them.
    private func watching(
        clock: any Clock<Duration> = ManualClock(),
        _ body: (_ bus: ErrorBus, _ inner: ErrorScope, _ error: Traced) async -> Void
    ) async -> Watched {
        let captured = Captured()
        let handler = ErrorHandler().on(Traced.self) { _ in
            withExtendedLifetime(captured) {}
            return .next
        }
        let limit = FloodLimit(first: 1, per: .seconds(1))
        let bus = ErrorBus(handler: handler, configuration: .init(floodLimit: limit, clock: clock))
        let outer = bus.scope("outer", handler: handler)
        let inner = outer.scope("inner", handler: handler, order: .rootFirst)
        let error = Traced()
        let watched = Watched(bus: bus, outer: outer, inner: inner, captured: captured, error: error)
        await body(bus, inner, error)
        return watched
    }

    @Test("when all is delivered, or returned by a shutdown, bus, scopes, rules, and errors are deallocated")
    func afterwards() async {
        let delivered = await watching { bus, inner, error in
            async let running: Void = bus.run()
            inner.bound { postError(error) }
            await inner.deliver(error)
            await inner.task { throw error }.value
            bus.finish()
            await running
        }
        await delivered.waitUntilGone()
        let reportRemoved = await watching { bus, inner, error in
            for _ in 0..<3 { inner.post(error) }
            inner.scope("request").post(error)
            async let outcome = inner.deliver(Numbered(1))
            // A report that isn't complete yet would be refused, and not returned.
            await eventually("the fifth report is complete") { bus.storage.hasReport(at: 4) }
            let left = await bus.shutdown(within: .zero)
            let path = ["outer", "inner"]
            expect(left.map(\.scope), equals: [path, path, path, path + ["request"], path])
            expect(await outcome.disposition, equals: .dropped)
        }
        await reportRemoved.waitUntilGone()
    }

    @Test("a scope that is released with pending reports is deallocated, and its rules still run for these reports")
    func released() async {
        let trace = ActionTrace()
        let bus = ErrorBus(handler: ErrorHandler().on(Numbered.self) { error in trace("bus \(error.number)") })
        weak var watched: ErrorScope?
        do {
            let handler = ErrorHandler().on(Numbered.self) { error, report in
                trace("\(report.scope) \(error.number) \(report.metadata)")
            }
            let scope = bus.scope("gone", handler: handler, metadata: ["k": "v"]).scope("too", handler: handler)
            watched = scope
            for number in 1...2 { scope.post(Numbered(number)) }
        }
        expectNil(watched)
        bus.finish()
        await bus.run()
        let lines = (1...2).flatMap { number in
            [#"["gone", "too"] \#(number) ["k": "v"]"#, #"["gone", "too"] \#(number) ["k": "v"]"#, "bus \(number)"]
        }
        expect(trace.entries, equals: lines)
        await eventually("the scope's last context is released") { watched == nil }
    }

    @Test(
        "a discarded bus's pending reports go to standard error, and the bus and its objects are deallocated"
    )
    func discarded() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            weak var watched: ErrorBus?
            var reports: AsyncStream<ErrorReport>?
            do {
                let bus = ErrorBus(handler: .default)
                watched = bus
                reports = bus.reports()
                let scope = bus.scope("intake", handler: ErrorHandler().on(Numbered.self) { _ in .stop })
                bus.post(Numbered(1))
                scope.post(Numbered(2), metadata: ["order": "17"])
            }
            expectNil(watched)
            expect(await reports?.collected().isEmpty, equals: true)
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: ["Numbered(number: 1)", "Numbered(number: 2)"])
        expect(lines.map { $0?["scope"] }, equals: [nil, "intake"])
        expect(lines.map { $0?["metadata.order"] }, equals: [nil, "17"])
        let reason = "the bus was discarded before it was delivered"
        expect(lines.map { $0?["reason"] }, equals: [reason, reason])
    }

    @Test("a clock that ignores cancellation doesn't retain a bus that was shut down within one of its scopes")
    func stubbornClock() async {
        let clock = OddClock(fails: false)
        let watched = await watching(clock: clock) { bus, inner, error in
            inner.post(error)
            let running = Task { await bus.run() }
            await inner.bound {
                #expect(await bus.shutdown(within: .seconds(3_600)).isEmpty)
            }
            await running.value
        }
        await watched.waitUntilGone()
        clock.gate.open()
    }

    @Test(
        "posts after the end are dropped, counted, and on standard error with all their metadata; others aren't there"
    )
    func finished() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let handler = ErrorHandler().on(Numbered.self) { _ in fatalError("it must not run") }
            let configuration = ErrorBus.Configuration(metadataProvider: { _ in ["request": "7", "k": "p"] })
            let bus = ErrorBus(handler: handler, configuration: configuration)
            let scope = bus.scope("outer", handler: handler, metadata: ["k": "outer", "l": "outer"]).scope("inner")
            scope.post(Numbered(0))
            // Reports that a shutdown returned aren't written.
            expect(await bus.shutdown(within: .zero).count, equals: 1)
            await bus.run()
            scope.post(Numbered(1), metadata: ["order": "17"])
            expect(await scope.deliver(Numbered(2)).disposition, equals: .dropped)
            scope.bound { postError(Numbered(3)) }
            await scope.scope("late").task { throw Numbered(4) }.value
            bus.post(Numbered(5))
            expect(bus.statistics, equals: .init(posted: 6, dropped: 6))
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: (1...5).map { "Numbered(number: \($0))" })
        let path = "outer/inner"
        expect(lines.map { $0?["scope"] }, equals: [path, path, path, path + "/late", nil])
        expect(lines.map { $0?["metadata.k"] }, equals: Array(repeating: "p", count: 5))
        expect(lines.map { $0?["metadata.l"] }, equals: ["outer", "outer", "outer", "outer", nil])
        expect(lines.map { $0?["metadata.request"] }, equals: Array(repeating: "7", count: 5))
        expect(lines.map { $0?["metadata.order"] }, equals: ["17", nil, nil, nil, nil])
        expect(lines.map { $0?["reason"] }, equals: Array(repeating: "the bus has finished", count: 5))
    }
}
