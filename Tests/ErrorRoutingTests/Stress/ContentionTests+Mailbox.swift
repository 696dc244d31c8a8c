import TestSupport
import Testing

@testable import ErrorRouting

extension ContentionTests {
    private static let windows = [1, 2, 64, 65, 129].flatMap { capacity in [1, 2, 8].map { (capacity, $0) } }

    // A wake too few would leave the reader asleep for good, and this test to its time limit; one too many would be
    // counted.
    @Test("each place is read once, whole and in its turn, and each sleep is ended once", arguments: windows)
    func fillersAgainstReader(capacity: Int, fillers: Int) async {
        let each = (isLong ? 16_000 : 3_000) / fillers
        let (office, read) = (PostOffice(capacity: capacity), Journal<Int>())
        await onThreads(fillers + 1) { thread in
            if thread < fillers {
                for _ in 0..<each { office.post() }
                return
            }
            for place in 0..<(fillers * each) { office.readOrSleep(place) }
            read.note(fillers * each)
        }
        expect(read.entries, equals: [fillers * each])
        #expect(office.isInOrder)
        expect(office.box.ends.count, equals: fillers * each)
    }

    @Test("slow fillers, who come to their places late and from last to first, hold up the reader and no other filler")
    func slowFillers() async {
        for capacity in [1, 5, 63, 64, 65, 200] {
            let (fillers, each) = (4, isLong ? 3_000 : 1_000)
            let (office, read) = (PostOffice(capacity: capacity), Journal<Int>())
            await onThreads(fillers + 1) { thread in
                if thread == fillers {
                    for place in 0..<(fillers * each) { office.readOrSleep(place) }
                    read.note(fillers * each)
                    return
                }
                var random = SplitMix64(seed: UInt64(thread))
                var (held, left): ([Int], Int) = ([], each)
                while left > 0 || !held.isEmpty {
                    let place = left > 0 && held.count < 5 ? office.reserve() : nil
                    if let place {
                        held.append(place)
                        left -= 1
                        if Bool.random(using: &random) { continue }
                    }
                    if held.isEmpty { yieldToOtherThreads() }
                    while let place = held.popLast() { office.fill(place) }
                }
            }
            expect(read.entries, equals: [fillers * each])
            #expect(office.isInOrder)
        }
    }

    @Test("fillers and rousers together end each sleep once", arguments: [1, 64, 1_000])
    func rousersAndFillers(capacity: Int) async {
        let (fillers, rousers, each) = (2, 2, isLong ? 4_000 : 1_500)
        let (office, read, over) = (PostOffice(capacity: capacity), Journal<Int>(), Countdown(1))
        // As in the bus, those who rouse the reader share a lock with it when it is not reading.
        let current = Locked(0)
        await onThreads(fillers + rousers + 1) { thread in
            switch thread {
            case 0..<fillers:
                for _ in 0..<each { office.post() }
            case fillers:
                for place in 0..<(fillers * each) {
                    while true {
                        let step = current.withLock { current in
                            current = place
                            return office.step(place)
                        }
                        if step == .read { break }
                        if step == .sleeps { office.waitForWakeUp() }
                    }
                }
                read.note(fillers * each)
                over.step()
            default:
                while !over.isOver {
                    if current.withLock({ office.box.rouse(at: $0) }) { office.wake() }
                    yieldToOtherThreads()
                }
            }
        }
        expect(read.entries, equals: [fillers * each])
        #expect(office.isInOrder)
    }

    @Test(
        "a mailbox is shut in the midst of fillers: each element is read, handed back or refused, and none is left",
        arguments: 0..<40)
    func mailboxShutInTheMidst(round: Int) async {
        let (fillers, each) = (3, 500)
        let office = PostOffice(capacity: [1, 64, 65, 300][round % 4])
        let (refused, taken) = (Journal<Int>(), Journal<Int>())
        await onThreads(fillers + 1) { thread in
            guard thread == fillers else {
                for _ in 0..<each {
                    guard let place = office.waitForPlace() else { return }
                    if office.fill(place) == .refused { refused.note(place) }
                }
                return
            }
            var cursor = 0
            for _ in 0..<(round * 10) where office.step(cursor) == .read {
                taken.note(cursor)
                cursor += 1
            }
            let end = office.close()
            // The sleep at which the reader may be is over.
            for place in cursor..<max(cursor, end) { if office.box.close(place) != nil { taken.note(place) } }
        }
        expect(taken.entries, equals: taken.entries.sorted())
        expect((taken.entries + refused.entries).sorted(), equals: Array(0..<office.close()))
        // A filler has one place at a time.
        #expect(refused.entries.count <= fillers)
        expect(office.box.ends.alive, equals: 0)
        #expect(office.wrong.entries.isEmpty)
    }
}
