import ErrorRoutingTesting
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@Suite(
    "Promises 4, 13, 16, and 20: failures, drops, floods, and shutdown keep a report's scope",
    .tags(.promise4, .promise13, .promise16, .promise20), .hangLimit)
struct ScopeDeliveryTests {
    private let trace = ActionTrace()

    /// A handler that records the notices that it receives, by their scope.
    private func noticing(_ name: String) -> ErrorHandler {
        ErrorHandler()
            .on(ActionFailure.self) { [trace] failure, report in
                trace("\(name): \(failure.error) at \(failure.report.scope) in \(report.scope)")
            }
            .on(ErrorsDropped.self) { [trace] drops, report in trace("\(name): \(drops.count) in \(report.scope)") }
    }
}

extension ScopeDeliveryTests {
    @Test("an action's failure has its report's path, whichever handler the action belongs to")
    func failures() async {
        let throwing = ErrorHandler().on(Numbered(1)) { _ in throw Numbered(2) }
        let recorded = await withRecordedErrors(handler: noticing("bus").overlaid(with: throwing)) { bus in
            let outer = bus.scope("outer", handler: noticing("outer").overlaid(with: throwing))
            let inner = outer.scope("inner", handler: noticing("inner"), order: .rootFirst, metadata: ["k": "v"])
            inner.post(Numbered(1), metadata: ["order": "17"])
            bus.post(Numbered(3))
        }
        let notice = #"Numbered(number: 2) at ["outer", "inner"] in ["outer", "inner"]"#
        let path = ["outer", "bus", "inner"].map { "\($0): \(notice)" }
        expect(trace.entries, equals: path + path)
        // The notices come right after their report, with its metadata.
        let types = recorded.errors.map { "\(type(of: $0))" }
        expect(types, equals: ["Numbered", "ActionFailure", "ActionFailure", "Numbered"])
        expect(recorded.reports[2].metadata, equals: ["k": "v", "order": "17"])
        expect(recorded.statistics.actionFailures, equals: 2)
        expect(recorded.statistics.posted, equals: 4)
    }

    @Test("the notice of drops goes through the bus's own rules, without a scope, whichever scope the errors had")
    func drops() async {
        // Post before the bus runs, so that no delivery frees capacity.
        let bus = ErrorBus(handler: noticing("bus"), configuration: .init(capacity: 2))
        let reports = bus.reports(bufferingNewest: .max)
        let scope = bus.scope("scope", handler: noticing("scope"), metadata: ["k": "v"])
        for number in 1...5 { scope.post(Numbered(number)) }
        expect(bus.statistics.dropped, equals: 3)
        bus.finish()
        await bus.run()
        let recorded = await reports.collected()
        expect(trace.entries, equals: ["bus: 3 in []"])
        expect(recorded.map(\.scope), equals: [["scope"], ["scope"], []])
        expect(recorded.last?.metadata, equals: [:])
        #expect(bus.statistics.isBalanced)
    }

    @Test("a flood limit counts by the path's names, not by the scope, and a path's newest report uses that path")
    func flood() async {
        let clock = ManualClock()
        let limit = FloodLimit(first: 1, per: .seconds(10))
        func noting(_ name: String) -> ErrorHandler {
            ErrorHandler().on(Numbered.self) { [trace] error, report in
                trace("\(name): \(error.number) \(report.scope) \(report.metadata) ×\(report.occurrences)")
            }
        }
        let configuration = ErrorBus.Configuration(floodLimit: limit, clock: clock)
        let recorded = await withRecordedErrors(handler: noting("bus"), configuration: configuration) { bus in
            for number in 0..<6 {
                // A middleware does this: one line posts for all requests, and each request has its own scope.
                let inner = bus.scope("c", handler: noting("c"), metadata: ["k": "c"]).scope("d")
                let poster: any ErrorPosting = number % 2 == 0 ? bus : inner
                poster.post(Numbered(number))
            }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
        }
        let inner = (first: #"1 ["c", "d"] ["k": "c"] ×1"#, last: #"5 ["c", "d"] ["k": "c"] ×2"#)
        expect(
            trace.entries,
            equals: [
                "bus: 0 [] [:] ×1", "c: \(inner.first)", "bus: \(inner.first)",
                "bus: 4 [] [:] ×2", "c: \(inner.last)", "bus: \(inner.last)",
            ]
        )
        expect(recorded.statistics.suppressed, equals: 2)
        #expect(recorded.statistics.isBalanced)
    }

    @Test("shutdown returns scoped reports with path and metadata, the one in flight first; no later rule runs")
    func shutdown() async {
        let (entered, gate, left) = (Gate(), Gate(), Gate())
        let hanging = ErrorHandler().on(Numbered(1)) { _ in
            entered.open()
            await gate.wait()
            left.open()
            return .next
        }
        let noting = ErrorHandler().on(Numbered.self) { [trace] error in trace("ran \(error.number)") }
        var bus = ErrorBus(handler: noting, configuration: .init(clock: ManualClock()))
        do {
            let scope = bus.scope("a", handler: hanging, metadata: ["k": "v"]).scope("b", handler: noting)
            for number in 1...2 { scope.post(Numbered(number), metadata: ["n": "\(number)"]) }
        }
        let running = Task { [bus] in await bus.run() }
        await entered.wait()
        let reports = await bus.shutdown(within: .zero)
        await running.value
        expect(reports.map(\.scope), equals: [["a", "b"], ["a", "b"]])
        expect(reports.map(\.metadata), equals: [["k": "v", "n": "1"], ["k": "v", "n": "2"]])
        expect(bus.statistics.dropped, equals: 2)
        #expect(bus.statistics.isBalanced)
        // The action returns to a path that only its own worker still retains.
        gate.open()
        await left.wait()
        await becomesOnlyReference(to: &bus)
        expect(trace.entries, equals: ["ran 1"])
    }

    @Test(
        "an observer sees the path's outcome; without one, counts are equal; actions can post in any scope"
    )
    func observers() async {
        let bus = ErrorBus(handler: ErrorHandler().on(Numbered.self) { _ in .next })
        let reports = bus.reports()
        let scope = bus.scope("a", handler: ErrorHandler().ignore(Numbered(2)), order: .rootFirst)
        for number in 1...2 { scope.post(Numbered(number)) }
        scope.post(Zoo.Offline())
        bus.finish()
        await bus.run()
        let observed = await reports.collected()
        expect(observed.map(\.scope), equals: [["a"], ["a"], ["a"]])
        expect(observed.map(\.outcome.disposition), equals: [.handled, .ignored, .unmatched])
        expect(observed.map(\.outcome.matchedRuleCount), equals: [1, 2, 0])

        // Now without an observer.
        let journal = Journal<[String]>()
        let other = ErrorBus(handler: .noting(Journal<Int>()))
        let noting = ErrorHandler().always { _, report in
            journal.note(report.scope)
            return .next
        }
        let inner = other.scope("outer").scope("inner", handler: noting)
        let posting = ErrorHandler().ignore(Numbered(2)).on(Numbered(1)) { _ in
            inner.post(Numbered(3))
            inner.post(Zoo.Offline())
            return .next
        }
        let outer = other.scope("posting", handler: posting)
        for number in 1...2 { outer.post(Numbered(number)) }
        let running = Task { await other.run() }
        await eventually("all four reports are delivered") { other.statistics.pending == 0 }
        other.finish()
        await running.value
        expect(journal.entries, equals: [["outer", "inner"], ["outer", "inner"]])
        expect(other.statistics, equals: .init(posted: 4, handled: 2, ignored: 1, unmatched: 1))
    }
}
