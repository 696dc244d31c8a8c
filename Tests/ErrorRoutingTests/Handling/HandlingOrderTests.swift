import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Behaviours 1, 2 and 3: rules run last-registered first, then onNoMatch, then always",
    .tags(.behaviour1, .behaviour2, .behaviour3))
struct HandlingOrderTests {
    let trace = ActionTrace()

    // Behaviour 1
}

extension HandlingOrderTests {
    @Test("rules are tried last-registered first")
    func lastRegisteredFirst() async {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("first") }
            .on(Zoo.Payment.self) { _ in trace("second") }
            .on(Zoo.Payment.self) { _ in trace("third") }
        await handler.handle(Zoo.Payment.expired)
        expect(trace.entries, equals: ["third", "second", "first"])
    }

    @Test(
        "actions run last-registered first until one returns .stop, those of rules, onNoMatch and always alike",
        arguments: ["on", "onNoMatch", "always"])
    func untilStop(verb: String) async {
        var handler = ErrorHandler()
        for (name, strategy) in [("never", .next), ("stops", .stop), ("goes on", .next)] as [(String, HandleStrategy)] {
            handler =
                switch verb {
                case "on": handler.on(Zoo.Offline.self) { _ in trace(name, strategy) }
                case "onNoMatch": handler.onNoMatch { _ in trace(name, strategy) }
                default: handler.always { _ in trace(name, strategy) }
                }
        }
        await handler.handle(Zoo.Offline())
        expect(trace.entries, equals: ["goes on", "stops"])
    }

    @Test("rules that do not match are passed over and keep no other rule from running")
    func passedOver() async {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("payment") }
            .on(Zoo.Timeout.self) { _ in trace("timeout", .stop) }
        await handler.handle(Zoo.Payment.expired)
        expect(trace.entries, equals: ["payment"])
    }

    @Test("all forms of on, synchronous or not, share one order")
    func allFormsShareOneOrder() async {
        let error = URLError(.timedOut)
        let handler = ErrorHandler()
            .on(URLError.self) { _ in trace("1 type") }
            .on(error) { _ in trace("2 value") }
            .on(domain: NSURLErrorDomain) { _ in
                await Task.yield()
                return trace("3 domain")
            }
            .on(matching: .any) { _ in trace("4 matcher") }
            .on(URLError.self) { _ in
                await Task.yield()
                return trace("5 type")
            }
            .on(domain: NSURLErrorDomain, code: error.errorCode) { _ in trace("6 code") }
            .on(matching: .anywhere(.value(error))) { _ in trace("7 anywhere") }
        await handler.handle(error)
        expect(
            trace.entries, equals: ["7 anywhere", "6 code", "5 type", "4 matcher", "3 domain", "2 value", "1 type"]
        )
    }

    @Test("actions get what was matched and the report as it was handed in")
    func actionsGetMatchAndReport() async {
        let report = ErrorReport(
            error: Zoo.Timeout(seconds: 3), source: .init(fileID: "Intake/Main.swift", line: 12),
            metadata: ["order": "17"], scope: ["intake", "parser"], sequence: 9, occurrences: 4
        )
        let handler = ErrorHandler().on(Zoo.Timeout.self) { error, report in
            trace("\(error.seconds) \(report) #\(report.sequence) \(report.outcome.disposition)")
        }
        await handler.handle(report)
        expect(trace.entries, equals: ["3 \(report) #9 pending"])
    }

    @Test("an error that is handled without a report comes from the line of handle")
    func sourceOfHandle() async {
        let handler = ErrorHandler().on(matching: .any) { _, report in trace("\(report.source)") }
        await handler.handle(Zoo.Offline())
        _ = handler.handleSynchronously(Zoo.Offline())
        let line = #line
        expect(trace.entries, equals: ["\(#fileID):\(line - 2)", "\(#fileID):\(line - 1)"])
    }

    // Behaviour 2

    @Test("onNoMatch runs if no rule matched, wherever it was registered")
    func onNoMatchRuns() async {
        let handler = ErrorHandler()
            .onNoMatch { _ in trace("before") }
            .on(Zoo.Payment.self) { _ in trace("payment") }
            .onNoMatch { _ in trace("after") }
        await handler.handle(Zoo.Offline())
        expect(trace.entries, equals: ["after", "before"])
    }

    @Test(
        "onNoMatch does not run if a rule matched, even if it returned .next",
        arguments: [HandleStrategy.next, .stop]
    )
    func onNoMatchDoesNotRun(strategy: HandleStrategy) async {
        let handler = ErrorHandler()
            .on(Zoo.Payment.self) { _ in trace("payment", strategy) }
            .onNoMatch { _ in trace("no match") }
        await handler.handle(Zoo.Payment.expired)
        expect(trace.entries, equals: ["payment"])
    }

    @Test("onNoMatch does not run for an ignored error")
    func onNoMatchDoesNotRunForIgnored() async {
        let handler = ErrorHandler().onNoMatch { _ in trace("no match") }.ignore(Zoo.Payment.self)
        await handler.handle(Zoo.Payment.expired)
        await handler.handle(Zoo.Offline())
        expect(trace.entries, equals: ["no match"])
    }

    // Behaviour 3

    @Test("always runs last, whatever happened and wherever it was registered")
    func alwaysRunsLast() async {
        let handler = ErrorHandler()
            .always { _ in trace("always") }
            .on(Zoo.Payment.self) { _ in trace("handled", .stop) }
            .on(Zoo.Timeout.self) { _ in throw Zoo.Offline() }
            .ignore(Zoo.Shade.light)
            .onNoMatch { _ in trace("no match", .stop) }
        await handler.handle(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["handled", "always"])
        await handler.handle(Zoo.Timeout())
        expect(trace.takeAll(), equals: ["always"])
        await handler.handle(Zoo.Shade.light)
        expect(trace.takeAll(), equals: ["always"])
        await handler.handle(Zoo.Offline())
        expect(trace.takeAll(), equals: ["no match", "always"])
    }

    @Test("the report of an always action carries the outcome so far, that of a rule says that it is pending")
    func alwaysGetsTheOutcomeSoFar() async throws {
        let handler = ErrorHandler()
            .always { _, report in trace("always: \(report.outcome.description)") }
            .always { _, report in
                _ = trace("always: \(report.outcome.description)")
                throw Zoo.Offline()
            }
            .on(Zoo.Payment.self) { _, report in trace("on: \(report.outcome.description)", .stop) }
            .on(Zoo.Payment.self) { _ in .next }
            .onNoMatch { _, report in trace("no match: \(report.outcome.description)") }
            .ignore(Zoo.Timeout.self)
        let handled = await handler.handle(Zoo.Payment.expired)
        let rule = try #require(handled.rule)
        expect(
            trace.takeAll(),
            equals: [
                "on: pending",
                "always: handled by \(rule) (2 rules matched)",
                "always: handled by \(rule) (2 rules matched), 1 action failed",
            ]
        )
        await handler.handle(Zoo.Offline())
        expect(
            trace.takeAll(), equals: ["no match: pending", "always: unmatched", "always: unmatched, 1 action failed"])
        let ignored = try #require(await handler.handle(Zoo.Timeout()).rule)
        expect(
            trace.takeAll(),
            equals: ["always: ignored by \(ignored)", "always: ignored by \(ignored), 1 action failed"]
        )
    }

    @Test("a handler without rules matches nothing and does nothing")
    func empty() async {
        let outcome = await ErrorHandler().handle(Zoo.Offline())
        expect(outcome.disposition, equals: .unmatched)
        expect(outcome.matchedRuleCount, equals: 0)
        expectNil(outcome.rule)
        #expect(outcome.failures.isEmpty)
    }
}
