import Foundation
import StandardErrorWriter
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("A bus that receives posts but never runs is reported once", .tags(.promise25), .hangLimit)
struct UnrunWatchTests {
    private func moment(_ seconds: Double) -> Moment { Moment(Self.origin.advanced(by: .seconds(seconds))) }
    private static let origin = ContinuousClock.now

    @Test("the first post at least five seconds after the very first post is noticed, and no other post is")
    func once() {
        let watch = UnrunWatch()
        let noticed = [0, 1, 4.9, 5, 6, 100].map { watch.note(moment($0)) }
        expect(noticed, equals: [false, false, false, true, false, false])
    }

    @Test("a bus that has run, or has finished, isn't reported")
    func closed() async {
        for ends in [false, true] {
            let lines = Journal<String>()
            let bus = busWithEarlierPost(lines)
            if ends { bus.finish() } else { Task.detached { await bus.run() } }
            await eventually("the bus runs or has finished") {
                bus.storage.isClosed || bus.storage.apply { $0.phase != .created }
            }
            bus.post(Numbered(1))
            expect(lines.entries.contains { $0.contains("call run()") }, equals: false)
            expect(bus.unrunWatch.note(moment(100)), equals: false)
            _ = await bus.shutdown(within: .zero)
        }
    }

    @Test("of many threads that post at that time, one thread notices it")
    func threads() async {
        let bus = ErrorBus(handler: ErrorHandler())
        let late = moment(9)
        expect(bus.unrunWatch.note(moment(0)), equals: false)
        let noticed = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { bus.unrunWatch.note(late) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(noticed, equals: 1)
    }

    @Test("the last resort receives a line that explains what to do")
    func line() async throws {
        let lines = Journal<String>()
        let bus = busWithEarlierPost(lines)
        bus.post(Numbered(1))
        bus.post(Numbered(2))
        expect(lines.entries.count, equals: 1)
        #expect(lines.entries.first?.contains("call run(), or use withErrorBus") == true)
        _ = await bus.shutdown(within: .zero)
    }

    /// Returns a bus whose first post was six seconds ago, and which writes to a journal.
    private func busWithEarlierPost(_ lines: Journal<String>) -> ErrorBus {
        let bus = ErrorBus(
            handler: ErrorHandler(), configuration: .init(lastResort: LastResort { lines.note($0) }))
        let past = Moment(ContinuousClock.now.advanced(by: .seconds(-6)))
        expect(bus.unrunWatch.note(past), equals: false)
        return bus
    }
}
