import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviours 11 and 13: a mailbox's slots are filled in any order, read in sequence, and used again",
    .tags(.behaviour11, .behaviour13), .hangLimit)
struct MailboxTests {}

extension MailboxTests {
    @Test(
        "slots are reused, even with the reader two behind: as many as are reserved, or after the ring has doubled",
        arguments: [1, 2, 3, 6, 7, 62, 63, 64, 1_000])
    func laps(capacity: Int) {
        // A report is released before the previous report's slot is emptied: one more than capacity is in use, and one
        // more where the reader sleeps.
        let box = MailboxBox(capacity: capacity)
        var isRight = true
        for position in 0..<max(5_000, 10 * capacity) {
            isRight = box.fill(position) == .filled && isRight
            if position > capacity {
                isRight = box.take(position - capacity - 1) == position - capacity - 1 && isRight
            }
            // A reader may check an unfilled slot, and sleep there.
            isRight = !box.isFilled(position + 1) && isRight
            isRight = box.sleep(at: position + 1) && box.rouse(at: position + 1) && isRight
        }
        #expect(isRight)
        expect(box.ends.alive, equals: capacity + 1)
    }

    @Test("elements do not overlap, and neither do their cache lines")
    func strides() {
        let box = MailboxBox(capacity: 64)
        let addresses = (0..<64).map { position in
            box.fill(position)
            return box.address(of: position)
        }
        let size = UInt(MemoryLayout<MailboxBox.Item>.size)
        for (address, next) in zip(addresses, addresses.dropFirst()) {
            #expect(next - address >= size)
            expect((next - address) % 64, equals: 0)
            expect(address % 8, equals: 0)
        }
    }

    @Test("elements without a number use two slots in turn, which no numbered element uses")
    func inserted() {
        let ends = MailboxBox.Ends()
        do {
            let box = MailboxBox(capacity: 6, ends: ends)
            for position in 0..<8 { box.fill(position) }
            var former = box.insert(100)
            for turn in 101..<110 as Range<UInt64> {
                let next = box.insert(turn)
                expect(box.take(former), equals: Int(turn) - 1)
                former = next
            }
            expect((0..<8).map { box.take($0) }, equals: Array(0..<8))
            expect(ends.alive, equals: 1)
        }
        expect(ends.alive, equals: 0)
    }

    @Test("elements left in a mailbox are deallocated with it, anywhere in the ring", arguments: [0, 3, 1_500])
    func leftovers(firstPlace: Int) {
        let ends = MailboxBox.Ends()
        do {
            let box = MailboxBox(capacity: 1_000, ends: ends)
            for position in firstPlace..<(firstPlace + 1_000) { box.fill(position) }
            expect(ends.alive, equals: 1_000)
        }
        expect(ends.alive, equals: 0)
        expect(ends.count, equals: 1_000)
    }

    @Test("random operations return the same as plain arrays would", arguments: 0..<100 as Range<UInt64>)
    func randomOperations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let capacity = [1, 2, 3, 6, 7, 62, 63][Int(seed % 7)]
        let box = MailboxBox(capacity: capacity)
        // The reserved slots, in order, and the reader's position.
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
                let position = out.remove(at: step % 2 == 0 ? index : 0)
                filled.insert(position)
                let wakes = isAsleep && position == cursor
                expect(box.fill(position), equals: (wakes ? .filledForSleeper : .filled))
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
        for position in cursor..<next {
            expect(box.close(position), equals: (filled.contains(position) ? position : nil))
            // No reader sleeps there now, and none is woken.
            #expect(!box.sleep(at: position) && !box.rouse(at: position))
        }
        for position in out { expect(box.fill(position), equals: .refused) }
        expect(box.ends.alive, equals: 0)
    }
}
