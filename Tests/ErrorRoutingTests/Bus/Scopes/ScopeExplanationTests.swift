import ErrorRouting
import TestSupport
import Testing

@Suite("Promises 5 and 21: a scope explains the whole path", .tags(.promise5, .promise21), .hangLimit)
struct ScopeExplanationTests {}

extension ScopeExplanationTests {
    private typealias Verdict = Explanation.Verdict

    /// A handler with a rule, an `onNoMatch`, and an `always`, registered at lines of its own file.
    private func handler(_ name: String) -> ErrorHandler {
        let file = "Rules/\(name).swift"
        return ErrorHandler()
            .on(Zoo.Payment.self, fileID: file, line: 1) { _ in .next }
            .onNoMatch(fileID: file, line: 2) { _ in .next }
            .always(fileID: file, line: 3) { _ in .next }
    }

    private func scope(of bus: ErrorBus) -> ErrorScope {
        bus.scope("outer", handler: handler("Outer")).scope("inner", handler: handler("Inner"), order: .rootFirst)
    }

    @Test("entries come in the order in which the path tries the rules; each entry and its line name the scope")
    func entries() {
        let bus = ErrorBus(handler: handler("Bus"))
        let entries = scope(of: bus).explain(Zoo.Payment.expired).entries
        expect(
            entries.map { "\($0.rule.source) \($0.stage)" },
            equals: [
                "Rules/Outer.swift:1 rule", "Rules/Bus.swift:1 rule", "Rules/Inner.swift:1 rule",
                "Rules/Inner.swift:2 onNoMatch", "Rules/Outer.swift:2 onNoMatch", "Rules/Bus.swift:2 onNoMatch",
                "Rules/Outer.swift:3 always", "Rules/Bus.swift:3 always", "Rules/Inner.swift:3 always",
            ])
        let (outer, inner) = (["outer"], ["outer", "inner"])
        expect(entries.map(\.scope), equals: [outer, [], inner, inner, outer, [], outer, [], inner])
        let notReached = Verdict.notReached(because: "rule 1 matched")
        expect(
            entries.map(\.verdict),
            equals: [
                .matched, .matchedIfReached, .matchedIfReached, notReached, notReached, notReached,
                .matched, .matchedIfReached, .matchedIfReached,
            ])
        expect(
            scope(of: bus).explain(Zoo.Payment.expired).description,
            equals: """
                ErrorRoutingTests.Zoo.Payment: expired
                  1. type(Payment)  Rules/Outer.swift:1  outer        matched
                  2. type(Payment)  Rules/Bus.swift:1    the bus      matched, runs if reached
                  3. type(Payment)  Rules/Inner.swift:1  outer/inner  matched, runs if reached
                  4. onNoMatch      Rules/Inner.swift:2  outer/inner  not reached: rule 1 matched
                  5. onNoMatch      Rules/Outer.swift:2  outer        not reached: rule 1 matched
                  6. onNoMatch      Rules/Bus.swift:2    the bus      not reached: rule 1 matched
                  7. always         Rules/Outer.swift:3  outer        matched
                  8. always         Rules/Bus.swift:3    the bus      matched, runs if reached
                  9. always         Rules/Inner.swift:3  outer/inner  matched, runs if reached
                  No action has run; "if reached" depends on what the actions before it would return.
                """
        )
        // A handler's own explanation doesn't name a scope.
        let explanation = handler("Bus").explain(Zoo.Payment.expired)
        #expect(explanation.entries.allSatisfy { $0.scope.isEmpty })
        #expect(!explanation.description.contains("the bus"))
        // A scope's name can't break a line.
        let named = ErrorBus(handler: ErrorHandler()).scope("a\nb", handler: handler("Scope"))
        let hostile = named.explain(Zoo.Offline()).description.split(separator: "\n")
        expect(hostile.count, equals: 4)
        expect(hostile.last?.contains(#"  a\nb  "#), equals: true)
    }

    @Test("no action runs, but the predicates of the whole path do")
    func noActionRuns() {
        let trace = ActionTrace()
        func handler(_ name: String) -> ErrorHandler {
            ErrorHandler()
                .on(matching: .predicate { _ in trace("\(name) matching") == .stop }) { _ in trace("action") }
                .onNoMatch { _ in trace("no match") }
                .always { _ in trace("always") }
        }
        let bus = ErrorBus(handler: handler("bus"))
        _ = bus.scope("scope", handler: handler("scope")).explain(Zoo.Offline())
        expect(trace.entries, equals: ["scope matching", "bus matching"])
        expect(bus.statistics.posted, equals: 0)
    }
}
