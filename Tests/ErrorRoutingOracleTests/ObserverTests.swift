import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 19: from the time when observe returns, an observer receives every report",
    .tags(.promise19), .hangLimit)
struct ObserverTests {}

extension ObserverTests {
    @Test("an observer that is added in a flood receives each later post, and every report after its first report")
    func addedInAStorm() async {
        let stage = Stage(ErrorHandler().ignore(Mishap.self), capacity: 1 << 20)
        let (logs, marks) = ((0..<8).map { _ in Log<ErrorReport>() }, Log<Int>())
        await stage.running {
            await onThreads(4) { thread in
                for number in 0..<400 {
                    stage.bus.post(Mishap(number))
                    guard number % 200 == 100 else { continue }
                    let observer = 2 * thread + number / 200
                    stage.bus.observeUntilEnd { logs[observer].add($0) }
                    // This error was posted after observe returned, so the observer receives it.
                    stage.bus.post(Mishap(10_000 + observer))
                    marks.add(10_000 + observer)
                }
            }
        }
        let all = stage.seen.entries.map(\.sequence)
        expect(marks.count, equals: 8)
        for (observer, log) in logs.enumerated() {
            #expect(log.entries.contains { $0.error as? Mishap == Mishap(10_000 + observer) })
            // No report is missing, neither in between nor at the end.
            expect(log.entries.map(\.sequence), equals: Array(all.suffix(log.count)))
        }
        stage.expectLaws()
    }

    @Test("an observer that is added while an action runs receives that action's report; outcomes are final")
    func addedDuringDelivery() async {
        let hanging = Hanging()
        let stage = Stage(hanging.handler)
        let late = Log<ErrorReport>()
        stage.post(1...2)
        async let run: Void = stage.bus.run()
        await hanging.entered.wait()
        let observation = stage.bus.observe { late.add($0) }
        hanging.leave.open()
        stage.bus.finish()
        await run
        expect(late.entries.labels, equals: ["1", "2"])
        expect(late.entries.map(\.outcome.disposition), equals: [.handled, .handled])
        observation.cancel()
    }

    @Test("the end is notified exactly once: after the last report, a cancellation, or the release of the observation")
    func ends() async {
        let stage = Stage()
        let (cancelled, lost, drained) = (Log<Counts>(), Log<Counts>(), Log<Counts>())
        let received = Log<String>()
        let observation = stage.bus.observe {
            received.add($0.label)
        } onEnd: {
            cancelled.add(Counts($0))
        }
        var dropped: ErrorObservation? = stage.bus.observe { _ in
        } onEnd: {
            lost.add(Counts($0))
        }
        let kept = stage.bus.observe { _ in
        } onEnd: {
            drained.add(Counts($0))
        }
        await stage.running {
            stage.post(1...2)
            #expect(await stage.bus.flush(within: .seconds(600)))
            for _ in 1...2 { observation.cancel() }
            dropped = nil
            stage.post(3...3)
        }
        expectNil(dropped)
        kept.cancel()
        expect(received.entries, equals: ["1", "2"])
        expect(cancelled.entries, equals: [Counts(posted: 2, unmatched: 2)])
        expect(lost.count, equals: 1)
        expect(drained.entries, equals: [Counts(posted: 3, unmatched: 3)])
        // On a bus that has ended, an observer is notified of the end too.
        let late = Log<Counts>()
        stage.bus.observeUntilEnd { _ in
        } onEnd: {
            late.add(Counts($0))
        }
        expect(late.count, equals: 1)
        stage.expectLaws()
    }

    @Test("a scope's observer receives reports of the scope and of scopes below, and failures of their actions")
    func scopes() async {
        let stage = Stage()
        let outer = stage.bus.scope("outer")
        let inner = outer.scope("inner", handler: ErrorHandler().on(Mishap(3)) { _ in throw Stray() })
        let logs = [Log<String>(), Log<String>()]
        let observations = [outer.observe { logs[0].add($0.label) }, inner.observe { logs[1].add($0.label) }]
        stage.bus.post(Mishap(1))
        outer.post(Mishap(2))
        inner.post(Mishap(3))
        stage.bus.scope("other").post(Mishap(4))
        await stage.drain()
        expect(logs.map(\.entries), equals: [["2", "3", "failure of 3"], ["3", "failure of 3"]])
        for observation in observations { observation.cancel() }
    }

    @Test("a stream loses its oldest reports, counts them, never slows the bus, and ends when the bus has drained")
    func streams() async {
        let stage = Stage()
        let (slow, whole) = (stage.bus.reports(bufferingNewest: 3), stage.bus.reports(bufferingNewest: .max))
        stage.post(1...10)
        await stage.drain()
        let reports = await slow.all()
        expect(reports.labels, equals: ["8", "9", "10"])
        expect(reports.map(\.missed), equals: [7, 0, 0])
        expect(await whole.all().labels, equals: (1...10).map { "\($0)" })
        #expect(await stage.bus.reports().all().isEmpty)
    }

    @Test("an error that an observer posts is delivered later, and the observer receives it too")
    func posts() async {
        let (stage, received) = (Stage(), Log<String>())
        stage.bus.observeUntilEnd { [bus = stage.bus] report in
            received.add(report.label)
            if let error = report.error as? Mishap, error.number < 10 { bus.post(Mishap(error.number + 10)) }
        }
        stage.post(1...2)
        await stage.running { #expect(await stage.bus.flush(within: .seconds(600))) }
        // A post after the end of the bus is written as a line.
        expect(received.entries + stage.lines.entries.labels, equals: ["1", "2", "11", "12"])
    }
}
