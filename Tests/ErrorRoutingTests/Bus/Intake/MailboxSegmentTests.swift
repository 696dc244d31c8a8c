import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Behaviour 13: a mailbox uses its segments again, and releases every element once", .tags(.behaviour13))
struct MailboxSegmentTests {}

extension MailboxSegmentTests {
    private static let capacities = [1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193, 1_000]

    @Test("places are used again over many laps, one at a time, in windows, and full", arguments: capacities)
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
    }

    @Test("with all places out at any time, one is emptied for each that is filled", arguments: capacities)
    func sliding(capacity: Int) {
        let box = MailboxBox(capacity: capacity)
        var isRight = true
        for place in 0..<max(5_000, 10 * capacity) {
            if place >= capacity {
                isRight = box.look(at: place - capacity) == place - capacity && isRight
                box.empty(place - capacity)
            }
            isRight = box.fill(place) == .filled && isRight
        }
        #expect(isRight && box.ends.alive == capacity)
    }

    @Test("a reader that empties a place only after two more were given out finds each its own", arguments: capacities)
    func readerBehind(capacity: Int) {
        // The lane releases a report before it empties the place of the one before: one more than capacity is in use,
        // and one more where the reader sleeps.
        let box = MailboxBox(capacity: capacity)
        var isRight = true
        for place in 0..<max(5_000, 10 * capacity) {
            isRight = box.fill(place) == .filled && isRight
            if place > capacity {
                isRight = box.take(place - capacity - 1) == place - capacity - 1 && isRight
            }
            // Where nothing is filled yet a reader may look, and lie down.
            isRight = !box.isFilled(place + 1) && isRight
            isRight = box.sleep(at: place + 1) && box.rouse(at: place + 1) && isRight
        }
        #expect(isRight && box.ends.alive == capacity + 1)
    }

    @Test("one segment and a spare serve a mailbox of small capacity for ever", arguments: [1, 2, 63, 64])
    func reuse(capacity: Int) {
        let box = MailboxBox(capacity: capacity)
        var addresses: Set<UInt> = []
        for place in 0..<50_000 {
            if place >= capacity { box.empty(place - capacity) }
            box.fill(place)
            addresses.insert(box.address(of: place))
        }
        #expect(addresses.count <= 2 * 64)
    }

    @Test("bursts come out in order, also where they need more segments than are kept", arguments: [200, 900, 5_000])
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
            #expect(next - address >= size && (next - address) % 64 == 0 && address % 8 == 0)
        }
        expect((0..<64).map(box.look), equals: Array(0..<64))
    }

    @Test("every element is released once: left in the mailbox, emptied, taken, refused, shut", arguments: capacities)
    func everyElementIsLetGo(capacity: Int) {
        let ends = MailboxBox.Ends()
        do {
            let box = MailboxBox(capacity: capacity, ends: ends)
            var next = 0
            // The mailbox ends in the midst of a segment, and at its boundaries.
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
                _ = box.shut(place)
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
        #expect(ends.alive == 0 && ends.count == 1_000_000)
    }
}
