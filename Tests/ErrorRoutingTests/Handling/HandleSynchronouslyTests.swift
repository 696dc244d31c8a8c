import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(
    "Behaviour 5: handleSynchronously declines where a rule that applies is asynchronous", .tags(.behaviour5),
    .hangLimit)
struct HandleSynchronouslyTests {
    let trace = ActionTrace()

    /// A handler with an asynchronous rule for `Payment`, among synchronous ones.
    private func mixed(below: HandleStrategy = .next) -> ErrorHandler {
        ErrorHandler()
            .on(Zoo.Payment.self) { _ in
                await Task.yield()
                return trace("asynchronous")
            }
            .on(matching: .any) { _ in trace("synchronous", below) }
            .onNoMatch { _ in trace("no match") }
            .always { _ in trace("always") }
    }
}

extension HandleSynchronouslyTests {
    @Test("synchronous rules run in their order, and the outcome is that of handle")
    func synchronousRules() async throws {
        let handler = ErrorHandler()
            .on(matching: .type(Zoo.Payment.self).named("unreached")) { _ in trace("unreached") }
            .on(matching: .type(Zoo.Payment.self).named("stops")) { _ in trace("stops", .stop) }
            .on(Zoo.Payment.self) { _ in throw Zoo.Timeout() }
            .onNoMatch { _ in trace("no match") }
            .always { _, report in trace("always: \(report.outcome.matchedRuleCount)") }
        let outcome = try #require(handler.handleSynchronously(Zoo.Payment.expired))
        expect(trace.takeAll(), equals: ["stops", "always: 2"])
        let awaited = await handler.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["stops", "always: 2"])
        expect(outcome.disposition, equals: awaited.disposition)
        expect(outcome.matchedRuleCount, equals: awaited.matchedRuleCount)
        expect(outcome.rule, equals: awaited.rule)
        expect(outcome.failures.count, equals: awaited.failures.count)
    }

    @Test("it declines if a rule that matches is asynchronous, whatever comes before it, and leaves all to handle")
    func asynchronousRule() async {
        // Before it come an action that goes on, one that stops, and an ignore.
        for handler in [mixed(), mixed(below: .stop), mixed().ignore(Zoo.Payment.self)] {
            expectNil(handler.handleSynchronously(Zoo.Payment.expired))
            expect(trace.entries, equals: [])
        }
        expect(await mixed().handle(Zoo.Payment.expired).matchedRuleCount, equals: 2)
        expect(trace.takeAll(), equals: ["synchronous", "asynchronous", "always"])
    }

    @Test("an asynchronous rule that does not match, for its type or its predicate, does not make it decline")
    func asynchronousRuleThatDoesNotMatch() {
        let outcome = mixed().handleSynchronously(Zoo.Offline())
        expect(outcome?.disposition, equals: .handled)
        expect(trace.takeAll(), equals: ["synchronous", "always"])
        let narrowed = ErrorMatcher.type(Zoo.Timeout.self).where { $0.seconds > 10 }
        let handler = ErrorHandler().on(matching: narrowed) { _ in
            await Task.yield()
            return trace("asynchronous")
        }
        expectNil(handler.handleSynchronously(Zoo.Timeout(seconds: 30)))
        expect(handler.handleSynchronously(Zoo.Timeout(seconds: 5))?.disposition, equals: .unmatched)
        expect(trace.entries, equals: [])
    }

    @Test("it declines if an onNoMatch that would apply is asynchronous, and for every error if any always is")
    func asynchronousOnNoMatch() {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("payment") }
            .onNoMatch { _ in
                await Task.yield()
                return trace("asynchronous")
            }
            .onNoMatch { _ in trace("stops", .stop) }
            .always { _ in trace("always") }
        expectNil(handler.handleSynchronously(Zoo.Offline()))
        expect(trace.takeAll(), equals: [])
        expect(handler.handleSynchronously(Zoo.Payment.expired)?.disposition, equals: .handled)
        expect(trace.takeAll(), equals: ["payment", "always"])
        expect(handler.ignore(Zoo.Offline.self).handleSynchronously(Zoo.Offline())?.disposition, equals: .ignored)
        expect(trace.takeAll(), equals: ["always"])

        let closing = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("payment", .stop) }
            .always { _ in
                await Task.yield()
                return trace("asynchronous")
            }
            .always { _ in trace("stops", .stop) }
        expectNil(closing.handleSynchronously(Zoo.Payment.expired))
        expectNil(closing.handleSynchronously(Zoo.Offline()))
        expect(trace.entries, equals: [])
    }

    private final class Count: Sendable {
        private let value = Atomic(0)

        func add() { value.add(1, ordering: .relaxed) }
        func taken() -> Int { value.exchange(0, ordering: .relaxed) }
    }

    /// Fifty rules whose predicates are counted and do not hold, below one for numbers.
    private static func rules(on handler: ErrorHandler, counting asked: Count) -> ErrorHandler {
        (0..<50).reduce(handler) { handler, _ in
            handler.on(
                matching: .predicate { _ in
                    asked.add(); return false
                }
            ) { _ in .stop }
        }
        .on(Numbered.self) { _ in .stop }
    }

    @Test("to find out whether it declines, it asks no rule whose match makes no difference, and none twice")
    func noMatch() {
        let asked = Count()
        let handler = Self.rules(
            on: ErrorHandler().onNoMatch { _ in
                await Task.yield(); return .stop
            }, counting: asked)
        // At its first use, indexed, and planned.
        for _ in 0..<3 {
            expect(handler.handleSynchronously(Numbered(1))?.matchedRuleCount, equals: 1)
            expect(asked.taken(), equals: 0)
        }
        expectNil(handler.handleSynchronously(CancellationError()))
        expect(asked.taken(), equals: 50)

        let narrowed = Self.rules(
            on: ErrorHandler().on(matching: .predicate { _ in false }) { _ in
                await Task.yield(); return .stop
            }, counting: asked)
        for _ in 0..<3 {
            expect(narrowed.handleSynchronously(Numbered(1))?.matchedRuleCount, equals: 1)
            expect(asked.taken(), equals: 0)
            expect(narrowed.handleSynchronously(CancellationError())?.disposition, equals: .unmatched)
            expect(asked.taken(), equals: 50)
        }

        let closing = Self.rules(
            on: ErrorHandler().always { _ in
                await Task.yield(); return .stop
            }, counting: asked)
        for _ in 0..<3 {
            expectNil(closing.handleSynchronously(Numbered(1)))
            expectNil(closing.handleSynchronously(CancellationError()))
            expect(asked.taken(), equals: 0)
        }
    }
}
