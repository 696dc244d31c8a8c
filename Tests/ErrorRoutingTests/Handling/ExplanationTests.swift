import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Promise 5: explain shows for each rule whether it matched, and why it wasn't tried", .tags(.promise5),
    .hangLimit)
struct ExplanationTests {
    typealias Verdict = Explanation.Verdict

    let trace = ActionTrace()

    private func verdicts(_ handler: ErrorHandler, _ error: any Error) -> [Verdict] {
        handler.explain(error).entries.map(\.verdict)
    }
}

extension ExplanationTests {
    @Test("entries come in the order in which the rules are tried, then onNoMatch, then always; the error is included")
    func order() {
        let handler = ErrorHandler()
            .always { _ in .next }
            .on(matching: .any.named("first")) { _ in .next }
            .onNoMatch { _ in .next }
            .on(matching: .any.named("second")) { _ in .next }
        let entries = handler.explain(Zoo.Offline()).entries
        expect(entries.map(\.rule.matcher), equals: ["second", "first", "onNoMatch", "always"])
        expect(entries.map(\.stage), equals: [.rule, .rule, .onNoMatch, .always])
        expect(handler.explain(Zoo.Timeout(seconds: 5)).error as? Zoo.Timeout, equals: Zoo.Timeout(seconds: 5))
    }

    @Test("rules after a match run if reached; a rule or onNoMatch that isn't reached names the rule that stops it")
    func matches() {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in .next }
            .on(Zoo.Timeout.self) { _ in .next }
            .on(Zoo.Payment.expired) { _ in .stop }
            .on(Zoo.Payment.unavailable) { _ in .stop }
        expect(
            verdicts(handler, Zoo.Payment.expired), equals: [.notMatched, .matched, .notMatched, .matchedIfReached]
        )

        let ignoring = ErrorHandler()
            .on(matching: .any) { _ in .next }
            .ignore(Zoo.Payment.self)
            .on(matching: .any) { _ in .next }
        let reason = "rule 2 ignores the error"
        expect(
            verdicts(ignoring, Zoo.Payment.expired),
            equals: [.matched, .matchedIfReached, .notReached(because: reason)]
        )
        expect(verdicts(ignoring, Zoo.Offline()), equals: [.matched, .notMatched, .matchedIfReached])

        let fallingBack = ErrorHandler()
            .on(Zoo.Payment.self) { _ in .next }
            .on(Zoo.Timeout.self) { _ in .next }
            .onNoMatch { _ in .next }
            .onNoMatch { _ in .next }
        let notReached = Verdict.notReached(because: "rule 2 matched")
        expect(verdicts(fallingBack, Zoo.Payment.expired), equals: [.notMatched, .matched, notReached, notReached])
        expect(verdicts(fallingBack, Zoo.Offline()), equals: [.notMatched, .notMatched, .matched, .matchedIfReached])

