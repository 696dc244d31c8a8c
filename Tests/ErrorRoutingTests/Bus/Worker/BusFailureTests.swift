import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Behaviour 4: a bus delivers an action's failure as an error of its own", .tags(.behaviour4), .hangLimit)
struct BusFailureTests {}

extension BusFailureTests {
    struct Broken: Error, Equatable {}

    @Test("an action's failure is delivered right after its report, before what was pending")
    func rightAfterItsReport() async {
        let handler = ErrorHandler().on(Numbered(1)) { _ in throw Broken() }
        let bus = ErrorBus(handler: handler)
        let reports = bus.reports()
        bus.post(Numbered(1), metadata: ["order": "17"])
        bus.post(Numbered(2))
        bus.finish()
        await bus.run()
        let delivered = await reports.collected()
        #expect(delivered.map { "\(type(of: $0.error))" } == ["Numbered", "ActionFailure", "Numbered"])
        expect(delivered[0].outcome.disposition, equals: .handled)
        let failure = delivered[1].error as? ActionFailure
        expect(failure?.error as? Broken, equals: Broken())
        expect(failure?.report.error as? Numbered, equals: Numbered(1))
        expect(failure?.rule, equals: delivered[0].outcome.rule)
        // The notice comes from where the rule was registered, with what was given along.
        expect(delivered[1].source, equals: failure?.rule.source)
        expect(delivered[1].metadata, equals: ["order": "17"])
    }

    @Test("several failures of one report are delivered in the order in which they arose")
    func severalFailures() async {
        let handler = ErrorHandler()
            .always { error in
                if error is ActionFailure { return .next }
                throw Numbered(3)
            }
            .on(Numbered.self) { _ in throw Numbered(2) }
            .on(Numbered.self) { _ in throw Numbered(1) }
        let recorded = await withRecordedErrors(handler: handler) { bus in bus.post(Numbered(0)) }
        let failures = recorded.matches(of: .type(ActionFailure.self)).map { $0.error as? Numbered }
        expect(failures, equals: [Numbered(1), Numbered(2), Numbered(3)])
        expect(recorded.statistics.actionFailures, equals: 3)
    }

    @Test("a rule finds what the action threw with anywhere, and not the original error")
    func anywhereFindsTheThrownError() async {
        let journal = Journal<String>()
        let handler = ErrorHandler()
            .on(matching: .anywhere(.type(Broken.self))) { _, report in
                journal.note("broken in \(type(of: report.error))")
                return .stop
            }
            .on(matching: .anywhere(.type(Numbered.self))) { _ in
                journal.note("numbered")
                throw Broken()
            }
        await withErrorBus(handler: handler) { bus in bus.post(Numbered(1)) }
        expect(journal.entries, equals: ["numbered", "broken in ActionFailure"])
    }

    @Test("the failure of handling an ActionFailure goes to standard error and no further")
    func noRecursion() async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            endIfItHangs()
            let handler = ErrorHandler().on(matching: .any) { _ in throw Numbered(7) }
            let bus = ErrorBus(handler: handler)
            bus.post(Numbered(1))
            bus.finish()
            await bus.run()
            expect(bus.statistics.posted, equals: 2)
            expect(bus.statistics.actionFailures, equals: 2)
            expect(bus.statistics.handled, equals: 2)
            #expect(bus.statistics.isBalanced)
        }
        let lines = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(lines.contains("type=ErrorRouting.ActionFailure"))
        #expect(lines.contains("Numbered(number: 7)"))
        expect(lines.split(separator: "\n").count, equals: 1)
    }

    @Test("notices escape the capacity, and count as posted when they are made")
    func noticesTakeNoCapacity() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler().on(Numbered(1)) { _ in
            entered.open()
            await gate.wait()
            throw Broken()
        }
        let recorded = await withRecordedErrors(handler: handler, configuration: .init(capacity: 1)) { bus in
            bus.post(Numbered(1))
            await entered.wait()
            bus.post(Numbered(2))
            gate.open()
        }
        #expect(recorded.errors.map { "\(type(of: $0))" } == ["Numbered", "ActionFailure", "Numbered"])
        expect(recorded.statistics.posted, equals: 3)
        expect(recorded.statistics.dropped, equals: 0)
    }

    @Test(
        "the report in a failure of an always action has the outcome so far, however the action came to its turn",
        arguments: [false, true], [false, true]
    )
    func outcomeInFailureOfAlways(isFirst: Bool, isCancelling: Bool) async {
        let seen = Journal<HandleOutcome.Disposition>()
        var handler = ErrorHandler()
            .on(ActionFailure.self) { failure in
                seen.note(failure.report.outcome.disposition)
                return .stop
            }
            .on(Numbered(1)) { _ in .stop }
            .always { error in
                if error is Numbered { throw Numbered(2) }
                return .next
            }
            .always { error in
                await Task.yield()
                if error is Numbered { throw Numbered(3) }
                return .next
            }
        if !isFirst {
            handler = handler.always { error, report in
                await Task.yield()
                if isCancelling, error is Numbered { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                return .next
            }
        }
        await withErrorBus(handler: handler) { $0.post(Numbered(1)) }
        expect(seen.entries, equals: [.handled, .handled])
        // Without a bus.
        let outcome = await handler.handle(Numbered(1))
        expect(outcome.failures.map(\.report.outcome.disposition), equals: [.handled, .handled])
    }

    @Test("the report of an always action that is abandoned has the outcome so far")
    func outcomeInAbandonedAlways() async {
        let (clock, gate, seen) = (ManualClock(), Gate(), Journal<HandleOutcome.Disposition>())
        let handler = ErrorHandler()
            .on(ActionFailure.self) { failure in
                seen.note(failure.report.outcome.disposition)
                return .stop
            }
            .on(Numbered(1)) { _ in .stop }
            .always { error in
                if error as? Numbered == Numbered(1) { await gate.wait() }
                return .next
            }
        let limit = ErrorBus.Configuration(actionTimeLimit: .seconds(1), clock: clock)
        await withErrorBus(handler: handler, configuration: limit) { bus in
            bus.post(Numbered(1))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            await bus.deliver(Numbered(0))
            gate.open()
        }
        expect(seen.entries, equals: [.handled])
    }
}
