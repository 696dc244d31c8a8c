import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviours 13, 16 and 21: a scope lives no longer than its owners and reports need it",
    .tags(.behaviour13, .behaviour16, .behaviour21), .hangLimit)
struct ScopeLifetimeTests {}

extension ScopeLifetimeTests {
    /// An error whose deallocation can be seen.
    private final class Traced: Error {}

    /// What a handler holds.
    private final class Captured: Sendable {}

    /// What must be deallocated in the end.
    private struct Watched {
        weak var bus: ErrorBus?
        weak var outer: ErrorScope?
        weak var inner: ErrorScope?
        weak var captured: Captured?
        weak var error: Traced?

        private var isGone: Bool { bus == nil && outer == nil && inner == nil && captured == nil && error == nil }

        /// Returns when all of it is deallocated, and hangs otherwise; the worker's task may still be ending.
        func waitUntilGone() async {
            while !isGone { await Task.yield() }
        }
    }

    /// Runs a body with a bus and a scope within a scope, and returns weak references to them.
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

    @Test("when everything is delivered, nothing is left of bus, scopes, rules and errors")
    func afterDelivery() async {
        let watched = await watching { bus, inner, error in
            async let running: Void = bus.run()
            inner.bound { postError(error) }
            await inner.deliver(error)
            await inner.task { throw error }.value
            bus.finish()
            await running
        }
        await watched.waitUntilGone()
    }

    @Test("a scope that is released with reports pending is deallocated, and its rules run for them all the same")
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
        while watched != nil { await Task.yield() }
    }

    @Test("after a shutdown that takes reports back, nothing is left of them")
    func afterShutdown() async {
        let watched = await watching { bus, inner, error in
            for _ in 0..<3 { inner.post(error) }
            inner.scope("request").post(error)
            let left = await bus.shutdown(within: .zero)
            let path = ["outer", "inner"]
            expect(left.map(\.scope), equals: [path, path, path, path + ["request"]])
        }
        await watched.waitUntilGone()
    }

    @Test("a bus that is discarded with scoped reports pending is deallocated, and so is all that it held")
    func discarded() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            weak var watched: ErrorBus?
            do {
                let bus = ErrorBus(handler: .default)
                watched = bus
                let scope = bus.scope("intake", handler: ErrorHandler().on(Numbered.self) { _ in .stop })
                bus.post(Numbered(1))
                scope.post(Numbered(2), metadata: ["order": "17"])
            }
            expectNil(watched)
        }
        let lines = result.standardErrorLines
        expect(lines.count, equals: 2)
        expect(lines.last?.contains(#"scope=intake metadata.order="17""#), equals: true)
        #expect(lines.allSatisfy { $0.hasSuffix(#"reason="the bus was discarded before it was delivered""#) })
    }

    @Test("who waits for an outcome through a scope hears .dropped when a shutdown takes the report back")
    func takenBackWhileWaiting() async {
        let bus = ErrorBus(handler: ErrorHandler())
        let scope = bus.scope("scope")
        async let outcome = scope.deliver(Numbered(1))
        // Before it is all there, a report is refused, and not given back.
        while !bus.storage.isFilled(at: 0) { await Task.yield() }
        expect(await bus.shutdown(within: .zero).map(\.scope), equals: [["scope"]])
        expect(await outcome.disposition, equals: .dropped)
    }

    @Test("a clock that ignores cancellation does not hold a bus that was shut down within one of its scopes")
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

    @Test("posting through a scope of a finished bus is as posting to the bus: dropped, counted, on standard error")
    func finished() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let handler = ErrorHandler().on(Numbered.self) { _ in fatalError("it must not run") }
            let bus = ErrorBus(handler: handler)
            let scope = bus.scope("outer", handler: handler, metadata: ["k": "outer"]).scope("inner")
            bus.finish()
            await bus.run()
            scope.post(Numbered(1), metadata: ["order": "17"])
            expect(await scope.deliver(Numbered(2)).disposition, equals: .dropped)
            scope.bound { postError(Numbered(3)) }
            await scope.scope("late").task { throw Numbered(4) }.value
            #expect(bus.statistics.posted == 4 && bus.statistics.dropped == 4 && bus.statistics.isBalanced)
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: (1...4).map { "Numbered(number: \($0))" })
        expect(lines.map { $0?["scope"] }, equals: ["outer/inner", "outer/inner", "outer/inner", "outer/inner/late"])
        expect(lines.map { $0?["metadata.k"] }, equals: Array(repeating: "outer", count: 4))
        expect(lines.map { $0?["metadata.order"] }, equals: ["17", nil, nil, nil])
        #expect(lines.allSatisfy { $0?["reason"] == "the bus has finished" })
    }
}
