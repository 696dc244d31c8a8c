import TestSupport
import Testing

@testable import ErrorRouting

extension ContentionTests {
    private static let windows = [1, 2, 6, 63, 200].flatMap { capacity in [1, 2, 8].map { (capacity, $0) } }

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
}
