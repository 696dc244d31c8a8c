import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promises 13 and 14: memory is bounded, and a notice of drops comes in order, once, and last of all at the end",
    .tags(.promise13, .promise14), .hangLimit)
struct CapacityTests {}

extension CapacityTests {
    /// Rules whose action hangs on error 1 until a gate opens.
    private static func hanging(_ entered: Gate, _ leave: Gate) -> ErrorHandler {
        ErrorHandler().on(Mishap(1)) { _ in
            entered.open()
            await leave.wait()
            return .stop
        }
    }

    @Test("the first errors are kept; the notice follows pending reports, counts all drops, and precedes later posts")
    func noticeInOrder() async throws {
        let (entered, leave) = (Gate(), Gate())
        let stage = Stage(Self.hanging(entered, leave), capacity: 3)
        await stage.running {
            stage.post(1...1)
            await entered.wait()
            // The report in delivery doesn't use capacity.
            stage.post(2...6)
            stage.bus.post(Stray())
            expect(stage.bus.counts, equals: Counts(posted: 8, dropped: 3, pending: 5))
            leave.open()
            #expect(await stage.bus.flush(within: .seconds(600)))
            stage.post(7...7)
        }
        expect(stage.seen.entries.labels, equals: ["1", "2", "3", "4", "drops 3", "7"])
        let drops = try #require(stage.seen.entries[4].error as? ErrorsDropped)
        expect(
            drops.byType,
            equals: ["ErrorRoutingOracleTests.Mishap": 2, "ErrorRoutingOracleTests.Stray": 1])
        expect(stage.seen.entries[4].role, equals: .failure)
        expect(stage.lines.count, equals: 0)
        stage.expectLaws()
    }

    @Test("at most one notice is outstanding: it counts drops until its delivery begins; later drops get the next one")
    func oneOutstanding() async {
        let (first, second, leave) = (Gate(), Gate(), Gate())
        let stage = Stage(
            Self.hanging(first, Gate.opened).on(ErrorsDropped.self) { _ in
                second.open()
                await leave.wait()
                return .stop
            }, capacity: 2)
        stage.post(1...4)
        async let run: Void = stage.bus.run()
        await second.wait()
        // The first notice is in delivery.
        stage.post(5...9)
        leave.open()
        stage.bus.finish()
        await run
        expect(stage.seen.entries.labels, equals: ["1", "2", "drops 2", "5", "6", "drops 3"])
        expect(stage.bus.counts, equals: Counts(posted: 11, handled: 3, unmatched: 3, dropped: 5))
        stage.expectLaws()
    }

    @Test("capacity that a delivery has freed is used again, and an outstanding notice keeps its position")
    func roomAgain() async {
        let stage = Stage(
            ErrorHandler().on(Mishap(1)) { _ in
                for number in 10...13 { ErrorBus.current?.post(Mishap(number)) }
                return .stop
            }, capacity: 2)
        stage.post(1...4)
        await stage.running { #expect(await stage.bus.flush(within: .seconds(600))) }
        // While 1 is in delivery, one of the two slots is free. The notice keeps its position and counts later drops.
        expect(stage.seen.entries.labels, equals: ["1", "2", "drops 5", "10"])
        expect(stage.bus.counts.dropped, equals: 5)
        stage.expectLaws()
    }

    @Test("drops before finish are delivered as a notice at the end; a shutdown returns or writes the notice once")
    func dropsAtTheEnd() async {
        let stage = Stage(capacity: 1)
        stage.post(1...3)
        await stage.drain()
        expect(stage.seen.entries.labels, equals: ["1", "drops 2"])
        stage.expectLaws()

        for isRunning in [false, true] {
            let (entered, leave) = (Gate(), Gate())
            let stage = Stage(Self.hanging(entered, leave), capacity: 1)
            stage.post(1...1)
            let run = isRunning ? Task { await stage.bus.run() } : nil
            if isRunning {
                await entered.wait()
                stage.post(2...2)
            }
            stage.post(3...5)
            let left = await stage.bus.shutdown(within: .zero)
            leave.open()
            await run?.value
            let all = left.labels + stage.lines.entries.labels
            expect(all, equals: (isRunning ? ["1", "2"] : ["1"]) + ["drops 3"])
            expect(stage.seen.count, equals: 0)
            expect(stage.bus.counts.pending, equals: 0)
            #expect(stage.bus.counts.isBalanced)
        }
    }

    @Test("in a flood from several threads, each error is delivered or is counted in exactly one notice")
    func storm() async {
        let stage = Stage(ErrorHandler().ignore(Mishap.self), capacity: 4)
        await stage.running {
            await onThreads(4) { thread in
                for number in 0..<500 { stage.bus.post(Mishap(1_000 * thread + number)) }
            }
        }
        let dropped = stage.seen.entries.compactMap { ($0.error as? ErrorsDropped)?.count }
        #expect(dropped.allSatisfy { $0 > 0 })
        expect(stage.bus.counts.dropped, equals: dropped.reduce(0, +))
        expect(stage.bus.counts.ignored + dropped.reduce(0, +), equals: 2_000)
        expect(stage.bus.counts.posted, equals: 2_000 + dropped.count)
        stage.expectLaws()
    }
}

extension Gate {
    /// A gate that is open.
    static var opened: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }
}
