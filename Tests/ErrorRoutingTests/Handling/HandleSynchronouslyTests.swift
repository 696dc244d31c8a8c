import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Behaviour 5: handleSynchronously declines where a rule that applies is asynchronous", .tags(.behaviour5))
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

    @Test(
        "it declines if a rule that matches is asynchronous, and no action has run, whatever comes before that rule",
        arguments: ["an action that goes on", "one that stops", "an ignore"])
    func asynchronousRule(before: String) {
        let handler =
            switch before {
            case "one that stops": mixed(below: .stop)
            case "an ignore": mixed().ignore(Zoo.Payment.self)
            default: mixed()
            }
        expectNil(handler.handleSynchronously(Zoo.Payment.expired))
        #expect(trace.entries.isEmpty)
    }

    @Test("an asynchronous rule that does not match does not make it decline")
    func asynchronousRuleThatDoesNotMatch() {
        let outcome = mixed().handleSynchronously(Zoo.Offline())
        expect(outcome?.disposition, equals: .handled)
        expect(trace.entries, equals: ["synchronous", "always"])
    }

    @Test("an asynchronous rule whose predicate returns false does not make it decline")
    func asynchronousRuleNarrowed() {
        let narrowed = ErrorMatcher.type(Zoo.Timeout.self).where { $0.seconds > 10 }
        let handler = ErrorHandler().on(matching: narrowed) { _ in
            await Task.yield()
            return trace("asynchronous")
        }
        expectNil(handler.handleSynchronously(Zoo.Timeout(seconds: 30)))
        expect(handler.handleSynchronously(Zoo.Timeout(seconds: 5))?.disposition, equals: .unmatched)
        #expect(trace.entries.isEmpty)
    }

    @Test("it declines if an onNoMatch that would apply is asynchronous, and only then")
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
        #expect(trace.takeAll().isEmpty)
        expect(handler.handleSynchronously(Zoo.Payment.expired)?.disposition, equals: .handled)
        expect(trace.takeAll(), equals: ["payment", "always"])
        expect(handler.ignore(Zoo.Offline.self).handleSynchronously(Zoo.Offline())?.disposition, equals: .ignored)
        expect(trace.takeAll(), equals: ["always"])
    }

    @Test("it declines for every error if any always is asynchronous")
    func asynchronousAlways() {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("payment", .stop) }
            .always { _ in
                await Task.yield()
                return trace("asynchronous")
            }
            .always { _ in trace("stops", .stop) }
        expectNil(handler.handleSynchronously(Zoo.Payment.expired))
        expectNil(handler.handleSynchronously(Zoo.Offline()))
        #expect(trace.entries.isEmpty)
    }

    @Test("an ignore never makes it decline")
    func ignore() {
        let handler = ErrorHandler().ignore(Zoo.Payment.self)
        expect(handler.handleSynchronously(Zoo.Payment.expired)?.disposition, equals: .ignored)
        expect(handler.handleSynchronously(Zoo.Offline())?.disposition, equals: .unmatched)
    }

    @Test("what declines without suspending is handled by handle")
    func handledByHandle() async {
        expectNil(mixed().handleSynchronously(Zoo.Payment.expired))
        let outcome = await mixed().handle(Zoo.Payment.expired)
        expect(outcome.matchedRuleCount, equals: 2)
        expect(trace.entries, equals: ["synchronous", "asynchronous", "always"])
    }
}