        let closing = ErrorHandler().ignore(Zoo.Payment.self).always { _ in .next }.always { _ in .next }
        expect(verdicts(closing, Zoo.Payment.expired), equals: [.matched, .matched, .matchedIfReached])
        expect(verdicts(closing, Zoo.Offline()), equals: [.notMatched, .matched, .matchedIfReached])
    }

    @Test("no action runs, but predicates do")
    func noActionRuns() {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("action") }
            .on(Zoo.Payment.self) { _ in
                await Task.yield()
                return trace("asynchronous action")
            }
            .on(matching: .predicate { _ in trace("matching") == .next }) { _ in trace("action") }
            .on(matching: .type(Zoo.Payment.self).where { _ in trace("where") == .stop }) { _ in trace("action") }
            .onNoMatch { _ in trace("no match") }
            .always { _ in trace("always") }
        let found = verdicts(handler, Zoo.Payment.expired)
        expect(trace.entries, equals: ["where", "matching"])
        expect(found.prefix(3), equals: [.notMatched, .matched, .matchedIfReached])
    }

    @Test(
        "disposition and rule describe the first matching rule, as if it stopped; without a bus a scope drops errors"
    )
    func sums() async {
        func expectSum(
            _ explanation: Explanation, _ disposition: HandleOutcome.Disposition, _ rule: RuleDescription?
        ) {
            expect(explanation.disposition, equals: disposition)
            expect(explanation.rule, equals: rule)
        }
        let handler = ErrorHandler()
            .ignore(CancellationError.self)
            .ignore(matching: .any.where { $0 is Zoo.Timeout })
            .on(Zoo.Payment.self) { _ in .next }
            .onNoMatch { _ in .next }
        let payment = handler.explain(Zoo.Payment.expired)
        expectSum(payment, .handled, payment.entries.first?.rule)
        let timeout = handler.explain(Zoo.Timeout())
        expectSum(timeout, .ignored, timeout.entries.dropFirst().first?.rule)
        let offline = handler.explain(Zoo.Offline())
        expectSum(offline, .unmatched, nil)
        // A rule that continues counts as if it stopped, even if an ignore rule follows it.
        let both = ErrorHandler().ignore(Zoo.Timeout.self).on(Zoo.Timeout.self) { _ in .next }.explain(Zoo.Timeout())
        expectSum(both, .handled, both.entries.first?.rule)
        let lonely = await withErrorScope("lonely", handler: ErrorHandler().ignore(Zoo.Timeout.self)) {
            $0.explain(Zoo.Timeout())
        }
        expectSum(lonely, .dropped, nil)
    }

    @Test("its description can be pasted: rules are numbered, with matcher, site, and verdict in columns")
    func text() {
        let handler = ErrorHandler()
            .on(matching: .any, fileID: "Intake/Rules.swift", line: 7) { _ in .stop }
            .ignore(CancellationError.self, fileID: "Intake/Rules.swift", line: 21)
            .on(matching: .type(Zoo.Payment.self), fileID: "Intake/Rules.swift", line: 8) { _ in .next }
            .on(Zoo.Payment.expired, fileID: "Intake/Main.swift", line: 3) { _ in .next }
            .on(matching: .nsError(domain: "bank").named("the bank"), fileID: "Intake/Rules.swift", line: 9) { _ in
                .next
            }
            .onNoMatch(fileID: "Intake/Rules.swift", line: 10) { _ in .stop }
            .always(fileID: "Intake/Rules.swift", line: 11) { _ in .next }
        expect(
            handler.explain(Zoo.Payment.expired).description,
            equals: """
                ErrorRoutingTests.Zoo.Payment: expired
                  1. the bank                 Intake/Rules.swift:9   did not match
                  2. value(Payment.expired)   Intake/Main.swift:3    matched
                  3. type(Payment)            Intake/Rules.swift:8   matched, runs if reached
                  4. type(CancellationError)  Intake/Rules.swift:21  did not match
                  5. any                      Intake/Rules.swift:7   matched, runs if reached
                  6. onNoMatch                Intake/Rules.swift:10  not reached: rule 2 matched
                  7. always                   Intake/Rules.swift:11  matched
                  No action has run; "if reached" depends on what the actions before it would return.
                """
        )
        expect(
            handler.explain(CancellationError()).description.split(separator: "\n").dropFirst().prefix(5),
            equals: [
                "  1. the bank                 Intake/Rules.swift:9   did not match",
                "  2. value(Payment.expired)   Intake/Main.swift:3    did not match",
                "  3. type(Payment)            Intake/Rules.swift:8   did not match",
                "  4. type(CancellationError)  Intake/Rules.swift:21  matched",
                "  5. any                      Intake/Rules.swift:7   not reached: rule 4 ignores the error",
            ]
        )

        var long = ErrorHandler()
        for line in 1...10 {
            long = long.ignore(matching: .any.named("r\(line)"), fileID: "Rules.swift", line: UInt(line))
        }
        let lines = long.explain(Zoo.Offline()).description.split(separator: "\n")
        expect(
            [lines[1], lines[2], lines[10]],
            equals: [
                "   1. r10  Rules.swift:10  matched",
                "   2. r9   Rules.swift:9   not reached: rule 1 ignores the error",
                "  10. r1   Rules.swift:1   not reached: rule 1 ignores the error",
            ])

        expect(
            ErrorHandler().explain(Zoo.Localized(errorDescription: "no\nline")).description,
            equals: """
                ErrorRoutingTests.Zoo.Localized: no\\nline
                  There are no rules.
                """
        )
    }
}
