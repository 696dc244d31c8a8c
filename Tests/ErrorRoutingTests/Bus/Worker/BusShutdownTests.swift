import Dispatch
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 4 and 16: shutdown waits until its deadline, returns undelivered reports, and loses none",
    .tags(.promise4, .promise16), .hangLimit)
struct BusShutdownTests {}

extension BusShutdownTests {
    @Test("shutdown waits for delivery, and returns no reports if all were delivered in time")
    func inTime() async {
        let journal = Journal<Int>()
        let bus = ErrorBus(handler: .noting(journal), configuration: .init(clock: ManualClock()))
        for number in 0..<100 { bus.post(Numbered(number)) }
        async let running: Void = bus.run()
        #expect(await bus.shutdown(within: .seconds(1)).isEmpty)
        await running
        expect(journal.entries, equals: Array(0..<100))
    }

    @Test("at the deadline shutdown returns the report in flight first, then the others, all counted as dropped")
    func atTheDeadline() async {
        let fixture = Fixture()
        let bus = fixture.bus
        let reports = bus.reports()
        for number in 1...3 { bus.post(Numbered(number)) }
        async let running: Void = bus.run()
        await fixture.entered.wait()
        async let left = bus.shutdown(within: .seconds(5))
        await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(5))
        expect(await left.map(\.error) as? [Numbered], equals: [Numbered(1), Numbered(2), Numbered(3)])
        await running
        expect(bus.statistics.dropped, equals: 3)
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 0)

        // The action's remaining work doesn't change a counter, an observer, or an outcome.
        let before = bus.statistics
        // The action is cancelled last, after every waiting caller and observer was notified of the end.
        await fixture.cancelled.wait()
        fixture.gate.open()
        await fixture.left.wait()
        #expect(await reports.collected().isEmpty)
        expect(bus.statistics, equals: before)
        expect(fixture.journal.entries, equals: ["cancelled"])
    }

    @Test("deliver returns .dropped if shutdown cuts its report off")
    func waitersAreNotified() async {
        let fixture = Fixture()
        async let running: Void = fixture.bus.run()
        async let inFlight = fixture.bus.deliver(Numbered(1))
        await fixture.entered.wait()
        async let queued = fixture.bus.deliver(Numbered(2))
        // The first report is in delivery. A report that isn't complete yet would be refused, and not returned.
        await eventually("the queued report is complete") { fixture.bus.storage.hasReport(at: 1) }
        expect(await fixture.bus.shutdown(within: .zero).count, equals: 2)
        expect(await inFlight.disposition, equals: .dropped)
        expect(await queued.disposition, equals: .dropped)
        await running
        fixture.gate.open()
    }

    // Run in a separate process: the test blocks a thread of the pool.
    @Test("if an observer is receiving a report at the deadline, the bus ends after that; no further rule runs")
    func whileAnObserverReceives() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave, ended) = (Gate(), DispatchSemaphore(value: 0), Gate())
            let (handled, seen, ends) = (Journal<Int>(), Journal<UInt64>(), Journal<ErrorBus.Statistics>())
            let bus = ErrorBus(handler: .noting(handled))
            let observation = bus.observe { report in
                entered.open()
                leave.wait()
                seen.note(report.sequence)
            } onEnd: {
                ends.note($0)
            }
            for number in 1...3 { bus.post(Numbered(number)) }
            async let running: Void = bus.run()
            let end = Task {
                await bus.ended.value
                ended.open()
            }
            await entered.wait()
            expect(await bus.shutdown(within: .zero).map(\.error) as? [Numbered], equals: [Numbered(2), Numbered(3)])
            // No observer or waiter has been notified of the end yet.
            expect(seen.entries, equals: [])
            expect(ends.entries, equals: [])
            #expect(bus.ended.valueIfFulfilled == nil)
            leave.signal()
            await ended.wait()
            await running
            await end.value
            expect(handled.entries, equals: [1])
            expect(seen.entries, equals: [1])
            expect(ends.entries.map { [$0.handled, $0.dropped, $0.pending] }, equals: [[1, 2, 0]])
            withExtendedLifetime(observation) {}
        }
    }

    @Test("the caller's cancellation doesn't shorten the time")
    func cancelledCaller() async {
        let fixture = Fixture()
        let bus = fixture.bus
        bus.post(Numbered(1))
        async let running: Void = bus.run()
        await fixture.entered.wait()
        let shutdown = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await bus.shutdown(within: .seconds(5))
        }
        await fixture.clock.waitForSleepers()
        expect(bus.statistics.pending, equals: 1)
        // The shutdown is still waiting, so opening the gate lets the report through.
        fixture.gate.open()
        #expect(await shutdown.value.isEmpty)
        await running
        expect(bus.statistics.handled, equals: 1)
    }

    /// An error whose description blocks the caller's thread.
    private struct Talkative: Error, CustomStringConvertible {
        let described: Gate
        let answer: DispatchSemaphore

        var description: String {
            described.open()
            // Signal again, so that a later caller continues too.
            answer.wait()
            answer.signal()
            return "talkative"
        }
    }

    @Test("a shutdown returns the reports that it removed, even if another shutdown ends before it")
    func returnedWhereItWasRemoved() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            for isInSlot in [true, false] {
                // Wait: otherwise the process could end before the action does, and its objects would count as leaked.
                await Self.abortTwice(isInSlot: isInSlot).wait()
            }
        }
        // The earlier failure is reported once.
        expect(result.standardErrorText.components(separatedBy: "failed with talkative").count, equals: 3)
    }

    /// Shuts a bus down twice while an action hangs and an earlier action has thrown.
    ///
    /// - Returns: A gate that opens once nothing retains the report's error.
    private static func abortTwice(isInSlot: Bool) async -> Gate {
        let (entered, gate, described, returned, freed) = (Gate(), Gate(), Gate(), Gate(), Gate())
        let answer = DispatchSemaphore(value: 0)
        let handler = ErrorHandler()
            .on(Freed.self) { _ in
                entered.open()
                await gate.wait()
                return .stop
            }
            .on(Freed.self) { _ in throw Talkative(described: described, answer: answer) }
        let bus = ErrorBus(handler: handler, configuration: configuration(isInSlot: isInSlot))
        bus.post(Freed(freed), line: 1)
        for number in 2...3 { bus.post(Numbered(number), line: UInt(number)) }
        if !isInSlot { bus.finish() }
        async let running: Void = bus.run()
        await entered.wait()
        // This shutdown removes three reports, and blocks while it writes the failure to standard error.
        let first = Task { @concurrent in
            let reports = await bus.shutdown(within: .zero)
            returned.open()
            return reports
        }
        await described.wait()
        // The second shutdown doesn't find reports to remove, and doesn't end the bus: the first shutdown would return
        // without its reports.
        let second = Task { @concurrent in await bus.shutdown(within: .zero) }
        #expect(await second.value.isEmpty)
        expectNil(bus.ended.valueIfFulfilled)
        #expect(!returned.isOpen)
        answer.signal()
        expect(await first.value.count, equals: 3)
        await running
        expect(bus.statistics, equals: .init(posted: 3, dropped: 3, actionFailures: 1))
        gate.open()
        return freed
    }

    /// An error that opens a gate when it is deallocated.
    private final class Freed: Error {
        private let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        deinit { gate.open() }
    }

    /// If a flood limit has held a report until the end, the report isn't in a slot.
    static func configuration(isInSlot: Bool) -> ErrorBus.Configuration {
        .init(floodLimit: isInSlot ? nil : FloodLimit(first: 0, per: .seconds(3_600)))
    }

    private final class Tracked: Error {}

    /// An error that blocks the worker that deallocates it.
    private final class Blocking: Error {
        let entered: Gate
        let leave: DispatchSemaphore

        init(_ entered: Gate, _ leave: DispatchSemaphore) { (self.entered, self.leave) = (entered, leave) }

        deinit {
            entered.open()
            leave.wait()
        }
    }

    // Run in a separate process: the test blocks a thread of the pool.
    @Test("a report removed before the worker has begun it is released, although that worker is cancelled")
    func releasedUnbegun() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave, tracked) = (Gate(), DispatchSemaphore(value: 0), Locked(Weak<Tracked>(nil)))
            let handler = ErrorHandler()
                .on(Numbered.self) { _ in
                    let thrown = Tracked()
                    tracked.withLock { $0 = Weak(thrown) }
                    throw thrown
                }
                .on(Numbered.self) { _ in throw Blocking(entered, leave) }
                .on(ActionFailure.self) { _ in .stop }
            let bus = ErrorBus(handler: handler)
            bus.post(Numbered(1))
            async let running: Void = bus.run()
            // The worker has reached the second failure's notice, and is releasing the first failure's notice.
            await entered.wait()
            expect(await bus.shutdown(within: .zero).count, equals: 1)
            await running
            leave.signal()
            await eventually("the removed report's failure is deallocated") { tracked.withLock { $0.object } == nil }
        }
    }

    /// An object that owns a bus.
    private final class Owner: Sendable {
        let bus: ErrorBus

        init(_ bus: ErrorBus) { self.bus = bus }
    }

    private struct Owned: Error {
        let owner: Owner
    }

    @Test(
        "a bus is released after a shutdown that interrupts a report, although the report retains the bus's owner",
        arguments: [true, false])
    func interruptedReportRetainsOwner(isRetainedByScope: Bool) async {
        let (entered, leave) = (Gate(), Gate())
        let waiting = ErrorHandler().on(Owned.self) { _ in
            entered.open()
            await leave.wait()
            return .stop
        }
        weak var released: ErrorBus?
        do {
            let owner = Owner(ErrorBus(handler: waiting))
            released = owner.bus
            if isRetainedByScope {
                let rules = ErrorHandler().on(Numbered.self) { _ in
                    entered.open()
                    await leave.wait()
                    return withExtendedLifetime(owner) { .stop }
                }
                owner.bus.scope("owned", handler: rules).post(Numbered(1))
            } else {
                owner.bus.post(Owned(owner: owner))
            }
            let running = Task { await owner.bus.run() }
            await entered.wait()
            expect(await owner.bus.shutdown(within: .zero).count, equals: 1)
            await running.value
            leave.open()
        }
        await eventually("the bus is deallocated") { released == nil }
    }

    /// A bus on a test clock whose action on error 1 hangs until the gate opens.
    private struct Fixture {
        let clock = ManualClock()
        let entered = Gate()
        let gate = Gate()
        let left = Gate()
        let cancelled = Gate()
        let journal = Journal<String>()
        let bus: ErrorBus

        init() {
            let handler = ErrorHandler()
                .always { [journal] _ in
                    journal.note("always")
                    return .next
                }
                .on(Numbered(1)) { [entered, gate, left, cancelled, journal] _ in
                    entered.open()
                    await withTaskCancellationHandler {
                        await gate.wait()
                    } onCancel: {
                        cancelled.open()
                    }
                    if Task.isCancelled { journal.note("cancelled") }
                    left.open()
                    return .next
                }
            bus = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil, clock: clock))
        }
    }
}
