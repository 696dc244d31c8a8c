import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 11 and 13: a mailbox's slots are filled in any order, read in sequence, and reused",
    .tags(.promise11, .promise13), .hangLimit)
struct MailboxTests {}

extension MailboxTests {
    @Test(
        "slots are reused, whether as many as there are were reserved or the ring has doubled",
        arguments: [1, 2, 3, 7, 8, 63, 64, 65, 1_000])
    func laps(capacity: Int) {
        let box = MailboxBox(capacity: capacity)
        var isRight = true
        for position in 0..<max(5_000, 10 * capacity) {
            if position >= capacity { isRight = box.take(position - capacity) == position - capacity && isRight }
            isRight = box.fill(position) == .filled && isRight
        }
        #expect(isRight)
        expect(box.ends.alive, equals: capacity)
    }

    @Test("a reader can look at an unfilled slot, and sleep there, while all others are filled", arguments: [2, 3, 8])
    func lastSlot(capacity: Int) {
        let box = MailboxBox(capacity: capacity)
        for position in 1..<capacity { box.fill(position) }
        #expect(!box.isFilled(0))
        #expect(box.sleep(at: 0))
        expect(box.fill(0), equals: .filledForSleeper)
        expect((0..<capacity).map { box.take($0) }, equals: Array(0..<capacity))
    }

    @Test("elements left in a mailbox are deallocated with it, at any position in the ring", arguments: [0, 3, 1_500])
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

    @Test("random operations return what plain arrays would return", arguments: 0..<100 as Range<UInt64>)
    func randomOperations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let capacity = [1, 2, 3, 7, 8, 63, 64][Int(seed % 7)]
        let box = MailboxBox(capacity: capacity)
        // The reserved slots, in order, and the reader's position.
        var (out, next, cursor, isAsleep): ([Int], Int, Int, Bool) = ([], 0, 0, false)
        var filled: Set<Int> = []
        for step in 0..<2_000 {
            // The test fills and empties the mailbox in turn.
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
                expect(box.endSleep(at: cursor), equals: isAsleep)
                isAsleep = false
            }
            expect(box.ends.alive, equals: filled.count)
        }
        for position in cursor..<next {
            expect(box.close(position), equals: (filled.contains(position) ? position : nil))
            // No reader sleeps there now, so none is woken.
            #expect(!box.sleep(at: position) && !box.endSleep(at: position))
        }
        for position in out { expect(box.fill(position), equals: .refused) }
        expect(box.ends.alive, equals: 0)
    }
}
