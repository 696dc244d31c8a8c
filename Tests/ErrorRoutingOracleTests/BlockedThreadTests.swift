import Dispatch
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// The tests run in separate processes, because they block pool threads.
@Suite(
    "Promises 16, 19, and 26: a shutdown removes reports at its deadline, whichever code blocks a thread",
    .tags(.promise16, .promise19, .promise26), .hangLimit)
struct BlockedThreadTests {}

extension BlockedThreadTests {
    @Test("if a synchronous action blocks, its report is returned, no further rule runs, and its result has no effect")
    func synchronousAction() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for isThrowing in [false, true] { await Self.shutDownDuringAction(isThrowing: isThrowing) }
        }
    }

    private static func shutDownDuringAction(isThrowing: Bool) async {
        let (entered, leave, left) = (Gate(), DispatchSemaphore(value: 0), Gate())
        let later = Log<Int>()
        let handler = ErrorHandler()
            .always { _, report in
                later.add(Int(report.sequence))
                return .next
            }
            .on(Mishap(1)) { _ in
                entered.open()
                leave.wait()
                defer { left.open() }
                if isThrowing { throw Stray() }
                return .next
            }
        var stage = Stage(handler, isTimed: false)
        stage.post(0...3)
        let run = stage.run()
        await entered.wait()
        let before = later.count
        expect(before, equals: 1)
        #expect(stage.bus.statistics.deliveryTime != nil)
        let returned = await stage.bus.shutdown(within: .milliseconds(5))
        expect(returned.labels, equals: ["1", "2", "3"])
        let counts = Counts(posted: 4, unmatched: 1, dropped: 3)
        expect(stage.bus.counts, equals: counts)
        leave.signal()
        await left.wait()
        await run.value
        await stage.becomesOnlyOwner()
        expect(later.count, equals: before)
        // A failure after the end doesn't change a count, but is written as one line.
        expect(stage.bus.counts, equals: counts)
        expect(stage.lines.entries.labels, equals: isThrowing ? ["failure of 1"] : [])
        stage.expectLaws(returned: returned)
    }

    @Test("if an observer blocks, the report that it is receiving counts as delivered, and the rest is returned")
    func observer() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
            let stage = Stage(ErrorHandler().ignore(Mishap.self), isTimed: false)
            let received = Log<String>()
            let ends = Log<Counts>()
            stage.bus.observeUntilEnd { report in
                received.add(report.label)
                if report.label != "2" { return }
                entered.open()
                leave.wait()
            } onEnd: {
                ends.add(Counts($0))
            }
            stage.post(1...4)
            async let run: Void = stage.bus.run()
            await entered.wait()
            let returned = await stage.bus.shutdown(within: .milliseconds(5))
            expect(returned.labels, equals: ["3", "4"])
            let counts = Counts(posted: 4, ignored: 2, dropped: 2)
            expect(stage.bus.counts, equals: counts)
            // The observer is still receiving a report, so it hasn't been notified of the end.
            expect(ends.count, equals: 0)
            leave.signal()
            await run
            await ends.reaches(1)
            expect(received.entries, equals: ["1", "2"])
            expect(ends.entries, equals: [counts])
            await stage.ends.reaches(1)
            stage.expectLaws(returned: returned)
        }
    }

    @Test("if every thread of the pool is blocked, the counts change at the deadline, and a thread can read them")
    func pool() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (block, entered) = (DispatchSemaphore(value: 0), Gate())
            let handler = ErrorHandler().on(Mishap.self) { _ in
                entered.open()
                block.wait()
                return .stop
            }
            let stage = Stage(handler, isTimed: false)
            stage.post(1...3)
            Task { await stage.bus.run() }
            await entered.wait()
            Task { @concurrent in _ = await stage.bus.shutdown(within: .milliseconds(100)) }
            await eventually("the shutdown has finished the bus") { stage.bus.description.contains("(finished)") }
            Thread.detachNewThread {
                // The tasks that block all threads never end. So a bus that needed the pool would never shut down.
                for _ in 0..<30_000 where stage.bus.counts.dropped < 3 { usleep(1_000) }
                let isRight = stage.bus.counts == Counts(posted: 3, dropped: 3)
                exit(isRight ? 0 : 1)
            }
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount { Task { block.wait() } }
            block.wait()
        }
    }

    @Test("a flush waits for observers, and an observer that blocks doesn't extend the flush's time limit")
    func flush() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
            let stage = Stage()
            stage.bus.observeUntilEnd { _ in
                entered.open()
                leave.wait()
            }
            async let run: Void = stage.bus.run()
            stage.post(1...1)
            await entered.wait()
            while stage.bus.counts.pending > 0 { yieldToOtherThreads() }
            expect(await stage.bus.flush(within: .zero), equals: false)
            async let isFlushedInTime = stage.bus.flush(within: .seconds(5))
            await stage.clock.waitForSleepers()
            stage.clock.advance(by: .seconds(5))
            expect(await isFlushedInTime, equals: false)
            async let isFlushed = stage.bus.flush(within: .seconds(5))
            await stage.clock.waitForSleepers()
            leave.signal()
            expect(await isFlushed, equals: true)
            await stage.drain()
            await run
        }
    }
}
