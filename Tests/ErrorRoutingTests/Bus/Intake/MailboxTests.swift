import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviours 11 and 13: a mailbox's places are filled in any order, read in theirs, and used again",
    .tags(.behaviour11, .behaviour13))
struct MailboxTests {}

extension MailboxTests {
    private static let capacities = [1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193, 1_000]

    @Test(
        "places are used again over many laps: in windows, all out at any time, and with the reader two behind",
        arguments: capacities)
    func laps(capacity: Int) {
        for window in Set([1, (capacity + 1) / 2, max(1, capacity - 1), capacity]) {
            let box = MailboxBox(capacity: capacity)
            var next = 0
            var isRight = true
            while next < max(5_000, 10 * capacity) {
                let places = next..<(next + window)
                isRight = box.sleep(at: next) && isRight
                // Slow posters come last to first.
                for place in places.reversed() {
                    isRight = box.fill(place) == (place == next ? .filledForSleeper : .filled) && isRight
                }
                isRight = box.ends.alive == window && isRight
                for place in places { isRight = box.take(place) == place && isRight }
                next += window
            }
            #expect(isRight && box.ends.alive == 0 && box.ends.count == next, "windows of \(window)")
        }

        // With all places out one is emptied for each that is filled.
        let sliding = MailboxBox(capacity: capacity)
        var slides = true
        for place in 0..<max(5_000, 10 * capacity) {
            if place >= capacity {
                slides = sliding.look(at: place - capacity) == place - capacity && slides
                sliding.empty(place - capacity)
            }
            slides = sliding.fill(place) == .filled && slides
        }
        #expect(slides)
        expect(sliding.ends.alive, equals: capacity)

        // A report is released before the place of the one before is emptied: one more than capacity is in use, and one
        // more where the reader sleeps.
        let behind = MailboxBox(capacity: capacity)
        var follows = true
        for place in 0..<max(5_000, 10 * capacity) {
            follows = behind.fill(place) == .filled && follows
            if place > capacity {
                follows = behind.take(place - capacity - 1) == place - capacity - 1 && follows
            }
            // Where nothing is filled yet a reader may look, and lie down.
            follows = !behind.isFilled(place + 1) && follows
            follows = behind.sleep(at: place + 1) && behind.rouse(at: place + 1) && follows
        }
        #expect(follows)
        expect(behind.ends.alive, equals: capacity + 1)
    }

    @Test("bursts come out in order, over several laps", arguments: [200, 900, 5_000])
    func bursts(burst: Int) {
        let box = MailboxBox(capacity: 5_000)
        var next = 0
        for _ in 0..<40 {
            let places = next..<(next + burst)
            for place in places { box.fill(place) }
            #expect(places.allSatisfy { box.take($0) == $0 })
            next += burst
        }
        expect(box.ends.alive, equals: 0)
    }

    @Test("elements do not overlap, and neither do their cache lines")
    func strides() {
        let box = MailboxBox(capacity: 64)
        let addresses = (0..<64).map { place in
            box.fill(place)
            return box.address(of: place)
        }
        let size = UInt(MemoryLayout<MailboxBox.Item>.size)
        for (address, next) in zip(addresses, addresses.dropFirst()) {
            #expect(next - address >= size)
            expect((next - address) % 64, equals: 0)
            expect(address % 8, equals: 0)
        }
        expect((0..<64).map(box.look), equals: Array(0..<64))
    }

