import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 20: a flood limit doesn't apply to notices, and releases held reports when the bus ends",
    .tags(.promise20), .hangLimit)
struct BusFloodEndTests {
    private let clock = ManualClock()

    private func configuration(capacity: Int = 100) -> ErrorBus.Configuration {
        .init(capacity: capacity, floodLimit: FloodLimit(first: 1, per: .seconds(10)), clock: clock)
    }
}

extension BusFloodEndTests {
    @Test("notices of failures and of drops aren't subject to the flood limit")
    func notices() async {
        let handler = ErrorHandler().on(Numbered.self) { error in throw error }
        let recorded = await withRecordedErrors(handler: handler, configuration: configuration()) { bus in
            for line in 1...5 { bus.post(Numbered(Int(line)), line: UInt(line)) }
        }
        recorded.expectReported(.type(ActionFailure.self), count: 5)
        #expect(recorded.reports.allSatisfy { $0.occurrences == 1 })
        expect(recorded.statistics.suppressed, equals: 0)

        let bus = ErrorBus(handler: ErrorHandler(), configuration: configuration(capacity: 1))
        var reports = bus.reports().makeAsyncIterator()
        let running = Task { await bus.run() }
        for round in 0..<3 {
            // A report in delivery takes no capacity, so each round's notice follows the first or the second report.
            var isNotice = false
            for number in 0..<50 { bus.post(Numbered(number), line: UInt(100 * round + number)) }
            while !isNotice { isNotice = await reports.next()?.error is ErrorsDropped }
            await eventually("the round's reports are delivered") { bus.statistics.pending == 0 }
        }
        bus.finish()
        await running.value
        expect(bus.statistics.suppressed, equals: 0)
        #expect(bus.statistics.isBalanced)
    }

    @Test("a held report is delivered at its window's end even if notices follow each other")
    func noticesWithoutEnd() async {
        let (journal, clock) = (Journal<Int>(), clock)
        let handler = ErrorHandler().on(Numbered.self) { error, report in
            journal.note(error.number)
            if report.role == .notice, let bus = ErrorBus.current {
                clock.advance(by: .seconds(1))
                bus.post(Numbered(error.number + 1), as: .notice)
                if error.number == 29 { bus.finish() }
            }
            return .stop
        }
        let bus = ErrorBus(handler: handler, configuration: configuration())
        for number in 1...2 { bus.post(Numbered(number), line: 1) }
        bus.post(Numbered(10), as: .notice)
        await bus.run()
        expect(journal.entries, equals: [1] + Array(10...19) + [2] + Array(20...30))
    }

    @Test("deliver returns .pending immediately for a held error, and doesn't wait for the window's end")
    func waiters() async {
        let bus = ErrorBus(handler: .noting(Journal()), configuration: configuration())
        async let running: Void = bus.run()
        expect(await bus.deliver(Numbered(1), line: 1).disposition, equals: .handled)
        for number in 2...3 { expect(await bus.deliver(Numbered(number), line: 1).disposition, equals: .pending) }
        await clock.waitForSleepers()
        expect(bus.statistics.pending, equals: 1)
        expect(bus.statistics.suppressed, equals: 1)
        clock.advance(by: .seconds(10))
        await eventually("the held report is delivered") { bus.statistics.pending == 0 }
        bus.finish()
        await running
        expect(bus.statistics.handled, equals: 2)
        expect(bus.statistics.suppressed, equals: 1)
        #expect(bus.statistics.isBalanced)
    }

