import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite(
    "Promises 1, 2, and 3: rules run last-registered first, then onNoMatch, then always",
    .tags(.promise1, .promise2, .promise3), .hangLimit)
struct HandlingOrderTests {
    let trace = ActionTrace()
}

extension HandlingOrderTests {
    // Promise 1

    @Test("actions run last-registered first until one returns .stop, and so do those of onNoMatch and of always")
    func untilStop() async {
        let strategies: [(String, HandleStrategy)] = [("never", .next), ("stops", .stop), ("goes on", .next)]
        let (none, trace) = (ErrorHandler(), trace)
        let handlers = [
            strategies.reduce(none) { handler, action in handler.on(Zoo.Offline.self) { _ in trace(action.0, action.1) }
            },
            strategies.reduce(none) { handler, action in handler.onNoMatch { _ in trace(action.0, action.1) } },
            strategies.reduce(none) { handler, action in handler.always { _ in trace(action.0, action.1) } },
        ]
        for handler in handlers {
            await handler.handle(Zoo.Offline())
            expect(trace.takeAll(), equals: ["goes on", "stops"])
        }
    }

    @Test("all forms of on, synchronous or not, are tried last-registered first; a failed match doesn't stop them")
    func allFormsShareOneOrder() async {
        let error = URLError(.timedOut)
        let handler = ErrorHandler()
            .on(URLError.self) { _ in trace("1 type") }
            .on(error) { _ in trace("2 value") }
            .on(domain: NSURLErrorDomain) { _ in
                await Task.yield()
                return trace("3 domain")
            }
            .on(Zoo.Timeout.self) { _ in trace("does not match", .stop) }
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

    @Test("actions receive the match and the report that was passed, or a report with the line of handle")
    func actionsGetMatchAndReport() async {
        let report = ErrorReport(
            error: Zoo.Timeout(seconds: 3), source: .init(fileID: "Intake/Main.swift", line: 12),
            metadata: ["order": "17"], scope: ["intake", "parser"], sequence: 9, occurrences: 4
        )
        let handler = ErrorHandler().on(Zoo.Timeout.self) { error, report in
            trace("\(error.seconds) \(report) #\(report.sequence) \(report.outcome.disposition)")
        }
        await handler.handle(report)
        expect(trace.takeAll(), equals: ["3 \(report) #9 pending"])

        let bare = ErrorHandler().on(matching: .any) { _, report in trace("\(report.source)") }
        await bare.handle(Zoo.Offline())
        _ = bare.handleSynchronously(Zoo.Offline())
        let line = #line
        expect(trace.entries, equals: ["\(#fileID):\(line - 2)", "\(#fileID):\(line - 1)"])
    }

    // Promise 2

    @Test("onNoMatch runs if no rule matched, wherever it was registered, but not after .next or an ignore rule")
    func onNoMatchRuns() async {
        let handler = ErrorHandler()
            .onNoMatch { _ in trace("before") }
            .on(Zoo.Payment.self) { error in trace("payment", error == .expired ? .next : .stop) }
            .ignore(Zoo.Timeout.self)
            .onNoMatch { _ in trace("after") }
        await handler.handle(Zoo.Offline())
        expect(trace.takeAll(), equals: ["after", "before"])
        for error in [Zoo.Payment.expired, .unavailable] {
            await handler.handle(error)
            expect(trace.takeAll(), equals: ["payment"])
        }
        await handler.handle(Zoo.Timeout())
        expect(trace.takeAll(), equals: [])
    }

    // Promise 3

    @Test("always runs last, whatever happened and wherever it was registered; its report has the outcome so far")
    func alwaysRunsLast() async throws {
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

        let telling = ErrorHandler()
            .always { _, report in trace("always: \(report.outcome.description)") }
            .always { _, report in
                _ = trace("always: \(report.outcome.description)")
                throw Zoo.Offline()
            }
            .on(Zoo.Payment.self) { _, report in trace("on: \(report.outcome.description)", .stop) }
            .on(Zoo.Payment.self) { _ in .next }
            .onNoMatch { _, report in trace("no match: \(report.outcome.description)") }
            .ignore(Zoo.Timeout.self)
        let handled = await telling.handle(Zoo.Payment.expired)
        let rule = try #require(handled.rule)
        expect(
            trace.takeAll(),
            equals: [
                "on: pending",
                "always: handled by \(rule) (2 rules matched)",
                "always: handled by \(rule) (2 rules matched), 1 action failed",
            ]
        )
        await telling.handle(Zoo.Offline())
        expect(
            trace.takeAll(), equals: ["no match: pending", "always: unmatched", "always: unmatched, 1 action failed"])
        let ignored = try #require(await telling.handle(Zoo.Timeout()).rule)
        expect(
            trace.takeAll(),
            equals: ["always: ignored by \(ignored)", "always: ignored by \(ignored), 1 action failed"]
        )
    }
}
