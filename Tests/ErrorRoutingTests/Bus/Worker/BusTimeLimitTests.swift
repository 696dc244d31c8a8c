import Dispatch
import ErrorRoutingTesting
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@Suite("Promise 18: an action that exceeds its time limit is abandoned", .tags(.promise18), .hangLimit)
struct BusTimeLimitTests {
    private let clock = ManualClock()
    private let gate = Gate()

    private func configuration(limit: Duration? = .seconds(30)) -> ErrorBus.Configuration {
        .init(actionTimeLimit: limit, clock: clock)
    }
}

extension BusTimeLimitTests {
    @Test("it becomes an ActionFailure, the rules after it still run, and the bus continues")
    func abandoned() async throws {
        let journal = Journal<String>()
        let handler = ErrorHandler()
            .always { _, report in
                journal.note("always \(report.outcome.disposition.rawValue)")
                return .next
            }
            .on(Numbered.self) { error in
                journal.note("next \(error.number)")
                return .stop
            }
            .on(Numbered(1)) { [gate] _ in
                await gate.wait()
                journal.note("too late")
                return .stop
            }
        let recorded = await withRecordedErrors(handler: handler, configuration: configuration()) { bus in
            bus.post(Numbered(1))
            bus.post(Numbered(2))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(30))
        }
        expect(journal.entries, equals: ["next 1", "always handled", "always unmatched", "next 2", "always handled"])
        let failure = try #require(recorded.matches(of: .type(ActionFailure.self)).first)
        expect(failure.error as? ActionTimeLimitExceeded, equals: ActionTimeLimitExceeded(limit: .seconds(30)))
        expect(recorded.errors.map { "\(type(of: $0))" }, equals: ["Numbered", "ActionFailure", "Numbered"])
        expect(recorded.reports[0].outcome.matchedRuleCount, equals: 2)
        expect(recorded.reports[0].outcome.failures.count, equals: 1)
        expect(recorded.statistics.actionFailures, equals: 1)
        #expect(recorded.statistics.isBalanced)

