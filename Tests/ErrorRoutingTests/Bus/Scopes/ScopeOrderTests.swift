import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Promise 21: a scope is handler concatenation, and nothing else", .tags(.promise21), .hangLimit)
struct ScopeOrderTests {
    private typealias Order = ErrorScope.Order

    private let trace = ActionTrace()

    /// A handler that notes which of its actions run: the actions of its rule for `Numbered`, its `onNoMatch`, and its
    /// `always`.
    private func handler(_ name: String, _ answer: HandleStrategy = .next) -> ErrorHandler {
        ErrorHandler()
            .on(Numbered.self) { [trace] _ in trace(name, answer) }
            .onNoMatch { [trace] _ in trace("\(name) no match") }
            .always { [trace] _ in trace("\(name) always") }
    }

    /// Delivers an error in a scope of a bus and returns the actions that ran and the outcome.
    private func delivering(
        _ error: any Error,
        handler: ErrorHandler,
        through makeScope: (ErrorBus) -> ErrorScope
    ) async -> (ran: [String], outcome: HandleOutcome) {
        let outcome = await withErrorBus(handler: handler) { bus in await makeScope(bus).deliver(error) }
        return (trace.takeAll(), outcome)
    }
}

extension ScopeOrderTests {
    @Test(
        "by default the scope's rules are tried before the bus's, with root first after; the same holds for always")
    func order() async {
        let (ran, outcome) = await delivering(Numbered(1), handler: handler("bus")) { bus in
            bus.scope("scope", handler: handler("scope"))
        }
        expect(ran, equals: ["scope", "bus", "scope always", "bus always"])
        expect(outcome.matchedRuleCount, equals: 2)
        let (rootFirst, _) = await delivering(Numbered(1), handler: handler("bus")) { bus in
            bus.scope("scope", handler: handler("scope"), order: .rootFirst)
        }
        expect(rootFirst, equals: ["bus", "scope", "bus always", "scope always"])
        // A handler that occurs twice on the path runs twice.
        let shared = handler("shared")
        let (twice, _) = await delivering(Numbered(1), handler: shared) { bus in bus.scope("a", handler: shared) }
        expect(twice, equals: ["shared", "shared", "shared always", "shared always"])
    }

    @Test(
        "a scope within a scope is tried before or after all enclosing scopes",
        arguments: [
            (Order.innermostFirst, Order.innermostFirst, ["b", "a", "bus"]),
            (.innermostFirst, .rootFirst, ["a", "bus", "b"]),
            (.rootFirst, .innermostFirst, ["b", "bus", "a"]),
            (.rootFirst, .rootFirst, ["bus", "a", "b"]),
        ]
    )
    func nested(outer: ErrorScope.Order, inner: ErrorScope.Order, names: [String]) async {
        func scope(_ bus: ErrorBus) -> ErrorScope {
            bus.scope("a", handler: handler("a"), order: outer).scope("b", handler: handler("b"), order: inner)
        }
        let matched = await delivering(Numbered(1), handler: handler("bus"), through: scope)
        expect(matched.ran, equals: names + names.map { "\($0) always" })
        expect(matched.outcome.disposition, equals: .handled)
        expect(matched.outcome.matchedRuleCount, equals: 3)
        // The innermost scope comes first, regardless of the order of the rules.
        let unmatched = await delivering(Zoo.Offline(), handler: handler("bus"), through: scope)
        expect(unmatched.ran, equals: ["b no match", "a no match", "bus no match"] + names.map { "\($0) always" })
        expect(unmatched.outcome.disposition, equals: .unmatched)
        expectNil(unmatched.outcome.rule)
    }

    @Test(".stop and ignore end the rules of the whole path, but not its always rules: no list of exceptions is needed")
    func stop() async {
        for order in ErrorScope.Order.allCases {
            let (stops, other) = order == .innermostFirst ? ("scope", "bus") : ("bus", "scope")
            let (ran, outcome) = await delivering(
                Numbered(1), handler: handler("bus", stops == "bus" ? .stop : .next)
            ) { bus in
                bus.scope("scope", handler: handler("scope", stops == "scope" ? .stop : .next), order: order)
            }
            expect(ran, equals: [stops, "\(stops) always", "\(other) always"])
            expect(outcome.matchedRuleCount, equals: 1)
        }
        let (ran, outcome) = await delivering(Numbered(1), handler: handler("bus")) { bus in
            bus.scope("scope", handler: handler("scope").ignore(Numbered.self))
        }
        expect(ran, equals: ["scope always", "bus always"])
        expect(outcome.disposition, equals: .ignored)
        let (topDown, _) = await delivering(Numbered(1), handler: handler("bus").ignore(Numbered(1))) { bus in
            bus.scope("scope", handler: handler("scope"), order: .rootFirst)
        }
        expect(topDown, equals: ["bus always", "scope always"])
    }

    @Test(
        "onNoMatch runs only if no rule of the path matched, before or after; .stop skips the outer onNoMatch rules"
    )
    func onNoMatch() async {
        let noMatch = ErrorHandler().onNoMatch { _ in trace("no match") }
        let match = ErrorHandler().on(Numbered.self) { _ in trace("match") }
        for order in ErrorScope.Order.allCases {
            for scopeMatches in [true, false] {
                let (ran, outcome) = await delivering(Numbered(1), handler: scopeMatches ? noMatch : match) { bus in
                    bus.scope("scope", handler: scopeMatches ? match : noMatch, order: order)
                }
                expect(ran, equals: ["match"])
                #expect(outcome.isHandled)
            }
            let busHandler = ErrorHandler().onNoMatch { _ in trace("bus") }
            let (ran, outcome) = await delivering(Numbered(1), handler: busHandler) { bus in
                bus.scope("a", handler: ErrorHandler().onNoMatch { _ in trace("a", .stop) }, order: order)
                    .scope("b", handler: ErrorHandler().onNoMatch { _ in trace("b") }, order: order)
            }
            expect(ran, equals: ["b", "a"])
            expect(outcome.disposition, equals: .unmatched)
        }
    }

    @Test("sibling scopes don't see each other's rules, and the bus doesn't see any of them")
    func siblings() async {
        await withErrorBus(handler: handler("bus")) { bus in
            let (a, b) = (bus.scope("a", handler: handler("a")), bus.scope("b", handler: handler("b")))
            await a.deliver(Numbered(1))
            await b.deliver(Numbered(1))
            await bus.deliver(Numbered(1))
        }
        expect(trace.entries.filter { !$0.hasSuffix("always") }, equals: ["a", "bus", "b", "bus", "bus"])
    }
}
