import Foundation
import TestSupport
import Testing

@testable import ErrorReplay
// `erased` is internal.
@testable import ErrorRouting

@Suite(
    "A replay derives the outcome from an explanation, and how far the explanation applies to other errors",
    .tags(.promise5, .recording4), .hangLimit)
struct ExplanationTests {
    private enum Payment: Error, Hashable { case declined, expired }
    private struct Timeout: Error, Equatable { var seconds = 30 }
    private struct Offline: Error {}
}

extension ExplanationTests {
    @Test("if n rules matched, the n-th match ends the error's handling, unless an ignore ends it before")
    func outcomes() async {
        let handler = ErrorHandler()
            .on(Payment.self) { _ in .stop }
            .on(Timeout.self) { _ in .stop }
            .on(matching: .any) { _ in .next }
            .always { _ in .next }
        let explanation = handler.explain(Payment.expired)
        expect(explanation.entries.map(\.rule.matcher).prefix(3), equals: ["any", "type(Timeout)", "type(Payment)"])
        for (count, entry, matched) in [(0, 0, 1), (1, 0, 1), (2, 2, 2), (3, 2, 2)] {
            let outcome = explanation.outcome(matchedRuleCount: count)
            expect(outcome.disposition, equals: .handled, "\(count)")
            expect(outcome.rule, equals: explanation.entries[entry].rule, "\(count)")
            expect(outcome.matchedRuleCount, equals: matched, "\(count)")
            #expect(outcome.failures.isEmpty, "\(count)")
        }

        let ignoring = ErrorHandler()
            .on(matching: .any.where { $0 is Payment }) { _ in .stop }
            .ignore(Payment.self)
            .on(matching: .any.where { $0 is Payment }) { _ in .next }
            .onNoMatch { _ in .stop }
        let ignored = ignoring.explain(Payment.expired)
        expect(ignored.outcome(matchedRuleCount: 1).disposition, equals: .handled)
        for count in 2...4 {
            let outcome = ignored.outcome(matchedRuleCount: count)
            expect(outcome.disposition, equals: .ignored, "\(count)")
            expect(outcome.rule, equals: ignored.entries[1].rule, "\(count)")
            expect(outcome.matchedRuleCount, equals: 2, "\(count)")
        }
        let handled = await ignoring.handle(Payment.expired)
        let again = ignored.outcome(matchedRuleCount: handled.matchedRuleCount)
        expect(again.rule, equals: handled.rule)
        expect(again.disposition, equals: handled.disposition)
        let other = ignoring.explain(Offline()).outcome(matchedRuleCount: 3)
        expect(other.disposition, equals: .unmatched)
        expectNil(other.rule)
        expect(other.matchedRuleCount, equals: 0)
    }

    @Test("the explanation shows whether one of the program's closures was called, whatever the matchers' names")
    func closures() {
        func asks<Output>(_ matcher: ErrorMatcher<Output>, _ error: any Error = Payment.expired) -> Bool {
            ErrorHandler().on(matching: matcher.named("type(Payment)")) { _ in .stop }.explain(error).callsPredicates
        }
        #expect(!asks(.type(Payment.self)) && !asks(.value(Payment.expired)) && !asks(.any))
        #expect(!asks(.nsError(domain: "d", code: 1)) && !asks(.conforming(to: (any LocalizedError).self)))
        #expect(
            !asks(.anywhere(.value(Payment.expired))) && !asks(.cancellation) && !asks(!.type(Offline.self)))
        let narrowed = ErrorMatcher.type(Payment.self).where { _ in false }
        let extracting = ErrorMatcher<Int>.extracting(Timeout.self) { _ in nil }
        #expect(asks(.predicate { _ in false }) && asks(narrowed) && asks(!narrowed) && asks(.anywhere(narrowed)))
        #expect(
            asks(narrowed || .type(Payment.self)) && asks(.type(Payment.self) && extracting.erased) == false)
        // Neither closure is called for an error of another type, but `anywhere` might find one wrapped in it.
        #expect(!asks(narrowed, Offline()) && !asks(extracting) && asks(extracting, Timeout(seconds: 1)))
        #expect(asks(.anywhere(narrowed), Offline()))
        // A rule that isn't reached doesn't affect the result.
        let ignored = ErrorHandler().on(matching: .predicate { _ in true }) { _ in .stop }.ignore(Payment.self)
        #expect(!ignored.explain(Payment.expired).callsPredicates)
        #expect(ignored.explain(Offline()).callsPredicates)
    }

    @Test("the explanation shows whether all errors of the type have the same explanation")
    func followsFromType() {
        func follows<Output>(_ matcher: ErrorMatcher<Output>, _ error: any Error = Payment.expired) -> Bool {
            ErrorHandler().on(matching: matcher.named("type(Payment)")) { _ in .stop }.explain(error).followsFromType
        }
        #expect(follows(.type(Payment.self)) && follows(.type(Offline.self)) && follows(.any))
        #expect(follows(!.type(Offline.self)) && follows(.conforming(to: (any LocalizedError).self)))
        #expect(follows(.nsError(domain: "d", code: 1)) && follows(.value(Timeout(seconds: 1))))
        #expect(!follows(.value(Payment.expired)) && !follows(.predicate { _ in true }))
        #expect(!follows(.type(Payment.self).where { _ in true }) && !follows(.anywhere(.type(Offline.self))))
        // The closure is called although the type alone would decide.
        #expect(!follows(.predicate { _ in true } && .type(Offline.self)))
        let domain = (Payment.expired as NSError).domain
        #expect(follows(.nsError(domain: domain)) && !follows(.nsError(domain: domain, code: 1)))
        #expect(!follows(.nsError(domain: "d"), NSError(domain: "d", code: 1)))
        // A rule that isn't reached doesn't affect the result.
        let ignored = ErrorHandler().on(Payment.expired) { _ in .stop }.ignore(Payment.self)
        #expect(ignored.explain(Payment.expired).followsFromType)
    }
}
