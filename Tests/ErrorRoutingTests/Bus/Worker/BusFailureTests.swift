import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Promise 4: a bus delivers an action's failure as a separate error", .tags(.promise4), .hangLimit)
struct BusFailureTests {}

extension BusFailureTests {
    struct Broken: Error, Equatable {}

    @Test("an action's failure is delivered right after its report, before pending ones, and takes no capacity")
    func rightAfterItsReport() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler().on(Numbered(1)) { _ in
            entered.open()
            await gate.wait()
            throw Broken()
        }
        let recorded = await withRecordedErrors(handler: handler, configuration: .init(capacity: 1)) { bus in
            bus.post(Numbered(1), metadata: ["order": "17"])
            await entered.wait()
            bus.post(Numbered(2))
            gate.open()
        }
        let delivered = recorded.reports
        expect(delivered.map { "\(type(of: $0.error))" }, equals: ["Numbered", "ActionFailure", "Numbered"])
        expect(delivered[0].outcome.disposition, equals: .handled)
        let failure = delivered[1].error as? ActionFailure
        expect(failure?.error as? Broken, equals: Broken())
        expect(failure?.report.error as? Numbered, equals: Numbered(1))
        expect(failure?.rule, equals: delivered[0].outcome.rule)
        // The notice has the location where the rule was registered, with the report's metadata.
        expect(delivered[1].source, equals: failure?.rule.source)
        expect(delivered[1].metadata, equals: ["order": "17"])
        expect(recorded.statistics.posted, equals: 3)
        expect(recorded.statistics.dropped, equals: 0)
    }

    @Test("a failure while an ActionFailure is handled goes only to the last resort, whoever posted the ActionFailure")
    func posted() async {
        let written = Journal<String>()
        let handler = ErrorHandler().on(matching: .any) { _ in throw Broken() }
        let failed = await ErrorHandler().on(Numbered.self) { _ in throw Broken() }.handle(Numbered(1))
        let lastResort = LastResort { written.note("\($0)") }
        let recorded = await withRecordedErrors(handler: handler, configuration: .init(lastResort: lastResort)) { bus in
            for failure in failed.failures { bus.post(failure) }
        }
        expect(recorded.errors.map { "\(type(of: $0))" }, equals: ["ActionFailure"])
        expect(recorded.statistics.actionFailures, equals: 1)
        expect(written.entries.count, equals: 1)
    }

    @Test("several failures of one report are delivered in the order in which they occurred")
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

    @Test("with anywhere, a rule finds the error that the action threw, not the original error")
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

    @Test("the failure of handling an ActionFailure goes only to standard error, with its path")
    func noRecursion() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let throwing = ErrorHandler().on(matching: .any) { error in
                throw error is ActionFailure ? Numbered(3) : Numbered(2)
            }
            let recorded = await withRecordedErrors { bus in
                bus.scope("outer", handler: throwing).scope("inner").post(Numbered(1), metadata: ["k": "v"])
            }
            expect(recorded.statistics, equals: .init(posted: 2, handled: 2, actionFailures: 2))
            await Self.abandonNotice()
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["scope"] }, equals: ["outer/inner", nil])
        expect(lines.first??["type"], equals: "ErrorRouting.ActionFailure")
        expect(lines.first??["metadata.k"], equals: "v")
        expect(lines.first??["trail"], equals: "ErrorRoutingTests.Numbered: Numbered(number: 3)")
        expect(result.standardErrorLines.last?.contains("abandoned"), equals: true)
    }

    /// Lets an action on an `ActionFailure` hang until it is abandoned.
    private static func abandonNotice() async {
        final class Watched {
            weak var bus: ErrorBus?
        }
        let (clock, gate, watched) = (ManualClock(), Gate(), Watched())
        let handler = ErrorHandler()
            .on(Numbered.self) { error in throw error }
            .on(ActionFailure.self) { _ in
                await gate.wait()
                return .stop
            }
        let recorded = await withRecordedErrors(handler: handler, configuration: .init(clock: clock)) { bus in
            watched.bus = bus
            bus.post(Numbered(1))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(30))
        }
        expect(recorded.statistics.posted, equals: 2)
        gate.open()
        // Wait until the action has ended: otherwise the leak sanitizer would report it.
        await eventually("the abandoned action has ended and released the bus") { watched.bus == nil }
    }

    @Test(
        "the report in a failure of an always action has the outcome so far, however the action ran",
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
        // Now without a bus.
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
