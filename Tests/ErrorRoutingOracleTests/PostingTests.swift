import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 11: post never waits, keeps each caller's order, and sequence numbers increase",
    .tags(.promise11, .promise13), .hangLimit)
struct PostingTests {}

extension PostingTests {
    @Test("each thread's reports are delivered in the order of its posts, whether or not the bus is already running")
    func orderPerThread() async {
        for isRunning in [false, true] {
            let stage = Stage(ErrorHandler().ignore(Mishap.self), capacity: 1 << 20)
            let post: @Sendable (Int) -> Void = { thread in
                for number in 0..<400 { stage.bus.post(Mishap(1_000 * thread + number)) }
            }
            if isRunning {
                await stage.running { await onThreads(4, post) }
            } else {
                await onThreads(4, post)
                await stage.drain()
            }
            let numbers = stage.seen.entries.compactMap { ($0.error as? Mishap)?.number }
            for thread in 0..<4 {
                expect(numbers.filter { $0 / 1_000 == thread }.map { $0 % 1_000 }, equals: Array(0..<400))
            }
            expect(stage.bus.counts, equals: Counts(posted: 1_600, ignored: 1_600))
            stage.expectLaws()
        }
    }

    @Test("posts return while an action hangs, even posts in a scope, and are delivered in order after it")
    func whileAnActionHangs() async {
        let (entered, leave) = (Gate(), Gate())
        let stage = Stage(
            ErrorHandler().on(Mishap(1)) { _ in
                entered.open()
                await leave.wait()
                return .stop
            })
        await stage.running {
            stage.post(1...1)
            await entered.wait()
            let scope = stage.bus.scope("a")
            for number in 2...9 { number % 2 == 0 ? scope.post(Mishap(number)) : stage.bus.post(Mishap(number)) }
            expect(stage.bus.counts, equals: Counts(posted: 9, pending: 9))
            expect(stage.seen.count, equals: 0)
            leave.open()
        }
        expect(stage.seen.entries.labels, equals: (1...9).map { "\($0)" })
        stage.expectLaws()
    }

    @Test("a report has its post's source, metadata, and role, and times increase")
    func contents() async {
        let stage = Stage()
        let line: UInt = #line + 1
        stage.bus.post(Mishap(1), as: .attempt, metadata: ["id": "7"])
        stage.bus.post(Mishap(2))
        await stage.drain()
        let reports = stage.seen.entries
        expect(reports.map(\.source.line), equals: [line, line + 1])
        expect(reports.map(\.source.module), equals: ["ErrorRoutingOracleTests", "ErrorRoutingOracleTests"])
        expect(reports.map(\.metadata), equals: [["id": "7"], [:]])
        expect(reports.map(\.role), equals: [.attempt, .failure])
        #expect(reports[0].instant <= reports[1].instant)
        expect(reports.map(\.outcome.disposition), equals: [.ignored, .unmatched])
    }

    @Test("errors posted after finish count as posted and dropped, and each is one last-resort line")
    func afterFinish() async {
        let stage = Stage()
        stage.post(1...2)
        stage.bus.finish()
        stage.post(3...4)
        expect(stage.bus.counts, equals: Counts(posted: 4, dropped: 2, pending: 2))
        expect(stage.lines.entries.labels, equals: ["3", "4"])
        await stage.bus.run()
        stage.post(5...5)
        await stage.bus.run()
        expect(stage.seen.entries.labels, equals: ["1", "2"])
        expect(stage.lines.entries.labels, equals: ["3", "4", "5"])
        expect(stage.bus.counts, equals: Counts(posted: 5, unmatched: 2, dropped: 3))
        stage.expectLaws()
    }
}
