import Dispatch
import ErrorRoutingTesting
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@Suite("flush waits until earlier posts are delivered, and doesn't finish the bus", .hangLimit)
struct BusFlushTests {}

extension BusFlushTests {
    private func withRunningBus(
        _ handler: ErrorHandler,
        _ configuration: ErrorBus.Configuration = .init(),
        _ body: (ErrorBus) async -> Void
    ) async {
        let bus = ErrorBus(handler: handler, configuration: configuration)
        async let running: Void = bus.run()
        await body(bus)
        bus.finish()
        await running
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 0)
    }

    @Test("when it returns, earlier posts are delivered, and the bus continues", arguments: [true, false])
    func delivered(isObserved: Bool) async {
        let journal = Journal<Int>()
        await withRunningBus(.noting(journal)) { bus in
            let reports = isObserved ? bus.reports(bufferingNewest: 1) : nil
            #expect(await bus.flush(within: .seconds(600)))
            for round in 0..<200 {
                for number in 0..<round { bus.post(Numbered(number)) }
                #expect(await bus.flush(within: .seconds(600)))
                expect(journal.entries.count, equals: round)
                journal.clear()
            }
            withExtendedLifetime(reports) {}
        }
    }

    @Test("several tasks flush at the same time, among posts from many tasks, and each finds its own posts delivered")
    func several() async {
        let count = Journal<Int>()
        await withRunningBus(.noting(count), .init(capacity: 1_000_000)) { bus in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for number in 1...300 {
                            bus.post(Numbered(number))
                            let posted = bus.statistics.posted
                            if number % 10 == 0 {
                                #expect(await bus.flush(within: .seconds(600)))
                                #expect(count.entries.count >= posted)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("reports held by a flood limit, and failures of earlier posts, are delivered before flush returns")
    func held() async {
        let journal = Journal<Int>()
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(10)), clock: ManualClock())
        await withRunningBus(.noting(journal), configuration) { bus in
            for number in 1...5 { bus.post(Numbered(number)) }
            async let isFlushed = bus.flush(within: .seconds(5))
            #expect(await isFlushed)
            expect(journal.entries, equals: [1, 5])
            expect(bus.statistics.suppressed, equals: 3)
            bus.post(Numbered(6), line: 1)
        }
        expect(journal.entries, equals: [1, 5, 6])

        let failures = Journal<String>()
        let handler = ErrorHandler()
            .on(ActionFailure.self) { _ in
                failures.note("failure")
                return .stop
            }
            .on(Numbered.self) { error in throw error }
        await withRunningBus(handler) { bus in
            for number in 1...3 { bus.post(Numbered(number)) }
            #expect(await bus.flush(within: .seconds(600)))
            expect(failures.entries.count, equals: 3)
        }
    }

    // Run in a separate process: the test blocks a thread of the pool.
    @Test("flush waits until observers have received the last report, which already counts as delivered")
    func observers() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            // A bus that is finished while the observer runs also ends only after the observer has returned.
            for isFinished in [false, true] {
                let (entered, leave, seen) = (Gate(), DispatchSemaphore(value: 0), Journal<UInt64>())
                let bus = ErrorBus(handler: ErrorHandler())
                let observation = bus.observe { report in
                    entered.open()
                    leave.wait()
                    seen.note(report.sequence)
                }
                async let running: Void = bus.run()
                bus.post(Numbered(1))
                await entered.wait()
                while bus.statistics.pending > 0 { yieldToOtherThreads() }
                if isFinished { bus.finish() }
                expect(await bus.flush(within: .zero), equals: false)
                let flush = bus.flushPromise()
                #expect(flush.valueIfFulfilled == nil)
                leave.signal()
                #expect(await flush.value)
                expect(seen.entries, equals: [1])
                bus.finish()
                await running
                observation.cancel()
            }
        }
    }

    // Run in a separate process: the test blocks a thread of the pool.
    @Test("an observer that blocks doesn't extend a flush's time limit")
    func blockedObserver() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (clock, acting, leaveAction) = (ManualClock(), Gate(), Gate())
            let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
            let handler = ErrorHandler().on(Numbered.self) { _ in
                acting.open()
                await leaveAction.wait()
                return .stop
            }
            let bus = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil, clock: clock))
            let observation = bus.observe { _ in
                entered.open()
                leave.wait()
            }
            async let running: Void = bus.run()
            bus.post(Numbered(1))
            await acting.wait()
            // The flush would return once the report is complete.
            async let isFlushed = bus.flush(within: .seconds(5))
            await clock.waitForSleepers()
            leaveAction.open()
            await entered.wait()
            clock.advance(by: .seconds(5))
            expect(await isFlushed, equals: false)
            leave.signal()
            bus.finish()
            await running
            observation.cancel()
        }
    }

    // Run in a separate process: the test blocks a thread of the pool.
    @Test("a flush wakes the readers of streams although the next action blocks")
    func readers() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let leave = DispatchSemaphore(value: 0)
            let bus = ErrorBus(
                handler: ErrorHandler().on(Numbered(2)) { _ in
                    leave.wait()
                    return .stop
                })
            let reports = bus.reports()
            let reader = Task {
                for await _ in reports { return true }
                return false
            }
            // Let the reader wait first: a reader that comes later wouldn't need to be woken, and the test would pass
            // without a check. Only the stream's buffer knows that a reader waits, and doesn't tell.
            for _ in 0..<100 { await Task.yield() }
            bus.post(Numbered(1))
            let flush = bus.flushPromise()
            bus.post(Numbered(2))
            async let running: Void = bus.run()
            expect(await flush.value, equals: true)
            #expect(await reader.value)
            leave.signal()
            bus.finish()
            await running
        }
    }

    // Run in a separate process: the test blocks a thread of the pool.
    @Test("even after a shutdown, an observer that blocks doesn't extend a flush's time limit")
    func blockedObserverAfterShutdown() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (clock, entered, leave) = (ManualClock(), Gate(), DispatchSemaphore(value: 0))
            let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(actionTimeLimit: nil, clock: clock))
            let observation = bus.observe { _ in
                entered.open()
                leave.wait()
            }
            async let running: Void = bus.run()
            bus.post(Numbered(1))
            await entered.wait()
            let unlimited = bus.flushPromise()
            let first = Task.detached { await bus.flush(within: .seconds(1)) }
            await clock.waitForSleepers()
            #expect(await bus.shutdown(within: .zero).isEmpty)
            let second = Task.detached { await bus.flush(within: .seconds(2)) }
            await clock.waitForSleepers(2)
            for flush in [first, second] {
                clock.advance(by: .seconds(1))
                expect(await flush.value, equals: false)
            }
            #expect(bus.ended.valueIfFulfilled == nil)
            leave.signal()
            // The shutdown hasn't removed any reports.
            expect(await unlimited.value, equals: true)
            await running
            observation.cancel()
        }
    }

    @Test(
        "it returns false at its time limit, if its caller is cancelled, and immediately in an action of the bus")
    func timeLimit() async {
        let clock = ManualClock()
        let gate = Gate()
        let handler = ErrorHandler.hanging(at: gate)
        await withRunningBus(handler, .init(actionTimeLimit: nil, clock: clock)) { bus in
            bus.post(Numbered(1))
            expect(await bus.flush(within: .zero), equals: false)
            async let isFlushed = bus.flush(within: .seconds(5))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
            expect(await isFlushed, equals: false)
            let cancelled = Task { await bus.flush(within: .seconds(5)) }
            await clock.waitForSleepers()
            cancelled.cancel()
            expect(await cancelled.value, equals: false)
            gate.open()
            #expect(await bus.flush(within: .seconds(600)))
        }

        let journal = Journal<Bool>()
        let flushing = ErrorHandler().on(Numbered.self) { _ in
            await journal.note(ErrorBus.current?.flush(within: .seconds(600)) ?? true)
            return .stop
        }
        await withErrorBus(handler: flushing) { $0.post(Numbered(1)) }
        expect(journal.entries, equals: [false])
    }

    @Test("flush returns false for a bus that never runs or is shut down meanwhile, and true for a bus that has ended")
    func ends() async {
        let clock = ManualClock()
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(clock: clock))
        #expect(await bus.flush(within: .zero))
        bus.post(Numbered(1))
        expect(await bus.flush(within: .zero), equals: false)
        async let isFlushed = bus.flush(within: .seconds(5))
        await clock.waitForSleepers()
        let left = await bus.shutdown(within: .zero)
        expect(left.count, equals: 1)
        expect(await isFlushed, equals: false)
        #expect(await bus.flush(within: .seconds(5)))
    }
}
