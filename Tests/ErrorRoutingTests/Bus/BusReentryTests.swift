import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 12, 15, and 16: a bus ends in order, whatever its actions start or cancel",
    .tags(.promise12, .promise15, .promise16), .hangLimit)
struct BusReentryTests {}

extension BusReentryTests {
    /// This test detects a deadlock or endless recursion by calling every method of a bus within an action.
    @Test("an action can post, deliver, observe, explain, handle again, finish, and shut down")
    func everyCallAtOnce() async {
        let journal = Journal<String>()
        let handler = ErrorHandler()
            .onNoMatch { error in
                journal.note("no match \(type(of: error))")
                return .stop
            }
            .on(Numbered.self) { error, report in
                guard let bus = ErrorBus.current else { return .stop }
                let observer = bus.reports(bufferingNewest: 1)
                bus.post(Numbered(error.number - 1))
                _ = await bus.deliver(Numbered(error.number - 1))
                bus.catching { throw Numbered(error.number - 1) }
                bus.task { throw Numbered(error.number - 2) }
                _ = bus.statistics
                _ = bus.handler.explain(error)
                await bus.handler.overlaid(with: ErrorHandler().on(Numbered.self) { _ in .stop }).handle(report)
                await withErrorBus(handler: .logging { _, _ in journal.note("inner") }) { inner in
                    inner.post(error)
                    _ = await bus.deliver(error)
                }
                if error.number <= 0 {
                    bus.finish()
                    _ = await bus.shutdown(within: .seconds(3_600))
                    bus.finish()
                }
                withExtendedLifetime(observer) {}
                throw Numbered(error.number - 1)
            }
        let configuration = ErrorBus.Configuration(
            capacity: 64, clock: ManualClock(), lastResort: LastResort { _ in })
        let bus = ErrorBus(handler: handler, configuration: configuration)
        let reports = bus.reports()
        bus.post(Numbered(2))
        await bus.run()
        expect(bus.statistics.pending, equals: 0)
        #expect(bus.statistics.isBalanced)
        #expect(bus.statistics.actionFailures > 0)
        #expect(journal.entries.contains("inner") && journal.entries.contains("no match ActionFailure"))
        // This returns only if the streams have ended.
        _ = await reports.collected()
        await bus.tasks.waitForAll()
    }

    @Test("a task that an action started no longer counts as inside the action once the action has ended")
    func tasksThatOutliveTheirAction() async {
        let (after, done) = (Gate(), Gate())
        let journal = Journal<HandleOutcome.Disposition>()
        let handler = ErrorHandler()
            .on(Numbered(1)) { _ in
                guard let bus = ErrorBus.current else { return .stop }
                await Task.yield()
                Task {
                    await after.wait()
                    journal.note(await bus.deliver(Numbered(2)).disposition)
                    done.open()
                }
                return .stop
            }
            .on(Numbered(2)) { _ in .stop }
        await withErrorBus(handler: handler) { bus in
            await bus.deliver(Numbered(1))
            after.open()
            await done.wait()
        }
        expect(journal.entries, equals: [.handled])
    }

    @Test("no action begins once a shutdown has removed its report")
    func noActionAfterShutdown() async {
        let journal = Journal<String>()
        for isAsynchronous in [false, true] {
            let (leave, entered, left) = (DispatchSemaphore(value: 0), Gate(), Gate())
            let slow = ErrorMatcher.predicate { _ in
                entered.open()
                leave.wait()
                left.open()
                return true
            }
            let handler =
                isAsynchronous
                ? ErrorHandler().on(matching: slow) { _ in
                    await Task.yield()
                    journal.note("runs")
                    return .stop
                }
                : ErrorHandler().on(matching: slow) { _ in
                    journal.note("runs")
                    return .stop
                }
            var bus = ErrorBus(handler: handler)
            bus.post(Numbered(1))
            let running = Task { [bus] in await bus.run() }
            await entered.wait()
            expect(await bus.shutdown(within: .zero).count, equals: 1)
            await running.value
            leave.signal()
            await left.wait()
            // An action that the worker has begun is noted by then.
            await becomesOnlyReference(to: &bus)
        }
        #expect(journal.entries.isEmpty)
    }

