import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 15: withErrorBus returns when its tasks have ended and everything is delivered, and it always returns",
    .tags(.promise15), .hangLimit)
struct EndTests {}

extension EndTests {
    /// Rules that post the next number whenever they handle a number, and that note the handled numbers.
    private static func continuing(_ handled: Log<Int>) -> ErrorHandler {
        ErrorHandler().on(Mishap.self) { error in
            handled.add(error.number)
            ErrorBus.current?.post(Mishap(error.number + 1))
            return .stop
        }
    }

    private static func noting(_ handled: Log<Int>) -> ErrorHandler {
        ErrorHandler().on(Mishap.self) { error in
            handled.add(error.number)
            return .stop
        }
    }

    @Test("it waits for tasks, for tasks that tasks and actions start, and for the errors of these tasks")
    func waitsForTasks() async {
        let (handled, leave) = (Log<Int>(), Gate())
        let handler = Self.noting(handled).on(Mishap.self) { error in
            if error.number == 1 { leave.open() }
            if (2..<5).contains(error.number) {
                await Task.yield()
                ErrorBus.current?.task { throw Mishap(error.number + 1) }
            }
            return .next
        }
        let bus = await withErrorBus(handler: handler) { bus in
            #expect(ErrorBus.current === bus)
            bus.task {
                bus.task {
                    await leave.wait()
                    throw Mishap(2)
                }
                throw Mishap(1)
            }
            return bus
        }
        expectNil(ErrorBus.current)
        expect(handled.entries, equals: [1, 2, 3, 4, 5])
        expect(bus.counts, equals: Counts(posted: 5, handled: 5))
    }

    @Test("a body that throws, or a cancelled caller, cancels the tasks and still waits for them and their errors")
    func cancelsTasks() async {
        for isThrowing in [true, false] {
            let (handled, started) = (Log<Int>(), Gate())
            let caller = Task {
                try await withErrorBus(handler: Self.noting(handled)) { bus in
                    bus.task {
                        started.open()
                        do { try await Gate().waitUnlessCancelled() } catch { throw Mishap(2) }
                    }
                    if isThrowing { throw Mishap(1) }
                    return bus
                }
            }
            if !isThrowing {
                await started.wait()
                caller.cancel()
            }
            var thrown: (any Error)?
            do { _ = try await caller.value } catch { thrown = error }
            expect(thrown as? Mishap, equals: isThrowing ? Mishap(1) : nil)
            // The body's own error isn't posted.
            expect(handled.entries, equals: [2])
        }
    }

    @Test("it ends although every action posts another error, and accepts about as many as the capacity")
    func endlessPosts() async {
        let handled = Log<Int>()
        let configuration = ErrorBus.Configuration(capacity: 8, lastResort: LastResort { _ in })
        let bus = await withErrorBus(handler: Self.continuing(handled), configuration: configuration) { bus in
            bus.post(Mishap(1))
            return bus
        }
        // Each accepted post is delivered, in order. How many posts were delivered before the tasks ended is undefined.
        #expect(handled.count > 1)
        expect(handled.entries, equals: Array(1...handled.count))
        expect(bus.counts, equals: Counts(posted: handled.count + 1, handled: handled.count, dropped: 1))
    }

    @Test("after a cancellation it accepts no posts once body and tasks have ended")
    func cancelledWhilePosting() async {
        let (handled, begun) = (Log<Int>(), Gate())
        let caller = Task {
            await withErrorBus(handler: Self.continuing(handled)) { bus in
                begun.open()
                await eventually("the body is cancelled") { Task.isCancelled }
                bus.post(Mishap(1))
                return bus
            }
        }
        await begun.wait()
        caller.cancel()
        let counts = await caller.value.counts
        expect(handled.entries.first, equals: 1)
        expect(counts.dropped, equals: 1)
        expect(counts.pending, equals: 0)
        #expect(counts.isBalanced)
    }

    @Test("at the drain time limit the remaining reports count as dropped, and each of them is one last-resort line")
    func drainTimeLimit() async {
        let (hanging, clock, lines) = (Hanging(), ManualClock(), Log<ErrorReport>())
        let configuration = ErrorBus.Configuration(
            actionTimeLimit: nil, clock: clock, drainTimeLimit: .seconds(5),
            lastResort: LastResort(reports: { report, _ in lines.add(report) }))
        let caller = Task {
            await withErrorBus(handler: hanging.handler, configuration: configuration) { bus in
                for number in 0...3 { bus.post(Mishap(number)) }
                return bus
            }
        }
        await hanging.entered.wait()
        await clock.waitForSleepers()
        expect(lines.count, equals: 0)
        clock.advance(by: .seconds(5))
        let bus = await caller.value
        hanging.leave.open()
        await hanging.left.wait()
        expect(lines.entries.labels, equals: ["1", "2", "3"])
        expect(bus.counts, equals: Counts(posted: 4, handled: 1, dropped: 3))
        expect(hanging.later.entries, equals: [0])
    }

    @Test("cancelling run finishes and drains; a second run waits for the same end, a later one returns immediately")
    func runs() async {
        let hanging = Hanging()
        let stage = Stage(hanging.handler)
        stage.post(1...3)
        let runs = (1...2).map { _ in Task { await stage.bus.run() } }
        await hanging.entered.wait()
        runs[0].cancel()
        await eventually("the cancelled run has finished the bus") { stage.bus.description.contains("(finished)") }
        stage.post(4...4)
        hanging.leave.open()
        for run in runs { await run.value }
        await stage.bus.run()
        expect(stage.seen.entries.labels, equals: ["1", "2", "3"])
        expect(stage.lines.entries.labels, equals: ["4"])
        expect(stage.bus.counts, equals: Counts(posted: 4, handled: 3, dropped: 1))
        stage.expectLaws()
    }

    @Test("a shutdown in the body returns the hanging report, and when the body ends, nothing is left to deliver")
    func shutdownInTheBody() async {
        let hanging = Hanging()
        let left = await withErrorBus(handler: hanging.handler) { bus in
            for number in 1...2 { bus.post(Mishap(number)) }
            await hanging.entered.wait()
            return await bus.shutdown(within: .zero)
        }
        expect(left.labels, equals: ["1", "2"])
        hanging.leave.open()
        await hanging.left.wait()
    }

    @Test("a bus that is discarded before it ran writes each pending error once")
    func discarded() async {
        let lines = Log<ErrorReport>()
        var bus: ErrorBus? = ErrorBus(
            handler: ErrorHandler(),
            configuration: .init(lastResort: LastResort(reports: { report, _ in lines.add(report) })))
        for number in 1...3 { bus?.post(Mishap(number)) }
        bus = nil
        expectNil(bus)
        expect(lines.entries.labels, equals: ["1", "2", "3"])
    }
}
