import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// The root is the process's, so what needs one, or none, runs in a process of its own.
@Suite(
    "Behaviour 22: a scope that was made without a bus posts to the bus that comes later",
    .tags(.behaviour22), .hangLimit)
struct ScopeWithoutBusTests {}

extension ScopeWithoutBusTests {
    private static let rules = ErrorHandler().on(Numbered(1)) { _ in .stop }

    @Test("it posts to a root that comes later, by its own rules first, and with its path and metadata")
    func laterRoot() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let bus = ErrorBus(handler: ErrorHandler().on(Numbered.self) { _ in .next })
            let reports = bus.reports()
            await withErrorScope("app", metadata: ["version": "1"]) { app in
                let part = app.scope("part", handler: Self.rules, metadata: ["part": "2"])
                bus.becomeRoot()
                let running = Task { await bus.run() }
                postError(Numbered(2))
                part.bound { postError(Numbered(2)) }
                part.post(Numbered(1))
                expect(await part.deliver(Numbered(1)).rule?.matcher, equals: "value(Numbered(number: 1))")
                expect(part.explain(Numbered(1)).entries.map(\.scope), equals: [["app", "part"], []])
                bus.finish()
                await running.value
            }
            let delivered = await reports.collected()
            expect(delivered.map(\.scope), equals: [["app"], ["app", "part"], ["app", "part"], ["app", "part"]])
            expect(delivered.map(\.metadata["version"]), equals: ["1", "1", "1", "1"])
            expect(delivered.map(\.metadata["part"]), equals: [nil, "2", "2", "2"])
            expect(delivered.map(\.outcome.matchedRuleCount), equals: [1, 1, 1, 1])
        }
    }

    @Test("a scope bound where there is a bus belongs to that bus, and hides none")
    func boundLater() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let scope = await withErrorScope("library") { $0 }
            let recorded = await withRecordedErrors { _ in
                scope.bound { postError(Numbered(1)) }
                await scope.bound { await withErrorScope("inner") { _ in postError(Numbered(2)) } }
                scope.post(Numbered(3))
            }
            expect(recorded.reports.map(\.scope), equals: [["library"], ["library", "inner"], ["library"]])
        }
    }

    @Test("as long as there is no bus, no rule of the scope is reached, and its explanation says so")
    func unreachable() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let rules = Self.rules.onNoMatch { _ in .next }.always { _ in fatalError("it ran") }
            await withErrorScope("app", handler: rules) { scope in
                postError(Numbered(1))
                expect(await scope.deliver(Numbered(1)).disposition, equals: .unmatched)
                let reason = "no bus is bound, and there is no root bus"
                let entries = scope.explain(Numbered(1)).entries
                expect(entries.map(\.verdict), equals: .init(repeating: .notReached(because: reason), count: 3))
                expect(entries.map(\.stage), equals: [.rule, .onNoMatch, .always])
            }
        }
        let lines = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        expect(lines.components(separatedBy: "Numbered(number: 1)").count, equals: 3)
    }
}