    @Test("reports that a shutdown inside an action cuts off are dropped, and are written before run returns")
    func cutOffInside() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let (clock, gate) = (ManualClock(), Gate())
            let handler = ErrorHandler().on(Numbered.self) { _ in
                _ = await ErrorBus.current?.shutdown(within: .seconds(5))
                await gate.wait()
                return .stop
            }
            var bus: ErrorBus? = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil, clock: clock))
            let watched = Weak(bus)
            for number in 0..<20 { bus?.post(Numbered(number)) }
            let running = Task { [bus] in await bus?.run() }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
            await running.value
            expect(bus?.statistics, equals: .init(posted: 20, dropped: 20))
            FileHandle.standardError.write(Data("run has returned\n".utf8))
            bus = nil
            gate.open()
            // Wait until the action has ended: otherwise the leak sanitizer would report it.
            await eventually("the action has ended and released the bus") { watched.object == nil }
        }
        let lines = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        let before = lines.split(separator: "\n").prefix { $0 != "run has returned" }
        expect(before.count, equals: 20)
    }

    @Test("an error whose deinit posts is never released under a lock, neither the bus's nor an observer's")
    func errorsThatPostAtTheirEnd() async {
        final class Noisy: Error {
            let bus: ErrorBus
            init(_ bus: ErrorBus) { self.bus = bus }
            deinit { bus.post(Numbered(9)) }
        }
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 1))
        bus.post(Numbered(1))
        for _ in 0..<3 { bus.post(Noisy(bus)) }
        let running = Task { await bus.run() }
        await eventually("the reports and the notice of drops are delivered") { bus.statistics.pending == 0 }
        bus.post(Noisy(bus))
        await eventually("the last error and the errors of its end are delivered") { bus.statistics.pending == 0 }
        _ = await bus.shutdown(within: .zero)
        await running.value
        #expect(bus.statistics.isBalanced)

        let other = ErrorBus(handler: ErrorHandler())
        let reports = other.reports(matching: .type(Noisy.self), bufferingNewest: 1)
        for _ in 0..<5 { other.post(Noisy(other)) }
        let runningOther = Task { await other.run() }
        await eventually("the errors that the lost errors posted are delivered") { other.statistics.unmatched >= 9 }
        other.finish()
        await runningOther.value
        expect(await reports.collected().map(\.report.missed), equals: [4])
        #expect(other.statistics.isBalanced)
    }

    @Test(
        "an action that cancels its own task doesn't cancel the report's later actions, and doesn't run again",
        arguments: [false, true], [false, true]
    )
    func selfCancellingBeforeOthers(isAsynchronous: Bool, isThrowing: Bool) async {
        let (journal, failures) = (Journal<String>(), Journal<Int>())
        let cancel: @Sendable () throws -> HandleStrategy = {
            journal.note("cancels")
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            if isThrowing { throw Numbered(9) }
            return .next
        }
        let note: @Sendable (String) async -> HandleStrategy = { name in
            await Task.yield()
            journal.note("\(name) \(Task.isCancelled)")
            return .next
        }
        // The last-registered rule is tried first. Its action suspends.
        let base = ErrorHandler()
            .on(ActionFailure.self) { _ in
                failures.note(1)
                return .stop
            }
            .on(Numbered(1)) { _ in await note("second") }
            .on(Numbered(1)) { _ in .next }
            .on(Numbered(1)) { _ in await note("first") }
        let handler =
            isAsynchronous
            ? base.on(Numbered(1)) { _ in
                await Task.yield()
                return try cancel()
            }
            : base.on(Numbered(1)) { _ in try cancel() }
        let withFirst = handler.on(Numbered(1)) { _ in await note("before") }
        // While all tests run at the same time, a task that yields might take longer than the default limit to resume.
        await withErrorBus(handler: withFirst, configuration: .init(actionTimeLimit: nil)) { bus in
            await bus.deliver(Numbered(1))
            await bus.scope("inner", handler: handler).deliver(Numbered(1))
            // Here, no caller waits for an outcome.
            for _ in 0..<2 { bus.post(Numbered(1)) }
        }
        let once = ["before false", "cancels", "first false", "second false"]
        let scoped = ["cancels", "first false", "second false"] + once
        expect(journal.entries, equals: once + scoped + once + once)
        expect(failures.entries.count, equals: (isThrowing ? 5 : 0))
    }

    @Test(
        "if the last action cancels its own task, callers that wait for the end still return",
        arguments: [false, true], [false, true]
    )
    func lastActionCancelsItself(isAsynchronous: Bool, isObserved: Bool) async {
        let synchronous = ErrorHandler().on(Numbered(1)) { _ in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return .stop
        }
        let asynchronous = ErrorHandler().on(Numbered(1)) { _ in
            await Task.yield()
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return .stop
        }
        for _ in 0..<20 {
            let observed = Journal<Int>()
            await withErrorBus(handler: isAsynchronous ? asynchronous : synchronous) { bus in
                let observation = !isObserved ? nil : bus.observe { _ in observed.note(1) }
                bus.post(Numbered(1))
                // This also holds after the body has ended.
                bus.task {
                    await Task.yield()
                    bus.post(Numbered(1))
                    withExtendedLifetime(observation) {}
                }
            }
            #expect(observed.entries.count <= 2)
        }
    }

    @Test("if an action cancels its own task, a flood limit's window still ends on time")
    func cancelsItselfWhileHolding() async {
        let (clock, journal) = (ManualClock(), Journal<Int>())
        let handler = ErrorHandler().on(Numbered.self) { error in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            journal.note(error.number)
            return .stop
        }
        let limit = FloodLimit(first: 1, per: .seconds(10))
        await withErrorBus(handler: handler, configuration: .init(floodLimit: limit, clock: clock)) { bus in
            for number in 1...2 { bus.post(Numbered(number)) }
            await eventually("the first error's action has run") { journal.entries.count >= 1 }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
            await eventually("the held error's action has run") { journal.entries.count >= 2 }
        }
        expect(journal.entries, equals: [1, 2])
    }

    @Test("a limit beyond a clock's range has no effect; clocks that fail or ignore cancellation don't delay the end")
    func oddClocks() async {
        let forever = Duration.seconds(Int64.max)
        let yielding = ErrorHandler().on(Numbered.self) { _ in
            await Task.yield()
            return .stop
        }
        let bus = ErrorBus(handler: yielding, configuration: .init(actionTimeLimit: forever))
        bus.post(Numbered(1))
        async let running: Void = bus.run()
        #expect(await bus.shutdown(within: forever).isEmpty)
        await running
        expect(bus.statistics.handled, equals: 1)

        for clock in [OddClock(fails: false), OddClock(fails: true)] {
            let configuration = ErrorBus.Configuration(actionTimeLimit: .seconds(3_600), clock: clock)
            var bus: ErrorBus? = ErrorBus(handler: yielding, configuration: configuration)
            let watched = Weak(bus)
            bus?.post(Numbered(1))
            let running = Task { [bus] in await bus?.run() }
            expect(await bus?.shutdown(within: .seconds(3_600)).isEmpty, equals: true)
            await running.value
            expect(bus?.statistics.handled, equals: 1)
            bus = nil
            // A task that is still sleeping on the clock doesn't retain the bus.
            await eventually("only the clock still has the sleeping task") { watched.object == nil }
            clock.gate.open()
        }
    }
}

/// A clock whose sleeps fail, or last until a gate opens even if they are cancelled.
struct OddClock: Clock {
    let fails: Bool
    let gate = Gate()
    let now = ManualClock().now

    struct Broken: Error {}

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        if fails { throw Broken() }
        await gate.wait()
    }
}

extension BusReentryTests {
    /// An error that takes the bus's lock when its causes are read.
    private struct Looking: UnderlyingErrorsProviding {
        let bus: ErrorBus

        var underlyingErrors: [any Error] {
            _ = bus.statistics
            return []
        }
    }

    @Test("an error's causes aren't read under the bus's lock, not even for the notice of a failed action")
    func causesOutsideTheLock() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let failing = ErrorHandler().ignore(matching: .any).on(Looking.self) { _ in throw Numbered(1) }
            await withErrorBus(handler: failing) { bus in
                bus.post(Looking(bus: bus))
                _ = await bus.flush(within: .seconds(60))
                expect(bus.statistics.actionFailures, equals: 1)
            }
        }
    }
}
