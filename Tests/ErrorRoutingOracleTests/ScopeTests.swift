import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promises 11, 12, and 14: a scope's reports have its path, and share order, capacity, and counts with the bus",
    .tags(.promise11, .promise12, .promise14, .promise22), .hangLimit)
struct ScopeTests {}

extension ScopeTests {
    @Test("reports of nested scopes have the whole path, and are delivered in order with the bus's reports")
    func paths() async {
        let stage = Stage()
        let outer = stage.bus.scope("outer", metadata: ["layer": "1"])
        let inner = outer.scope("inner", metadata: ["depth": "2"])
        stage.bus.post(Mishap(1))
        inner.post(Mishap(2), metadata: ["id": "7"])
        outer.post(Mishap(3))
        await stage.drain()
        expect(stage.seen.entries.labels, equals: ["1", "2", "3"])
        expect(stage.seen.entries.map(\.scope), equals: [[], ["outer", "inner"], ["outer"]])
        expect(
            stage.seen.entries.map(\.metadata),
            equals: [[:], ["layer": "1", "depth": "2", "id": "7"], ["layer": "1"]])
        stage.expectLaws()
    }

    @Test("a scope's order decides which rules are tried first; fallbacks run if no rule on the path matched")
    func rules() async {
        for order in ErrorScope.Order.allCases {
            let tried = Log<String>()
            let rule = { @Sendable (name: String) in
                ErrorHandler()
                    .onNoMatch { _ in
                        tried.add("no match in \(name)")
                        return .next
                    }
                    .on(Mishap(1)) { _ in
                        tried.add(name)
                        return .next
                    }
            }
            let stage = Stage(rule("bus"))
            let outer = stage.bus.scope("outer", handler: rule("outer"), order: order)
            let inner = outer.scope("inner", handler: rule("inner"), order: order)
            for number in 1...2 { inner.post(Mishap(number)) }
            await stage.drain()
            let names = ["inner", "outer", "bus"]
            expect(
                tried.entries,
                equals: (order == .innermostFirst ? names : names.reversed()) + names.map { "no match in \($0)" })
            expect(stage.bus.counts, equals: Counts(posted: 2, handled: 1, unmatched: 1))
        }
    }

    @Test("a scope that was released before delivery still has its rules and path; shutdown returns the path")
    func releasedScope() async {
        let tried = Log<Int>()
        let stage = Stage()
        func post(_ number: Int) {
            let handler = ErrorHandler().on(Mishap.self) { error in
                tried.add(error.number)
                return .stop
            }
            stage.bus.scope("short", handler: handler).scope("lived").post(Mishap(number))
        }
        post(1)
        await stage.running { #expect(await stage.bus.flush(within: .seconds(600))) }
        expect(tried.entries, equals: [1])
        expect(stage.seen.entries.map(\.scope), equals: [["short", "lived"]])

        let other = ErrorBus(handler: ErrorHandler())
        other.scope("short").scope("lived").post(Mishap(2))
        expect(await other.shutdown(within: .zero).map(\.scope), equals: [["short", "lived"]])
    }

    @Test("postError uses the bound scope or bus, whichever is innermost; in an action, it uses the action's bus")
    func ambient() async {
        let stage = Stage(
            ErrorHandler().on(Mishap(3)) { _ in
                await Task.yield()
                postError(Mishap(4))
                return .stop
            })
        let seen = Log<ErrorReport>()
        await withErrorBus(handler: ErrorHandler()) { bus in
            bus.observeUntilEnd { seen.add($0) }
            postError(Mishap(1))
            await withErrorScope("outer") { _ in
                await withErrorScope("inner") { _ in
                    await Task { postError(Mishap(2)) }.value
                    // This bus's actions run in the bus's own tasks, which aren't in a scope.
                    stage.bus.post(Mishap(3))
                    await stage.drain()
                }
            }
        }
        expect(seen.entries.labels, equals: ["1", "2"])
        expect(seen.entries.map(\.scope), equals: [[], ["outer", "inner"]])
        expect(stage.seen.entries.labels + stage.lines.entries.labels, equals: ["3", "4"])
    }
}