    @Test("every element is released once: left in the mailbox, emptied, taken, refused, shut", arguments: capacities)
    func everyElementIsLetGo(capacity: Int) {
        let ends = MailboxBox.Ends()
        do {
            let box = MailboxBox(capacity: capacity, ends: ends)
            var next = 0
            // The mailbox ends in the midst of a lap, and at its boundaries.
            for _ in 0..<(capacity % 3 + 1) {
                for place in next..<(next + capacity) { box.fill(place) }
                for place in next..<(next + capacity) {
                    if place % 2 == 0 {
                        box.empty(place)
                    } else {
                        let taken = box.mailbox.take(Int64(place))
                        withExtendedLifetime(taken) { #expect(ends.alive > 0) }
                    }
                }
                next += capacity
            }
            expect(ends.alive, equals: 0)
            for place in next..<(next + capacity) where place % 3 < 2 { box.fill(place) }
            let left = (next..<(next + capacity)).count { $0 % 3 < 2 }
            expect(ends.alive, equals: left)
            for place in next..<(next + capacity) where place % 3 != 1 {
                _ = box.close(place)
                if place % 3 == 2 { expect(box.fill(place), equals: .refused) }
            }
            expect(ends.alive, equals: (next..<(next + capacity)).count { $0 % 3 == 1 })
        }
        expect(ends.alive, equals: 0)
    }

    @Test("a million elements end with their mailbox")
    func manyEnd() {
        let ends = MailboxBox.Ends()
        do {
            let box = MailboxBox(capacity: 1_000_000, ends: ends)
            for place in 0..<1_000_000 { box.fill(place) }
            expect(ends.alive, equals: 1_000_000)
        }
        expect(ends.alive, equals: 0)
        expect(ends.count, equals: 1_000_000)
    }

    @Test("an element is read where it lies, as often as one likes, until its place is emptied")
    func readingInPlace() {
        let box = MailboxBox(capacity: 2)
        box.fill(1)
        #expect(!box.isFilled(0) && box.isFilled(1))
        box.fill(0)
        expect(box.look(at: 0), equals: 0)
        expect(box.look(at: 0), equals: 0)
        expect(box.ends.count, equals: 0)
        box.empty(0)
        expect(box.ends.count, equals: 1)
        #expect(!box.isFilled(0))
        expect(box.look(at: 1), equals: 1)
    }

    @Test("a reader is woken by whoever fills the place at which it sleeps, or roused it, and by nobody else")
    func waking() {
        let box = MailboxBox(capacity: 100)
        for place in stride(from: 0, to: 300, by: 3) {
            #expect(box.sleep(at: place))
            expect(box.fill(place + 1), equals: .filled)
            expect(box.fill(place + 2), equals: .filled)
            expect(box.fill(place), equals: .filledForSleeper)
            expect((place..<(place + 3)).map(box.take), equals: [place, place + 1, place + 2])
        }

        let other = MailboxBox(capacity: 2)
        #expect(!other.rouse(at: 0))
        #expect(other.sleep(at: 0))
        #expect(other.rouse(at: 0))
        #expect(!other.rouse(at: 0))
        expect(other.fill(0), equals: .filled)
        #expect(!other.rouse(at: 0))
        expect(other.take(0), equals: 0)
        #expect(other.sleep(at: 1) && !other.rouse(at: 0) && other.rouse(at: 1))
    }

    @Test("shut hands over what is there, refuses what comes to the other places, and wakes no sleeping reader")
    func shutting() {
        let box = MailboxBox(capacity: 200)
        for place in 0..<200 where place % 3 > 0 { box.fill(place) }
        expect((0..<200).map(box.close), equals: (0..<200).map { $0 % 3 > 0 ? $0 : nil })
        #expect(stride(from: 0, to: 200, by: 3).allSatisfy { box.fill($0) == .refused })
        #expect((0..<200).allSatisfy { !box.isFilled($0) && box.take($0) == nil })
        #expect((0..<200).allSatisfy { !box.sleep(at: $0) && !box.rouse(at: $0) })
        expect(box.ends.alive, equals: 0)

        let other = MailboxBox(capacity: 1)
        #expect(other.sleep(at: 0))
        expectNil(other.close(0))
        #expect(!other.rouse(at: 0))
        expect(other.fill(0), equals: .refused)
    }

    @Test("random operations answer what plain arrays would", arguments: 0..<100 as Range<UInt64>)
    func randomOperations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let capacity = [1, 2, 3, 63, 64, 65, 128][Int(seed % 7)]
        let box = MailboxBox(capacity: capacity)
        // The places that are out, in order, and what the reader has come to.
        var (out, next, cursor, isAsleep): ([Int], Int, Int, Bool) = ([], 0, 0, false)
        var filled: Set<Int> = []
        for step in 0..<2_000 {
            // Fills and empties the mailbox in turns.
            let isRising = step / 300 % 2 == 0
            switch Int.random(in: 0..<100, using: &random) {
            case ..<(isRising ? 40 : 20) where next - cursor < capacity:
                out.append(next)
                next += 1
            case ..<65:
                guard let index = out.indices.randomElement(using: &random) else { continue }
                let place = out.remove(at: step % 2 == 0 ? index : 0)
                filled.insert(place)
                let wakes = isAsleep && place == cursor
                expect(box.fill(place), equals: (wakes ? .filledForSleeper : .filled))
                if wakes { isAsleep = false }
            case ..<(isRising ? 75 : 90):
                expect(box.isFilled(cursor), equals: filled.contains(cursor))
                guard filled.remove(cursor) != nil else {
                    expectNil(box.take(cursor))
                    continue
                }
                if step % 2 == 0 { box.empty(cursor) } else { expect(box.take(cursor), equals: cursor) }
                cursor += 1
            case ..<96:
                expect(box.sleep(at: cursor), equals: !filled.contains(cursor))
                isAsleep = !filled.contains(cursor)
            default:
                expect(box.rouse(at: cursor), equals: isAsleep)
                isAsleep = false
            }
            expect(box.ends.alive, equals: filled.count)
        }
        for place in cursor..<next { expect(box.close(place), equals: (filled.contains(place) ? place : nil)) }
        for place in out { expect(box.fill(place), equals: .refused) }
        expect(box.ends.alive, equals: 0)
    }
}
