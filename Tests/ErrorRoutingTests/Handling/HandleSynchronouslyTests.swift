import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(
    "Promise 5: handleSynchronously declines if an asynchronous rule could be reached", .tags(.promise5),
    .hangLimit)
struct HandleSynchronouslyTests {
    let trace = ActionTrace()

    /// A handler with an asynchronous rule for `Payment` among synchronous rules.
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
    @Test("synchronous rules run in order, and the outcome is the one that handle returns")
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

    @Test("it declines if a rule for the type is asynchronous, whatever comes before that rule, and runs no action")
    func asynchronousRule() async {
        // An action that continues, an action that stops, and an ignore rule come before it.
        for handler in [mixed(), mixed(below: .stop), mixed().ignore(Zoo.Payment.self)] {
            expectNil(handler.handleSynchronously(Zoo.Payment.expired))
            expect(trace.entries, equals: [])
        }
        expect(await mixed().handle(Zoo.Payment.expired).matchedRuleCount, equals: 2)
        expect(trace.takeAll(), equals: ["synchronous", "asynchronous", "always"])
    }

    @Test("an asynchronous rule for another type doesn't make it decline; one that might match does, and isn't called")
    func asynchronousRuleThatDoesNotMatch() {
        let outcome = mixed().handleSynchronously(Zoo.Offline())
        expect(outcome?.disposition, equals: .handled)
        expect(trace.takeAll(), equals: ["synchronous", "always"])
        let narrowed = ErrorMatcher.type(Zoo.Timeout.self).where { _ in
            _ = trace("asked")
            return false
        }
        let few = ErrorHandler().on(matching: narrowed) { _ in
            await Task.yield()
            return trace("asynchronous")
        }
        // The rules are read linearly, and by a plan for the type.
        let many = (0..<9).reduce(few) { handler, code in handler.ignore(Zoo.Payment.declined(code: code)) }
        for handler in [few, many, many] {
            expectNil(handler.handleSynchronously(Zoo.Timeout(seconds: 5)))
            expect(handler.handleSynchronously(Zoo.Offline())?.disposition, equals: .unmatched)
            expect(trace.entries, equals: [])
        }
    }

    @Test("if an asynchronous rule checks the domain, types of another domain don't make it decline")
    func asynchronousDomain() {
        for count in [0, 9] {
            let synchronous = (0..<count).reduce(ErrorHandler()) { handler, code in
                handler.ignore(Zoo.Payment.declined(code: code))
            }
            let handler = synchronous.on(domain: "zoo.foreign", code: 3) { _ in
                await Task.yield()
                return .stop
            }
            for _ in 0..<2 {
                expect(handler.handleSynchronously(Zoo.Offline())?.disposition, equals: .unmatched)
                expectNil(handler.handleSynchronously(Zoo.Foreign(errorCode: 1)))
                expectNil(handler.handleSynchronously(NSError(domain: "another", code: 3)))
            }
        }
    }

    @Test("it declines if an onNoMatch is asynchronous and no rule is sure to match, or if any always is asynchronous")
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

    @Test("a rule for a class is sure to match the class and its subclasses, however few rules there are")
    func classes() {
        let fallback = ErrorHandler().onNoMatch { _ async throws -> HandleStrategy in trace("asynchronous") }
        let animals = fallback.on(Zoo.Animal.self) { _ in trace("animal", .stop) }
        for error in [Zoo.Animal(), Zoo.Bird(), Zoo.Owl()] as [any Error] {
            expect(animals.handleSynchronously(error)?.isHandled, equals: true)
            expect(
                animals.overlaid(with: ErrorHandler().ignore(Zoo.Offline.self)).handleSynchronously(error)?.isHandled,
                equals: true)
        }
        let foundation = fallback.on(NSError.self) { _ in trace("NSError", .stop) }
        expect(foundation.handleSynchronously(NSError(domain: "a", code: 1))?.isHandled, equals: true)
        expectNil(animals.handleSynchronously(NSError(domain: "a", code: 1)))
        expect(trace.takeAll().contains("asynchronous"), equals: false)
    }

    private final class Count: Sendable {
        private let value = Atomic(0)

        func add() { value.add(1, ordering: .relaxed) }
        func taken() -> Int { value.exchange(0, ordering: .relaxed) }
    }

    /// Fifty rules with counted predicates that are all false, below a rule for numbers.
    private static func rules(on handler: ErrorHandler, counting calls: Count) -> ErrorHandler {
        (0..<50).reduce(handler) { handler, _ in
            handler.on(
                matching: .predicate { _ in
                    calls.add(); return false
                }
            ) { _ in .stop }
        }
        .on(Numbered.self) { _ in .stop }
    }

    @Test("it doesn't call any rule to find out whether it declines")
    func noMatch() {
        let calls = Count()
        let handlers = [
            ErrorHandler().onNoMatch { _ in
                await Task.yield(); return .stop
            },
            ErrorHandler().on(matching: .predicate { _ in false }) { _ in
                await Task.yield(); return .stop
            },
            ErrorHandler().always { _ in
                await Task.yield(); return .stop
            },
        ].map { Self.rules(on: $0, counting: calls) }
        // Try without a plan for the type and with a plan.
        for _ in 0..<3 {
            for handler in handlers {
                expectNil(handler.handleSynchronously(CancellationError()))
                expect(calls.taken(), equals: 0)
            }
            expect(handlers[0].handleSynchronously(Numbered(1))?.matchedRuleCount, equals: 1)
            expectNil(handlers[1].handleSynchronously(Numbered(1)))
            expectNil(handlers[2].handleSynchronously(Numbered(1)))
            expect(calls.taken(), equals: 0)
        }
    }
}
