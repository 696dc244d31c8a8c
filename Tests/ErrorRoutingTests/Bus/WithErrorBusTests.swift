import Dispatch
import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 15: withErrorBus returns when its tasks have ended and every error is delivered",
    .tags(.promise15), .hangLimit)
struct WithErrorBusTests {}

extension WithErrorBusTests {
    @Test("it binds the current bus for the body and all tasks that the body starts")
    func bindsCurrent() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            #expect(ErrorBus.current === bus)
            await Task { #expect(ErrorBus.current === bus) }.value
            async let child = ErrorBus.current === bus
            #expect(await child)
        }
        expectNil(ErrorBus.current)
    }

    @Test(
        "it returns only when its tasks, even those that tasks and actions start, have ended and all is delivered")
    func waitsForTasks() async {
        let journal = Journal<Int>()
        let gate = Gate()
        let handler = ErrorHandler.noting(journal).on(Numbered(1)) { _ in
            gate.open()
            return .next
        }
        await withErrorBus(handler: handler) { bus in
            bus.task {
                bus.task {
                    await gate.wait()
                    throw Numbered(2)
                }
                throw Numbered(1)
            }
        }
        expect(journal.entries, equals: [1, 2])

        // This includes tasks that actions start while it drains, even for errors of such tasks.
        let other = Journal<Int>()
        let starting = ErrorHandler.noting(other).on(Numbered.self) { error in
            guard error.number < 4, let bus = ErrorBus.current else { return .next }
            await eventually("the task that threw error \(error.number) has ended") { bus.tasks.haveEnded == true }
            bus.task { throw Numbered(error.number + 1) }
            return .next
        }
        await withErrorBus(handler: starting) { bus in bus.post(Numbered(1)) }
        expect(other.entries, equals: [1, 2, 3, 4])
    }

    @Test(
        "it throws the body's typed error; an error or a cancellation cancels its tasks, whose errors are delivered"
    )
    func throwingBody() async {
        let journal = Journal<Int>()
        let gate = Gate()
        await #expect(throws: Numbered(1)) {
            try await withErrorBus(handler: .noting(journal)) { bus async throws(Numbered) in
                bus.task {
                    do { try await gate.waitUnlessCancelled() } catch { throw Numbered(2) }
                }
                throw Numbered(1)
            }
        }
        // The body's own error is thrown to the caller and isn't posted.
        expect(journal.entries, equals: [2])

        let other = Journal<Int>()
        let (started, never) = (Gate(), Gate())
        let root = Task {
            await withErrorBus(handler: .noting(other)) { bus in
                _ = bus.task {
                    started.open()
                    do { try await never.waitUnlessCancelled() } catch { throw Numbered(1) }
                }
            }
        }
        await started.wait()
        root.cancel()
        await root.value
        expect(other.entries, equals: [1])
    }

    @Test("the body can finish the bus, and a shutdown in the body returns the report that hangs")
    func shutdownInBody() async {
        let gate = Gate()
        let handler = ErrorHandler.hanging(on: 1, at: gate)
        let left = await withErrorBus(handler: handler) { bus in
            bus.post(Numbered(1))
            bus.post(Numbered(2))
            return await bus.shutdown(within: .zero)
        }
        expect(left.compactMap { ($0.error as? Numbered)?.number }, equals: [1, 2])
        gate.open()
    }

    @Test(
        "cancelling run finishes and drains; run of a finished bus with nothing to deliver returns immediately")
    func cancellingRun() async {
        let journal = Journal<Int>()
        let bus = ErrorBus(handler: .noting(journal))
        for number in 0..<100 { bus.post(Numbered(number)) }
        let run = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await bus.run()
        }
        await run.value
        expect(journal.entries, equals: Array(0..<100))
        expect(bus.statistics.pending, equals: 0)

        let other = ErrorBus(handler: ErrorHandler())
        other.finish()
        other.finish()
        await other.run()
        expect(other.statistics, equals: ErrorBus.Statistics())
    }

    // Run in a separate process: the test blocks a thread of the pool.
    @Test("a task that an observer starts for the last report is awaited, and the task's error is delivered")
    func taskOfAnObserver() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave, journal) = (Gate(), DispatchSemaphore(value: 0), Journal<Int>())
            let bus = Locked<ErrorBus?>(nil)
            let ends = Task {
                await withErrorBus(handler: .noting(journal)) { started in
                    bus.withLock { $0 = started }
                    started.observeUntilEnd { report in
                        guard report.error as? Numbered == Numbered(1) else { return }
                        entered.open()
                        leave.wait()
                        ErrorBus.current?.task { throw Numbered(2) }
                    }
                    started.post(Numbered(1))
                }
            }
            await entered.wait()
            guard let bus = bus.withLock({ $0 }) else { return #expect(Bool(false), "no bus") }
            while bus.statistics.pending > 0 { yieldToOtherThreads() }
            // Yield, so that a bus that ends too early has time to do so. The code after the body only waits meanwhile, so
            // it changes no state that a test could wait for.
            for _ in 0..<200 where !bus.storage.isClosed { yieldToOtherThreads() }
            leave.signal()
            await ends.value
            expect(journal.entries, equals: [1, 2])
        }
    }

    @Test(
        "at the drain time limit other reports are dropped, counted, and sent to the last resort; before, none are")
    func drainTimeLimit() async {
        let lines = Journal<String>()
        let (clock, entered, gate) = (ManualClock(), Gate(), Gate())
        let handler = ErrorHandler().on(Numbered.self) { error in
            if error.number == 2 {
                entered.open()
                await gate.wait()
            }
            return .stop
        }
        let configuration = ErrorBus.Configuration(
            actionTimeLimit: nil, clock: clock, drainTimeLimit: .seconds(5), lastResort: LastResort { lines.note($0) })
        let statistics = Journal<ErrorBus.Statistics>()
        let observation = Locked<ErrorObservation?>(nil)
        let ends = Task {
            await withErrorBus(handler: handler, configuration: configuration) { bus in
                observation.withLock { $0 = bus.observe({ _ in }, onEnd: { statistics.note($0) }) }
                bus.task { await entered.wait() }
                for number in 1...4 { bus.post(Numbered(number)) }
            }
        }
        await entered.wait()
        await clock.waitForSleepers()
        expect(lines.entries, equals: [])
        clock.advance(by: .seconds(5))
        await ends.value
        gate.open()
        expect(lines.entries.count, equals: 3)
        let reason = "it was not delivered within the drain time limit of 5.0 seconds"
        #expect(lines.entries.allSatisfy { $0.contains(reason) })
        let end = statistics.entries.first
        expect(end?.handled, equals: 1)
        expect(end?.dropped, equals: 3)
        expect(end?.pending, equals: 0)
        expect(end?.isBalanced, equals: true)

        let delivered = Journal<Int>()
        let inTime = ErrorBus.Configuration(clock: ManualClock(), drainTimeLimit: .seconds(5))
        await withErrorBus(handler: .noting(delivered), configuration: inTime) { bus in
            for number in 1...100 { bus.post(Numbered(number)) }
        }
        expect(delivered.entries, equals: Array(1...100))
    }

    @Test("the drain time limit applies until the end, even if another caller finishes the bus while it drains")
    func finishedByAnother() async {
        let lines = Journal<String>()
        let (clock, gate, second, end) = (ManualClock(), Gate(), Gate(), Gate())
        let handler = ErrorHandler()
            .on(Numbered(1)) { _ in
                await gate.wait()
                ErrorBus.current?.task {
                    ErrorBus.current?.post(Numbered(2))
                    ErrorBus.current?.finish()
                }
                return .stop
            }
            .on(Numbered(2)) { _ in
                await eventually("the task that finished the bus has ended") {
                    ErrorBus.current?.tasks.haveEnded == true
                }
                second.open()
                await end.wait()
                return .stop
            }
        let configuration = ErrorBus.Configuration(
            actionTimeLimit: nil, clock: clock, drainTimeLimit: .seconds(5), lastResort: LastResort { lines.note($0) })
        let ends = Task {
            await withErrorBus(handler: handler, configuration: configuration) { $0.post(Numbered(1)) }
        }
        await clock.waitForSleepers()
        gate.open()
        await second.wait()
        // The end of the task lets the code after the body continue, which must not drop the limit although the bus is
        // finished. Let it run: it only waits for the bus's end, so it changes no state that a test could wait for.
        for _ in 0..<100 { await Task.yield() }
        clock.advance(by: .seconds(5))
        await ends.value
        expect(lines.entries.count, equals: 1)
        expect(lines.entries.first?.contains("Numbered(number: 2)"), equals: true)
        end.open()
    }
}
