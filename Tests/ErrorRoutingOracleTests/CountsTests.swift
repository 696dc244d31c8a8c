import ErrorRouting
import ErrorRoutingTesting
import Synchronization
import TestSupport
import Testing

@Suite(
    "Promises 14 and 26: statistics balance at every read, even in a flood and from another thread",
    .tags(.promise14, .promise26), .hangLimit)
struct CountsTests {}

extension CountsTests {
    @Test(
        "each read balances, only pending ever falls, and pending stays within its bounds, even during a shutdown",
        arguments: ["finish", "shutdown", "flood limit"])
    func storm(end: String) async {
        let (capacity, threads) = (16, 3)
        let handler = ErrorHandler()
            .ignore(matching: .type(Mishap.self).where { $0.number % 3 == 0 })
            .on(matching: .type(Mishap.self).where { $0.number % 3 == 1 }) { error in
                if error.number % 5 == 0 { throw Stray() }
                return .stop
            }
            .on(matching: .type(Mishap.self).where { $0.number % 64 == 7 }) { _ in
                await Task.yield()
                return .next
            }
        let limit = end == "flood limit" ? FloodLimit(first: 5, per: .milliseconds(1)) : nil
        let stage = Stage(handler, capacity: capacity, floodLimit: limit, isTimed: false)
        let isOver = Atomic<Bool>(false)
        async let run: Void = stage.bus.run()
        async let reading: Void = onThreads(1) { _ in
            var before = stage.bus.counts
            repeat {
                let now = stage.bus.counts
                #expect(now.isBalanced, "\(now)")
                // Besides the capacity and the report in delivery, allow for the notices of drops and of failures.
                #expect((0...capacity + 1 + 3).contains(now.pending), "\(now)")
                #expect(before.isAtMost(now), "\(before), then \(now)")
                before = now
            } while !isOver.load(ordering: .acquiring)
        }
        await onThreads(threads) { _ in
            for number in 0..<2_000 {
                let before = stage.bus.counts.posted
                stage.bus.post(Mishap(number))
                // A post that has returned is included in the next read.
                #expect(stage.bus.counts.posted > before)
            }
        }
        let left = end == "shutdown" ? await stage.bus.shutdown(within: .zero) : []
        stage.bus.finish()
        await run
        isOver.store(true, ordering: .releasing)
        await reading
        #expect(stage.bus.counts.posted >= 2_000 * threads)
        expectLawsAfterStorm(stage, left)
    }

    private func expectLawsAfterStorm(_ stage: Stage, _ left: [ErrorReport]) {
        stage.expectLaws(returned: left)
        let notices = (stage.seen.entries + left + stage.lines.entries)
            .compactMap { ($0.error as? ErrorsDropped)?.count }.reduce(0, +)
        expect(stage.bus.counts.dropped, equals: notices + left.count)
    }

    @Test("at rest each count is exact: pending counts the reports in the bus, and each error has one outcome")
    func atRest() async {
        let handler = ErrorHandler()
            .on(Mishap(1)) { _ in .stop }
            .ignore(Mishap(2))
            .on(Mishap(3)) { _ in throw Stray() }
        let stage = Stage(handler, capacity: 5)
        stage.post(1...7)
        // Two reports are dropped, and a notice is posted.
        expect(stage.bus.counts, equals: Counts(posted: 8, dropped: 2, pending: 6))
        await stage.running {
            #expect(await stage.bus.flush(within: .seconds(600)))
            // The action for 3 failed, so its rule counts as the rule that handled it.
            let expected = Counts(
                posted: 9, handled: 2, ignored: 1, unmatched: 4, dropped: 2, failures: 1)
            expect(stage.bus.counts, equals: expected)
            expectNil(stage.bus.statistics.deliveryTime)
        }
        expect(stage.ends.entries, equals: [stage.bus.counts])
        stage.expectLaws()
    }
}

extension Counts {
    /// Whether every count except that of pending errors is at most as large as in a later read.
    func isAtMost(_ later: Counts) -> Bool {
        posted <= later.posted && handled <= later.handled && ignored <= later.ignored
            && unmatched <= later.unmatched && suppressed <= later.suppressed && dropped <= later.dropped
            && failures <= later.failures
    }
}
