import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 16: a shutdown returns all undelivered reports, in whichever phase its deadline comes",
    .tags(.promise16), .hangLimit)
struct ShutdownPhaseTests {}

extension ShutdownPhaseTests {
    @Test("before the bus runs, all reports are returned in order, and a later run ends immediately")
    func neverRun() async {
        let stage = Stage()
        stage.post(1...3)
        stage.bus.scope("a").post(Mishap(4))
        let left = await stage.bus.shutdown(within: .zero)
        expect(left.labels, equals: ["1", "2", "3", "4"])
        expect(left.map(\.scope), equals: [[], [], [], ["a"]])
        expect(stage.bus.counts, equals: Counts(posted: 4, dropped: 4))
        expect(stage.ends.entries, equals: [stage.bus.counts])
        await stage.bus.run()
        expect(stage.seen.count, equals: 0)
        expect(stage.lines.count, equals: 0)
        stage.expectLaws(returned: left)
    }

    @Test("while the bus is idle, and after it has ended, a shutdown returns nothing and doesn't wait for its deadline")
    func idleAndEnded() async {
        let stage = Stage()
        async let run: Void = stage.bus.run()
        stage.post(1...3)
        #expect(await stage.bus.flush(within: .seconds(600)))
        #expect(await stage.bus.shutdown(within: .seconds(5)).isEmpty)
        await run
        for limit in [Duration.zero, .seconds(5)] { #expect(await stage.bus.shutdown(within: limit).isEmpty) }
        expect(stage.bus.counts, equals: Counts(posted: 3, unmatched: 3))
        stage.expectLaws()
    }

    @Test(
        "while an asynchronous action runs, its report is returned first, and its result changes nothing",
        arguments: [false, true])
    @MainActor func asynchronousAction(isFinishedBefore: Bool) async {
        let hanging = Hanging()
        var stage = Stage(hanging.handler)
        stage.post(0...4)
        let run = stage.run()
        // On this actor, a post is complete as soon as it is counted. A shutdown would refuse an incomplete post.
        let outcome = Task { @MainActor [bus = stage.bus] in await bus.deliver(Mishap(5)) }
        await hanging.entered.wait()
        await eventually("all six errors are posted") { stage.bus.counts.posted >= 6 }
        if isFinishedBefore { stage.bus.finish() }
        let left = Task { [bus = stage.bus] in await bus.shutdown(within: .seconds(5)) }
        await stage.clock.waitForSleepers()
        stage.clock.advance(by: .seconds(4))
        expect(stage.bus.counts, equals: Counts(posted: 6, handled: 1, pending: 5))
        stage.clock.advance(by: .seconds(1))
        let returned = await left.value
        expect(returned.labels, equals: ["1", "2", "3", "4", "5"])
        expect(await outcome.value.disposition, equals: .dropped)
        await run.value
        let counts = Counts(posted: 6, handled: 1, dropped: 5)
        expect(stage.bus.counts, equals: counts)
        await hanging.cancelled.wait()
        hanging.leave.open()
        await hanging.left.wait()
        await stage.becomesOnlyOwner()
        // The rules after the action haven't run.
        expect(hanging.later.entries, equals: [0])
        expect(stage.bus.counts, equals: counts)
        expect(stage.seen.entries.labels, equals: ["0"])
        expect(stage.lines.count, equals: 0)
        stage.expectLaws(returned: returned)
    }

    @Test("wherever the deadline comes in a stream of deliveries, each report is delivered or returned, in order")
    func betweenReports() async {
        for round in 0..<150 {
            let stage = Stage(
                ErrorHandler().on(matching: .type(Mishap.self).where { $0.number % 2 == 0 }) { _ in
                    await Task.yield()
                    return .stop
                }, isTimed: false)
            stage.post(1...30)
            async let run: Void = stage.bus.run()
            await stage.seen.reaches(round % 30)
            for _ in 0..<round % 7 { await Task.yield() }
            let left = await stage.bus.shutdown(within: round % 5 == 4 ? .microseconds(20) : .zero)
            await run
            expect(stage.seen.entries.labels + left.labels, equals: (1...30).map { "\($0)" })
            expect(stage.bus.counts.dropped, equals: left.count)
            expect(stage.lines.count, equals: 0)
            stage.expectLaws(returned: left)
        }
    }

    @Test("reports held by a flood limit are returned with their occurrences, between the one in flight and the queue")
    func held() async {
        let hanging = Hanging()
        let stage = Stage(hanging.handler, floodLimit: FloodLimit(first: 1, per: .seconds(10)))
        async let run: Void = stage.bus.run()
        for number in 10...13 { stage.bus.post(Mishap(number), line: 1) }
        await stage.seen.reaches(1)
        await eventually("two errors are suppressed") { stage.bus.counts.suppressed >= 2 }
        stage.bus.post(Mishap(1), line: 2)
        await hanging.entered.wait()
        stage.bus.post(Mishap(20), line: 3)
        let left = await stage.bus.shutdown(within: .zero)
        expect(left.labels, equals: ["1", "13 ×3", "20"])
        await run
        expect(stage.bus.counts, equals: Counts(posted: 6, handled: 1, suppressed: 2, dropped: 3))
        hanging.leave.open()
        await hanging.left.wait()
        stage.expectLaws(returned: left)
    }

    @Test("the shutdown with the earliest deadline returns everything; a cancelled caller waits for its own deadline")
    func several() async {
        let hanging = Hanging()
        let stage = Stage(hanging.handler)
        stage.post(1...2)
        async let run: Void = stage.bus.run()
        await hanging.entered.wait()
        async let late = stage.bus.shutdown(within: .seconds(9))
        let early = Task { await stage.bus.shutdown(within: .seconds(5)) }
        await stage.clock.waitForSleepers(2)
        early.cancel()
        stage.clock.advance(by: .seconds(4))
        // Both deadlines are still ahead. Nothing else can remove the reports.
        await stage.sleepersReach(2)
        expect(stage.bus.counts.pending, equals: 2)
        stage.clock.advance(by: .seconds(1))
        expect(await early.value.labels, equals: ["1", "2"])
        #expect(await late.isEmpty)
        await run
        hanging.leave.open()
        await hanging.left.wait()
        expect(stage.bus.counts, equals: Counts(posted: 2, dropped: 2))
    }

    @Test("reports delivered before the deadline aren't returned, and when shutdown returns, the bus isn't the root")
    func inTime() async {
        let stage = Stage(ErrorHandler().ignore(Mishap.self))
        stage.post(1...100)
        async let run: Void = stage.bus.run()
        #expect(await stage.bus.shutdown(within: .seconds(5)).isEmpty)
        await run
        expect(stage.bus.counts, equals: Counts(posted: 100, ignored: 100))
        stage.expectLaws()
    }
}