    @Test("finish, and a shutdown with time, release held reports even if the worker sleeps until a window ends")
    func finish() async {
        for isShutDown in [false, true] {
            let bus = ErrorBus(handler: ErrorHandler(), configuration: configuration())
            let reports = bus.reports()
            async let running: Void = bus.run()
            for number in 1...4 { bus.post(Numbered(number), line: 1) }
            await eventually("two errors are suppressed") { bus.statistics.suppressed >= 2 }
            expect(bus.statistics.pending, equals: 1)
            await clock.waitForSleepers()
            if isShutDown { #expect(await bus.shutdown(within: .seconds(1)).isEmpty) } else { bus.finish() }
            await running
            expect(await reports.collected().map(\.summary), equals: ["1", "4 ×3"])
            expect(bus.statistics.suppressed, equals: 2)
            #expect(bus.statistics.isBalanced)
        }
    }

    @Test("the end of withErrorBus releases held reports, and reports posted while the bus drains")
    func endOfTheBody() async {
        let handler = ErrorHandler().on(Numbered(4)) { _ in
            for number in 5...7 { ErrorBus.current?.post(Numbered(number), line: 2) }
            return .next
        }
        let recorded = await withRecordedErrors(handler: handler, configuration: configuration()) { bus in
            for number in 1...4 { bus.post(Numbered(number), line: 1) }
            await clock.waitForSleepers()
        }
        #expect(recorded.reports.map(\.summary).starts(with: ["1", "4 ×3", "5"]))
        expect(recorded.reports.map(\.occurrences).reduce(0, +), equals: 7)
        #expect(recorded.statistics.isBalanced)
        expect(recorded.statistics.pending, equals: 0)
    }

    @Test("a bus task can wait for a held report at the end of the body")
    func waitingTask() async {
        let gate = Gate()
        let handler = ErrorHandler().on(Numbered.self) { _ in
            gate.open()
            return .stop
        }
        let limit = FloodLimit(first: 0, per: .seconds(10))
        await withErrorBus(handler: handler, configuration: .init(floodLimit: limit, clock: clock)) { bus in
            bus.task { await gate.wait() }
            bus.post(Numbered(1))
        }
    }

    @Test("the bus ends even if one held report fills it, and a notice of drops makes an action post")
    func heldReportFillsTheBus() async {
        let handler = ErrorHandler().ignore(Numbered.self).on(ErrorsDropped.self) { _ in
            ErrorBus.current?.post(Numbered(3))
            return .stop
        }
        let limit = FloodLimit(first: 0, per: .seconds(10))
        let configuration = ErrorBus.Configuration(capacity: 1, floodLimit: limit, clock: clock)
        let bus = await withErrorBus(handler: handler, configuration: configuration) { bus in
            bus.post(Numbered(1))
            await clock.waitForSleepers()
            bus.post(Numbered(2))
            return bus
        }
        expect(bus.statistics.pending, equals: 0)
        #expect(bus.statistics.isBalanced)
    }

    @Test("a bus that never ran retains no error that a shutdown has returned")
    func neverRan() async {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: configuration())
        bus.post(Numbered(1))
        expect(await bus.shutdown(within: .zero).map(\.summary), equals: ["1"])
        expect(bus.storage.hasReport(at: 0), equals: false)
    }

    @Test(
        "shutdown returns held reports after the one in flight and before the queue; deliver returns .dropped")
    func shutdownAtTheDeadline() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler.hanging(on: 0, at: gate, entered: entered)
        let bus = ErrorBus(handler: handler, configuration: configuration())
        async let running: Void = bus.run()
        for number in 1...4 { bus.post(Numbered(number), line: 1) }
        await clock.waitForSleepers()
        bus.post(Numbered(0), line: 2)
        await entered.wait()
        bus.post(Numbered(5), line: 1)
        async let waiting = bus.deliver(Numbered(6), line: 1)
        // Seven reports were posted. A report that isn't complete yet would be refused, and not returned.
        await eventually("the seventh report is complete") { bus.storage.hasReport(at: 6) }
        expect(await bus.shutdown(within: .zero).map(\.summary), equals: ["0", "4 ×3", "5", "6"])
        expect(await waiting.disposition, equals: .dropped)
        await running
        gate.open()
        expect(bus.statistics.suppressed, equals: 2)
        expect(bus.statistics.dropped, equals: 4)
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 0)
    }

    @Test("the timer of a window that was released early doesn't wake a worker, and the next window has its own timer")
    func earlyRelease() async {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: configuration(capacity: 2))
        let reports = bus.reports()
        async let running: Void = bus.run()
        // The limit remembers one kind: the second error releases the first.
        for number in 1...2 { bus.post(Numbered(number), line: 1) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(6))
        await bus.deliver(Numbered(3), line: 2)
        bus.post(Numbered(4), line: 2)
        clock.advance(by: .seconds(4))
        await clock.waitForSleepers()
        expect(bus.statistics.pending, equals: 1)
        clock.advance(by: .seconds(6))
        await eventually("the window's end delivers the held report") { bus.statistics.pending == 0 }
        bus.finish()
        await running
        expect(await reports.collected().map(\.summary), equals: ["1", "2", "3", "4"])
    }
}
