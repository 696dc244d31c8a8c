import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

/// On watches, `Int` has 32 bits.
///
/// A thousand posts a second exceed that within a month.
@Suite(
    "Promises 11, 13, and 14: the counts are right after more posts than an Int of 32 bits can count",
    .tags(.promise11, .promise13, .promise14), .hangLimit)
struct ManyPostsTests {}

extension ManyPostsTests {
    /// Numbers around the largest numbers of 31, 32, and 33 bits.
    static let starts: [Int] = [1 << 31 - 70, 1 << 32 - 70, 1 << 33 - 70, 1 << 33]

    @Test("the counts of posts have 64 bits on all systems")
    func widths() {
        for count in Mirror(reflecting: BusCounts(handled: 0)).children {
            #expect(count.value is Int64, "\(count.label ?? "")")
        }
        let numbers: [Any] = [
            IntakeWord().accepted, DropTally().unreported, PaddedCounter(0).value,
            BusStorage(capacity: 1).apply { $0.released },
        ]
        for number in numbers { #expect(number is Int64) }
    }

    @Test("a bus delivers all errors in order, with or without a flood limit, and its counts add up", arguments: starts)
    func delivery(start: Int) async {
        for floodLimit in [nil, FloodLimit(first: .max, per: .seconds(1))] {
            let (sequences, handled) = (Journal<UInt64>(), Journal<Int>())
            let handler = ErrorHandler().on(Numbered.self) { error, report in
                sequences.note(report.sequence)
                handled.note(error.number)
                return .stop
            }
            let bus = ErrorBus(handler: handler, configuration: .init(floodLimit: floodLimit), startingAt: Int64(start))
            async let running: Void = bus.run()
            await onThreads(3) { thread in
                for number in 0..<100 { bus.post(Numbered(thread * 100 + number)) }
            }
            expect(await bus.deliver(Numbered(300)).disposition, equals: .handled)
            bus.finish()
            await running
            expect(sequences.entries, equals: (1...301).map { UInt64(start + $0) })
            for thread in 0..<3 {
                expect(handled.entries.filter { $0 / 100 == thread }, equals: (0..<100).map { thread * 100 + $0 })
            }
            expect(bus.statistics, equals: .init(posted: start + 301, handled: start + 301))
        }
    }

    @Test("a full bus drops errors and reports that, and a shutdown returns the others", arguments: starts)
    func shutdown(start: Int) async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler.hanging(on: 1, at: gate, entered: entered)
        let configuration = ErrorBus.Configuration(capacity: 80, actionTimeLimit: nil)
        let bus = ErrorBus(handler: handler, configuration: configuration, startingAt: Int64(start))
        async let running: Void = bus.run()
        bus.post(Numbered(0))
        bus.post(Numbered(1))
        await entered.wait()
        for number in 2...91 { bus.post(Numbered(number)) }
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 82)
        let left = await bus.shutdown(within: .zero)
        expect(left.compactMap { ($0.error as? Numbered)?.number }, equals: Array(1...81))
        expect(left.compactMap { ($0.error as? ErrorsDropped)?.count }, equals: [10])
        gate.open()
        await running
        expect(bus.statistics, equals: .init(posted: start + 93, handled: start, unmatched: 1, dropped: 92))
    }
}
