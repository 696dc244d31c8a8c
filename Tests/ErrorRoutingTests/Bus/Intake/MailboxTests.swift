import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviours 11 and 13: a mailbox's places are filled in any order, and read in theirs",
    .tags(.behaviour11, .behaviour13))
struct MailboxTests {}

extension MailboxTests {
    @Test("elements are taken in the order of their numbers, in whatever order they were filled")
    func order() {
        let box = MailboxBox(capacity: 4)
        for place in [2, 0, 3, 1] { expect(box.fill(place), equals: .filled) }
        expect((0..<5).map(box.take), equals: [0, 1, 2, 3, nil])
        #expect(box.fill(4) == .filled && box.take(4) == 4)
    }

    @Test("a place is empty until it is filled, whatever is in those after it, and again once it is taken")
    func emptyPlaces() {
        let box = MailboxBox(capacity: 3)
        #expect(!box.isFilled(0) && box.take(0) == nil)
        box.fill(1)
        #expect(!box.isFilled(0) && box.take(0) == nil && box.isFilled(1))
        box.fill(0)
        #expect(box.take(0) == 0 && !box.isFilled(0) && box.take(0) == nil)
        expect(box.take(1), equals: 1)
    }

    @Test("an element is read where it lies, as often as one likes, until its place is emptied")
    func readingInPlace() {
        let box = MailboxBox(capacity: 2)
        box.fill(0)
        box.fill(1)
        #expect(box.look(at: 0) == 0 && box.look(at: 0) == 0 && box.ends.count == 0)
        box.empty(0)
        #expect(box.ends.count == 1 && !box.isFilled(0) && box.look(at: 1) == 1)
    }

    @Test("only who fills the place at which the reader sleeps wakes it")
    func wakingOnce() {
        let box = MailboxBox(capacity: 100)
        for place in stride(from: 0, to: 300, by: 3) {
            #expect(box.sleep(at: place))
            #expect(box.fill(place + 1) == .filled && box.fill(place + 2) == .filled)
            expect(box.fill(place), equals: .filledForSleeper)
            expect((place..<(place + 3)).map(box.take), equals: [place, place + 1, place + 2])
        }
    }

    @Test("the reader may not go to sleep where an element is")
    func noSleepOverElements() {
        let box = MailboxBox(capacity: 2)
        for place in 0..<2 {
            box.fill(place)
            #expect(!box.sleep(at: place))
            expect(box.take(place), equals: place)
        }
        #expect(box.sleep(at: 2))
    }

    @Test("going to sleep twice, or looking at the place meanwhile, is still one sleep")
    func sleepingTwice() {
        let box = MailboxBox(capacity: 2)
        #expect(box.sleep(at: 0) && box.sleep(at: 0))
        #expect(!box.isFilled(0) && box.take(0) == nil)
        expect(box.fill(0), equals: .filledForSleeper)
        #expect(box.take(0) == 0 && box.fill(1) == .filled)
    }

    @Test("a roused reader is woken by whoever roused it, and by nobody else")
    func rousing() {
        let box = MailboxBox(capacity: 2)
        // No segment is there yet.
        #expect(!box.rouse(at: 0))
        #expect(box.sleep(at: 0))
        #expect(box.rouse(at: 0))
        #expect(!box.rouse(at: 0))
        expect(box.fill(0), equals: .filled)
        #expect(!box.rouse(at: 0))
        #expect(box.take(0) == 0 && box.sleep(at: 1) && !box.rouse(at: 0) && box.rouse(at: 1))
    }

    @Test("shut hands over what is there, and refuses what comes to the other places")
    func shutting() {
        let box = MailboxBox(capacity: 200)
        for place in 0..<200 where place % 3 > 0 { box.fill(place) }
        expect((0..<200).map(box.shut), equals: (0..<200).map { $0 % 3 > 0 ? $0 : nil })
        #expect(stride(from: 0, to: 200, by: 3).allSatisfy { box.fill($0) == .refused })
        #expect((0..<200).allSatisfy { !box.isFilled($0) && box.take($0) == nil })
        #expect((0..<200).allSatisfy { !box.sleep(at: $0) && !box.rouse(at: $0) })
        expect(box.ends.alive, equals: 0)
    }

    @Test("shut does not wake a sleeping reader: the caller of shut knows that it sleeps")
    func shuttingOverSleeper() {
        let box = MailboxBox(capacity: 1)
        #expect(box.sleep(at: 0))
        expectNil(box.shut(0))
        #expect(!box.rouse(at: 0))
        expect(box.fill(0), equals: .refused)
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
        for place in cursor..<next { expect(box.shut(place), equals: (filled.contains(place) ? place : nil)) }
        for place in out { expect(box.fill(place), equals: .refused) }
        expect(box.ends.alive, equals: 0)
    }
}
