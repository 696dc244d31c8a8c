import TestSupport
import Testing

@testable import ErrorRouting

/// Catches a drop that is in two notices, or in none.
@Suite(
    "Behaviours 13 and 14: each drop is in one notice, also under contention",
    .tags(.behaviour13, .behaviour14), .hangLimit)
struct NoticeContentionTests {
    @Test("each drop is in one notice, which is not empty, and none is left when all is delivered")
    func noticesUnderWay() async {
        let (bus, posters, each) = (DrivenStorage(capacity: 1), 4, 4_000)
        let told = Journal<Int>()
        let left = Countdown(posters)
        await onThreads(posters + 1) { [storage = UncheckedStorage(bus)] thread in
            if thread < posters {
                for number in 0..<each { storage.post(number) }
                return left.step()
            }
            while true {
                let isLast = left.isOver
                for case .drops(let drops) in storage.bus.drain() { told.note(drops.count) }
                if isLast { break }
            }
        }
        let statistics = bus.statistics
        #expect(told.entries.reduce(0, +) == statistics.dropped && told.entries.allSatisfy { $0 > 0 })
        #expect(statistics.posted == posters * each + told.entries.count && statistics.pending == 0)
        #expect(statistics.isBalanced)
    }

    @Test("shut in the midst of drops, each is told of once, by the shutdown or by a dropper", arguments: 0..<40)
    func shutInTheMidst(round: Int) async {
        let (bus, posters, each) = (DrivenStorage(capacity: 1), 4, 500)
        let (dropped, told) = (Journal<Int>(), Journal<Int>())
        await onThreads(posters + 1) { [storage = UncheckedStorage(bus)] thread in
            if thread < posters {
                for number in 0..<each {
                    let (isDropped, drops) = storage.post(number)
                    if isDropped { dropped.note(number) }
                    if let drops { told.note(drops.count) }
                }
                return
            }
            for _ in 0..<round {
                for case .drops(let drops) in storage.bus.drain() { told.note(drops.count) }
            }
            for case .drops(let drops) in storage.bus.takeBack().reports { told.note(drops.count) }
        }
        #expect(told.entries.reduce(0, +) == dropped.entries.count && told.entries.allSatisfy { $0 > 0 })
        #expect(bus.statistics.isBalanced && bus.statistics.pending == 0)
    }
}

/// A storage that posters use on several threads, and one thread drives.
///
/// Unchecked, since posters touch nothing but the storage itself.
private struct UncheckedStorage: @unchecked Sendable {
    let bus: DrivenStorage

    init(_ bus: DrivenStorage) { self.bus = bus }

    /// Posts as the bus does; returns whether the error was dropped since the bus was full, and the drops that nobody
    /// else tells of.
    @discardableResult
    func post(_ number: Int) -> (isDropped: Bool, drops: ErrorsDropped?) {
        switch bus.reserve(number) {
        case .accepted(let place):
            bus.fill(place, with: IntakeBox.posting(Numbered(number)))
        case .full(let makesNotice):
            if makesNotice, case .tell(let drops) = bus.storage.needsNotice(at: .init()) { return (true, drops) }
            return (true, nil)
        case .closed: break
        }
        return (false, nil)
    }
}
