import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Promises 1, 2, and 5: handle returns the error's outcome", .tags(.promise1, .promise2, .promise5),
    .hangLimit)
struct HandlingOutcomeTests {}

extension HandlingOutcomeTests {
    @Test(
        "an ignored error counts as ignored, and its rule as matched and as .stop; an earlier action may stop first",
        .onLinux("on Darwin a boxed URLError, CocoaError or POSIXError is an NSError")
    )
    func ignored() async {
        let error = URLError(.timedOut)
        let base = ErrorHandler().on(matching: .any) { _ in .stop }
        let forms = [
            base.ignore(matching: .type(URLError.self)), base.ignore(URLError.self), base.ignore(error),
            base.ignore(domain: NSURLErrorDomain, code: error.errorCode),
        ]
        for handler in forms {
            let outcome = await handler.handle(error)
            expect(outcome.disposition, equals: .ignored)
            expect(outcome.matchedRuleCount, equals: 1)
            #expect(outcome.isHandled)
            expect(await handler.handle(Zoo.Offline()).disposition, equals: .handled)
        }
        for (strategy, disposition, count) in [(.next, .ignored, 2), (.stop, .handled, 1)] as [Ending] {
            let handler = ErrorHandler().ignore(Zoo.Payment.self).on(Zoo.Payment.self) { _ in strategy }
            let outcome = await handler.handle(Zoo.Payment.expired)
            expect(outcome.disposition, equals: disposition)
            expect(outcome.matchedRuleCount, equals: count)
        }
    }

    private typealias Ending = (HandleStrategy, HandleOutcome.Disposition, Int)

    @Test("onNoMatch and always don't count as rules that matched, and a handler without rules doesn't match any error")
    func unmatched() async {
        let none = ErrorHandler()
        let handlers = [
            none, none.onNoMatch { _ in .next }.always { _ in .next },
            none.onNoMatch { _ in .stop }.always { _ in .stop },
        ]
        for handler in handlers {
            let outcome = await handler.handle(Zoo.Offline())
            expect(outcome.disposition, equals: .unmatched)
            expect(outcome.matchedRuleCount, equals: 0)
            expectNil(outcome.rule)
            #expect(!outcome.isHandled && outcome.failures.isEmpty)
        }
    }

    @Test(
        "a matched error is handled; its rule is the rule that stopped or, if none did, the last match"
    )
    func ruleOfTheOutcome() async {
        for (strategy, name) in [(.stop, "stops"), (.next, "last")] as [(HandleStrategy, String)] {
            let handler = ErrorHandler()
                .on(matching: .type(Zoo.Timeout.self).named("does not match")) { _ in .stop }
                .on(matching: .type(Zoo.Payment.self).named("last")) { _ in .next }
                .on(matching: .type(Zoo.Payment.self).named("stops")) { _ in strategy }
                .on(matching: .type(Zoo.Payment.self).named("goes on")) { _ in .next }
                .always { _ in .stop }
            let outcome = await handler.handle(Zoo.Payment.expired)
            expect(outcome.disposition, equals: .handled)
            #expect(outcome.isHandled)
            expect(outcome.rule?.matcher, equals: name)
            expect(outcome.matchedRuleCount, equals: strategy == .stop ? 2 : 3)
        }
    }

    @Test("a rule's description is the same in outcomes, failures, and explanations, and unique to each registration")
    func sharedDescription() async throws {
        let handler = ErrorHandler().on(Zoo.Payment.self) { _ in throw Zoo.Offline() }
        let first = await handler.handle(Zoo.Payment.expired)
        let second = await handler.handle(Zoo.Payment.unavailable)
        let rule = try #require(first.rule)
        expect(rule, equals: second.rule)
        expect(rule, equals: first.failures.first?.rule)
        expect(rule, equals: handler.explain(Zoo.Payment.expired).entries.first?.rule)

        let handlers = (0..<2).map { _ in ErrorHandler().ignore(Zoo.Payment.self) }
        let rules = try handlers.map { try #require($0.explain(Zoo.Offline()).entries.first?.rule) }
        expect(rules[0].description, equals: rules[1].description)
        #expect(rules[0] != rules[1])
        expect(Set(rules).count, equals: 2)
    }

    @Test("isHandled is true for handled and ignored outcomes, and an outcome's description is one line")
    func outcomeDescription() {
        let handled = HandleOutcome.Disposition.allCases.filter { HandleOutcome(disposition: $0).isHandled }
        expect(handled, equals: [.handled, .ignored])
        let rule = RuleDescription(matcher: "slow payments", source: .init(fileID: "Intake/Rules.swift", line: 12))
        let report = ErrorReport(error: Zoo.Offline(), source: .init())
        let failure = ActionFailure(error: Zoo.Timeout(), report: report, rule: rule)
        expect(HandleOutcome(disposition: .pending).description, equals: "pending")
        expect(
            HandleOutcome(disposition: .handled, matchedRuleCount: 1, rule: rule, failures: [failure]).description,
            equals: "handled by slow payments at Intake/Rules.swift:12, 1 action failed"
        )
        let crowded = HandleOutcome(
            disposition: .ignored, matchedRuleCount: 3, rule: rule, failures: [failure, failure]
        )
        expect(crowded.description, equals: "ignored by \(rule) (3 rules matched), 2 actions failed")
    }

    @Test("expecting stops errors of each of its types, and they count as handled; explain shows that it stops")
    func expecting() async {
        let handler = ErrorHandler()
            .on(matching: .any) { _ in fatalError("it must not run") }
            .onNoMatch { _ in fatalError("it must not run") }
            .expecting(Zoo.Offline.self, Zoo.Timeout.self, Zoo.Payment.self)
        let line = #line - 1
        for error in [Zoo.Offline(), Zoo.Timeout(), Zoo.Payment.expired] as [any Error] {
            let outcome = await handler.handle(error)
            expect(outcome.disposition, equals: .handled)
            expect(outcome.matchedRuleCount, equals: 1)
            expect(outcome.rule?.source.line, equals: UInt(line))
        }
        expect(await ErrorHandler().expecting(Zoo.Offline.self).handle(Zoo.Timeout()).disposition, equals: .unmatched)
        let explanation = handler.explain(Zoo.Payment.expired)
        expect(explanation.disposition, equals: .handled)
        expect(explanation.entries.count, equals: 5)
        expect(explanation.entries[3].verdict, equals: .notReached(because: "rule 1 expects the error"))
        expect(explanation.entries[4].verdict, equals: .notReached(because: "rule 1 expects the error"))
        #expect(handler.description.contains("1. expecting type(Payment)"))
    }
}
