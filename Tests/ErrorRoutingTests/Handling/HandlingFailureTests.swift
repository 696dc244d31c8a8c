import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Promise 4: an action that throws counts as matched, and its error becomes an ActionFailure", .tags(.promise4),
    .hangLimit)
struct HandlingFailureTests {
    let trace = ActionTrace()
}

extension HandlingFailureTests {
    @Test("an action that throws counts as matched and as .next, last or not, but doesn't count in onNoMatch")
    func matchedAndNext() async {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("last") }
            .on(Zoo.Payment.self) { _ in
                _ = trace("throws")
                throw Zoo.Timeout()
            }
            .onNoMatch { _ in trace("no match") }
        let outcome = await handler.handle(Zoo.Payment.expired)
        expect(trace.entries, equals: ["throws", "last"])
        expect(outcome.disposition, equals: .handled)
        expect(outcome.matchedRuleCount, equals: 2)

        let alone = ErrorHandler().on(Zoo.Payment.self) { _ in throw Zoo.Timeout() }
        let only = await alone.handle(Zoo.Payment.expired)
        expect(only.disposition, equals: .handled)
        expect(only.matchedRuleCount, equals: 1)
        expect(only.rule?.matcher, equals: "type(Payment)")

        let ignoring = ErrorHandler().ignore(Zoo.Payment.self).on(Zoo.Payment.self) { _ in throw Zoo.Timeout() }
        let ignored = await ignoring.handle(Zoo.Payment.expired)
        expect(ignored.disposition, equals: .ignored)
        expect(ignored.failures.count, equals: 1)

        let fallback = ErrorHandler().onNoMatch { _ in throw Zoo.Timeout() }
        let unmatched = await fallback.handle(Zoo.Offline())
        expect(unmatched.disposition, equals: .unmatched)
        expectNil(unmatched.rule)
        expect(unmatched.failures.count, equals: 1)
    }

    @Test("a thrown error becomes an ActionFailure with its rule and report, whether or not the action suspends")
    func failure() async throws {
        let handler = ErrorHandler().on(Zoo.Payment.self) { _ in throw Zoo.Timeout(seconds: 5) }
        let report = ErrorReport(error: Zoo.Payment.expired, source: .init(), metadata: ["order": "17"])
        let outcome = await handler.handle(report)
        let failure = try #require(outcome.failures.first)
        expect(outcome.failures.count, equals: 1)
        expect(failure.error as? Zoo.Timeout, equals: Zoo.Timeout(seconds: 5))
        expect(failure.report.error as? Zoo.Payment, equals: .expired)
        expect(failure.report.metadata, equals: ["order": "17"])
        expect(failure.rule, equals: outcome.rule)

        let suspending = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("last") }
            .on(Zoo.Payment.self) { _ in
                await Task.yield()
                throw CancellationError()
            }
        let second = await suspending.handle(Zoo.Payment.expired)
        expect(trace.entries, equals: ["last"])
        expect(second.failures.map { $0.error is CancellationError }, equals: [true])

        let third = handler.handleSynchronously(Zoo.Payment.expired)
        expect(third?.failures.map { $0.error is Zoo.Timeout }, equals: [true])
        expect(third?.disposition, equals: .handled)
    }

    @Test(
        "failures come in the order of the actions, even of onNoMatch and always, and handle doesn't handle them"
    )
    func order() async {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in throw Zoo.Timeout(seconds: 2) }
            .on(Zoo.Payment.self) { _ in throw Zoo.Timeout(seconds: 1) }
            .onNoMatch { _ in throw Zoo.Timeout(seconds: 4) }
            .onNoMatch { _ in throw Zoo.Timeout(seconds: 3) }
            .always { _ in throw Zoo.Timeout(seconds: 6) }
            .always { _ in throw Zoo.Timeout(seconds: 5) }
        let matched = await handler.handle(Zoo.Payment.expired)
        expect(matched.failures.map { ($0.error as? Zoo.Timeout)?.seconds }, equals: [1, 2, 5, 6])
        expect(matched.failures.map(\.rule.matcher), equals: ["type(Payment)", "type(Payment)", "always", "always"])
        let unmatched = await handler.handle(Zoo.Offline())
        expect(unmatched.failures.map { ($0.error as? Zoo.Timeout)?.seconds }, equals: [3, 4, 5, 6])
        expect(unmatched.failures.map(\.rule.matcher), equals: ["onNoMatch", "onNoMatch", "always", "always"])

        let passing = ErrorHandler()
            .on(ActionFailure.self) { _ in trace("failure") }
            .on(Zoo.Payment.self) { _ in throw Zoo.Timeout() }
            .onNoMatch { _ in trace("no match") }
        let outcome = await passing.handle(Zoo.Payment.expired)
        expect(outcome.failures.count, equals: 1)
        expect(trace.entries, equals: [])
    }

    @Test("the only error wrapped in an ActionFailure is the thrown error, even if that is the original error")
    func underlying() async throws {
        let handler = ErrorHandler().on(Zoo.Payment.self) { _ in throw Zoo.Box(content: Zoo.Timeout(seconds: 5)) }
        let failure = try #require(await handler.handle(Zoo.Payment.expired).failures.first)
        expect(failure.underlyingErrors.count, equals: 1)
        #expect(failure.underlyingErrors.first is Zoo.Box<Zoo.Timeout>)
        expect(ErrorMatcher.anywhere(.type(Zoo.Timeout.self)).match(failure), equals: Zoo.Timeout(seconds: 5))
        let original = ErrorMatcher.anywhere(.type(Zoo.Payment.self))
        expect(original.match(failure.report.error), equals: .expired)
        expectNil(original.match(failure))
        let throwing = ErrorHandler().on(Zoo.Payment.self) { throw $0 }
        let again = try #require(await throwing.handle(Zoo.Payment.expired).failures.first)
        expect(original.match(again), equals: .expired)
    }

    @Test("an ActionFailure describes itself on one line")
    func failureDescription() {
        let failure = ActionFailure(
            error: Zoo.Shade.dark(3),
            report: ErrorReport(error: Zoo.Localized(errorDescription: "a\nb"), source: .init()),
            rule: RuleDescription(matcher: "m", source: .init(fileID: "Intake/Rules.swift", line: 12))
        )
        expect(
            failure.description,
            equals: "the action of m at Intake/Rules.swift:12 failed with Shade.dark(3) while handling "
                + #"Localized(errorDescription: Optional("a\nb"))"#
        )
    }
}