        let before = recorded.statistics
        gate.open()
        await eventually("the abandoned action ends") { journal.entries.last == "too late" }
        // The action's later result is discarded.
        expect(recorded.statistics, equals: before)
    }

    @Test("a limit of zero abandons each action that hangs: a timer that fires immediately is not forgotten")
    func zero() async {
        let handler = ErrorHandler()
            .on(ActionFailure.self) { _ in .stop }
            .on(Numbered.self) { [gate] _ in
                await gate.wait()
                return .stop
            }
        await withTaskGroup(of: Void.self) { group in
            // They run concurrently, so that threads are interrupted during the start of a timer.
            for _ in 0..<8 {
                group.addTask {
                    let limits = ErrorBus.Configuration(actionTimeLimit: .zero)
                    let recorded = await withRecordedErrors(handler: handler, configuration: limits) { bus in
                        for number in 0..<2_000 { bus.post(Numbered(number)) }
                    }
                    expect(recorded.statistics.actionFailures, equals: 2_000)
                }
            }
        }
        gate.open()
    }

    private final class Tracked: Error {}

    @Test(
        "failures before it are reported once, whether it returns before or after the bus's end",
        arguments: [false, true])
    func failuresBefore(isLate: Bool) async {
        let (failures, lines, returned) = (Journal<String>(), Journal<String>(), Gate())
        let handler = ErrorHandler()
            .on(ActionFailure.self) { failure in
                failures.note("\(type(of: failure.error))")
                return .stop
            }
            .on(Tracked.self) { [gate] _ in
                await gate.wait()
                returned.open()
                return .stop
            }
            .on(Tracked.self) { _ in throw Numbered(9) }
        var configuration = configuration()
        configuration.lastResort = LastResort { lines.note($0) }
        var bus = await withErrorBus(handler: handler, configuration: configuration) { bus in
            weak var tracked: Tracked?
            do {
                let error = Tracked()
                tracked = error
                bus.post(error)
            }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(30))
            if isLate { return bus }
            await eventually("both failures are delivered") { failures.entries.count >= 2 }
            gate.open()
            await returned.wait()
            await eventually("the abandoned action's task has ended and released its error") { tracked == nil }
            return bus
        }
        gate.open()
        await returned.wait()
        await becomesOnlyReference(to: &bus)
        expect(failures.entries, equals: ["Numbered", "ActionTimeLimitExceeded"])
        expect(lines.entries, equals: [])
    }

    @Test("its task is cancelled, so an action that honors cancellation ends")
    func cancelled() async {
        let ended = Gate()
        let handler = ErrorHandler().on(Numbered(1)) { [gate] _ in
            defer { ended.open() }
            try await gate.waitUnlessCancelled()
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler, configuration: configuration()) { bus in
            bus.post(Numbered(1))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(31))
            await ended.wait()
        }
        // The only failure is the exceeded limit: the cancelled action's error doesn't count.
        expect(
            recorded.matches(of: .type(ActionFailure.self)).map { "\(type(of: $0.error))" },
            equals: ["ActionTimeLimitExceeded"])
    }

    @Test(
        "an action within its limit, or without a limit, isn't cut off, even if the previous one took most of the time")
    func withinLimit() async {
        let entered = Gate()
        let firstGate = Gate()
        let handler = ErrorHandler()
            .on(Numbered(1)) { _ in
                await firstGate.wait()
                return .stop
            }
            .on(Numbered(2)) { [gate] _ in
                entered.open()
                await gate.wait()
                return .stop
            }
        let recorded = await withRecordedErrors(handler: handler, configuration: configuration()) { bus in
            bus.post(Numbered(1))
            bus.post(Numbered(2))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(20))
            firstGate.open()
            await entered.wait()
            // The watchdog wakes at 30 for the first action. The second action has been running for only 10.
            clock.advance(by: .seconds(10))
            await clock.waitForSleepers()
            gate.open()
        }
        expect(recorded.statistics.actionFailures, equals: 0)
        expect(recorded.statistics.handled, equals: 2)

        let (begun, slowGate) = (Gate(), Gate())
        let slow = ErrorHandler.hanging(at: slowGate, entered: begun)
        let unlimited = await withRecordedErrors(handler: slow, configuration: configuration(limit: nil)) { bus in
            bus.post(Numbered(1))
            await begun.wait()
            clock.advance(by: .seconds(1_000_000))
            slowGate.open()
        }
        expect(unlimited.statistics.actionFailures, equals: 0)
    }
}

extension BusTimeLimitTests {
    @Test(
        "an action's cancellation handler that hangs delays neither the next reports nor a shutdown",
        .tags(.promise16), arguments: [false, true])
    func slowCancellationHandler(isShutdown: Bool) async {
        let (entered, next, cancelled, left) = (Gate(), Gate(), Gate(), Gate())
        let leave = DispatchSemaphore(value: 0)
        let handler = ErrorHandler()
            .on(Numbered(2)) { _ in
                next.open()
                return .stop
            }
            .on(Numbered(1)) { [gate] _ in
                entered.open()
                await withTaskCancellationHandler {
                    await gate.wait()
                } onCancel: {
                    cancelled.open()
                    // Only a bus that waits for this handler would use up this time.
                    _ = leave.wait(timeout: .now() + 300)
                    left.open()
                }
                return .stop
            }
        let bus = ErrorBus(handler: handler, configuration: configuration())
        async let running: Void = bus.run()
        for number in 1...2 { bus.post(Numbered(number)) }
        await entered.wait()
        if isShutdown {
            expect(await bus.shutdown(within: .zero).count, equals: 2)
        } else {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(30))
            await next.wait()
            bus.finish()
        }
        await cancelled.wait()
        #expect(!left.isOpen)
        await running
        leave.signal()
        gate.open()
        await left.wait()
    }
}
