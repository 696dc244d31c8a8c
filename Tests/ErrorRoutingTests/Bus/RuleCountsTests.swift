import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("A bus counts how often each rule decided", .tags(.promise1), .hangLimit)
struct RuleCountsTests {
    private struct Other: Error {}

    @Test("rules that never decided are listed with 0, in the order in which they are tried")
    func all() async {
        let handler = ErrorHandler()
            .on(Other.self) { _ in .stop }
            .ignore(Numbered(7))
            .on(Numbered.self) { error in error.number == 1 ? .next : .stop }
            .on(Numbered(2)) { _ in .next }
        let bus = await withErrorBus(handler: handler) { bus in
            for number in [1, 1, 2, 3] { bus.post(Numbered(number)) }
            bus.post(NeverRuled())
            return bus
        }
        let counts = bus.ruleCounts
        expect(counts.map(\.count), equals: [0, 4, 0, 0])
        expect(counts.count { $0.rule.matcher.contains("Numbered") }, equals: 3)
        expect(counts.others, equals: 0)
        let lines = counts.description.split(separator: "\n")
        expect(lines.count, equals: 4)
        #expect(lines[1].hasPrefix("4  type(Numbered) at ErrorRoutingTests/"))
    }

    private struct NeverRuled: Error {}

    @Test("customized handlers share rules, and each bus has its own counts; the scopes' rules follow")
    func shared() async {
        let shared = ErrorHandler().on(Numbered.self) { _ in .stop }
        let first = await withErrorBus(handler: shared) { bus in
            bus.post(Numbered(1))
            return bus
        }
        let second = await withErrorBus(handler: shared.on(Other.self) { _ in .stop }) { bus in
            for _ in 0..<3 { bus.post(Numbered(1)) }
            bus.scope("s", handler: ErrorHandler().on(Numbered(5)) { _ in .stop }).post(Numbered(5))
            return bus
        }
        expect(first.ruleCounts.map(\.count), equals: [1])
        expect(second.ruleCounts.map(\.count), equals: [0, 3, 1])
        #expect(second.ruleCounts[2].rule.matcher.contains("5"))
    }

    @Test("the rules of more and more new scopes are counted together beyond a limit")
    func bounded() {
        var tally = RuleTally(limit: 2)
        let handlers = (0..<5).map { number in ErrorHandler().on(Numbered(number)) { _ in .stop } }
        for handler in handlers { for rule in handler.rules[.rule] { tally.count(Borrowed(rule)) } }
        let counts = tally.counts(with: ErrorHandler())
        expect(counts.map(\.count), equals: [1, 1])
        expect(counts.others, equals: 3)
        #expect(counts.description.hasSuffix("3  rules of further scopes"))
    }

    private final class Request: Sendable {}

    @Test("the counts don't retain a scope's rule: a request that its action captures is released with the scope")
    func released() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            weak var released: Request?
            do {
                let request = Request()
                released = request
                let rules = ErrorHandler().on(Numbered.self) { [bus] _ in
                    withExtendedLifetime((request, bus)) { .stop }
                }
                bus.scope("request", handler: rules).post(Numbered(1))
            }
            _ = await bus.flush(within: .seconds(60))
            await eventually("the rule's request is deallocated") { released == nil }
            expect(bus.ruleCounts.map(\.count), equals: [1])
            #expect(bus.ruleCounts[0].rule.matcher.contains("Numbered"))
        }
    }
}
