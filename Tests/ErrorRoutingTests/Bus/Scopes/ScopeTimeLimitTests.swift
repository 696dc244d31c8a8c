import ErrorRoutingTesting
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@Suite(
    "Promises 18 and 21: the time limit applies to asynchronous actions anywhere on a scope's path",
    .tags(.promise18, .promise21), .hangLimit)
struct ScopeTimeLimitTests {
    private let clock = ManualClock()
    private let gate = Gate()
    private let trace = ActionTrace()

    /// Synchronous rules with an asynchronous rule between them.
    ///
    /// The asynchronous rule hangs if there is a gate to signal that it runs.
    private func handler(_ name: String, entered: Gate? = nil) -> ErrorHandler {
        ErrorHandler()
            .on(Numbered.self) { [trace] _ in trace("\(name) last") }
            .on(Numbered.self) { [trace, gate] _ in
                guard let entered else {
                    await Task.yield()
                    return trace("\(name) async")
                }
                entered.open()
                await gate.wait()
                return .stop
            }
            .on(Numbered.self) { [trace] _ in trace("\(name) first") }
    }

    private func ran(_ name: String, hangs: Bool = false) -> [String] {
        hangs ? ["\(name) first", "\(name) last"] : ["\(name) first", "\(name) async", "\(name) last"]
    }

    /// Posts an error on a path where some handlers hang, and advances the clock until all of them are cut off.
    private func posting(hanging: Set<String>) async -> RecordedErrors {
        let configuration = ErrorBus.Configuration(actionTimeLimit: .seconds(30), clock: clock)
        let path = ["outer", "bus", "last"].map { name in (name, entered: hanging.contains(name) ? Gate() : nil) }
        let handlers = path.map { handler($0, entered: $1) }
        return await withRecordedErrors(handler: handlers[1], configuration: configuration) { bus in
            let inner = bus.scope("outer", handler: handlers[0])
                .scope("inner", handler: handlers[2], order: .rootFirst)
            inner.post(Numbered(1))
            for gate in path.compactMap(\.entered) {
                await gate.wait()
                clock.advance(by: .seconds(30))
            }
        }
    }
}

extension ScopeTimeLimitTests {
    @Test(
        "an action that exceeds its limit is cut off wherever it is on the path, and the rules after it run",
        arguments: [[], ["outer"], ["bus"], ["last"], ["outer", "bus"], ["bus", "last"], ["outer", "bus", "last"]]
    )
    func cutOff(hanging: Set<String>) async {
        let recorded = await posting(hanging: hanging)
        let expected = ["outer", "bus", "last"].flatMap { ran($0, hangs: hanging.contains($0)) }
        // No rule matches the notices of the failures.
        expect(trace.entries, equals: expected)
        let outcome = recorded.reports.first?.outcome
        expect(outcome?.matchedRuleCount, equals: 9)
        expect(outcome?.failures.count, equals: hanging.count)
        expect(outcome?.failures.allSatisfy { $0.report.scope == ["outer", "inner"] }, equals: true)
        expect(recorded.reports.map(\.scope), equals: Array(repeating: ["outer", "inner"], count: 1 + hanging.count))
        expect(recorded.statistics.actionFailures, equals: hanging.count)
        #expect(recorded.statistics.isBalanced)
        gate.open()
    }

    @Test("onNoMatch and always actions are cut off too, and the next handler's actions run", arguments: [true, false])
    func fallbacks(isAlways: Bool) async {
        let entered = Gate()
        func handler(_ name: String, hangs: Bool = false) -> ErrorHandler {
            let act: @Sendable (any Error) async -> HandleStrategy = { [trace, gate] error in
                guard error is Numbered else { return .next }
                _ = trace(name)
                guard hangs else { return .next }
                entered.open()
                await gate.wait()
                return .stop
            }
            return isAlways ? ErrorHandler().always { await act($0) } : ErrorHandler().onNoMatch { await act($0) }
        }
        let configuration = ErrorBus.Configuration(actionTimeLimit: .seconds(30), clock: clock)
        let recorded = await withRecordedErrors(handler: handler("bus"), configuration: configuration) { bus in
            bus.scope("a", handler: handler("a", hangs: true)).scope("b", handler: handler("b"), order: .rootFirst)
                .post(Numbered(1))
            await entered.wait()
            clock.advance(by: .seconds(30))
        }
        expect(trace.entries, equals: (isAlways ? ["a", "bus", "b"] : ["b", "a", "bus"]))
        expect(recorded.reports.first?.outcome.disposition, equals: .unmatched)
        expect(recorded.statistics.actionFailures, equals: 1)
        gate.open()
    }

    @Test("the scope of an action that hangs can be released, and the rest of its path still runs")
    func released() async {
        let (entered, configuration) = (Gate(), ErrorBus.Configuration(actionTimeLimit: .seconds(30), clock: clock))
        weak var watched: ErrorScope?
        let bus = ErrorBus(handler: handler("bus"), configuration: configuration)
        do {
            let hanging = ErrorHandler.hanging(at: gate, entered: entered)
            let scope = bus.scope("a", handler: hanging).scope("b", handler: handler("b"), order: .rootFirst)
            watched = scope
            scope.post(Numbered(1))
        }
        let running = Task { await bus.run() }
        await entered.wait()
        expectNil(watched)
        clock.advance(by: .seconds(30))
        bus.finish()
        await running.value
        expect(trace.entries, equals: ran("bus") + ran("b"))
        gate.open()
        await eventually("the abandoned action has ended") { watched == nil }
        expect(trace.entries, equals: ran("bus") + ran("b"))
    }
}
