import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviours 13 and 14: the intake accepts as many reports as there is room for, and counts the others",
    .tags(.behaviour13, .behaviour14))
struct BusIntakeTests {}

extension BusIntakeTests {
    @Test("a report counts from its reservation on, and is taken in the order of these once its place is filled")
    func reserveThenFill() {
        let box = IntakeBox(capacity: 2)
        expect(box.reserve(1), equals: .accepted(0))
        expect(box.intake.accepted, equals: 1)
        expect(box.takeAll(), equals: [])
        expect(box.fill(0, with: 1), equals: .filled)
        expect(box.takeAll(), equals: [1])
        expect(box.intake.accepted, equals: 1)

        let other = IntakeBox(capacity: 3)
        for number in 0..<3 { expect(other.reserve(number), equals: .accepted(number)) }
        other.fill(2, with: 2)
        other.fill(1, with: 1)
        expect(other.takeAll(), equals: [])
        other.fill(0, with: 0)
        expect(other.takeAll(), equals: [0, 1, 2])
    }

    @Test("exactly as many are accepted as there is room for", arguments: [1, 2, 63, 64, 65, 127, 128, 129, 1_000])
    func capacities(capacity: Int) {
        let box = IntakeBox(capacity: capacity)
        var accepted = 0
        // Each round begins at another place of its segment.
        for room in [capacity, 1, capacity, capacity - 1, capacity] {
            box.release(accepted + room - capacity)
            let numbers = accepted..<(accepted + room)
            for number in numbers { expect(box.post(number), equals: .filled) }
            expectNil(box.reserve(-1).place)
            expect(box.takeAll(), equals: Array(numbers))
            accepted += room
        }
        expect(box.intake.drops.unreported, equals: 5)
    }

    @Test("what is taken takes room until it is released")
    func releasing() {
        let box = IntakeBox(capacity: 2)
        _ = (box.post(1), box.post(2))
        expect(box.takeAll(), equals: [1, 2])
        expect(box.reserve(3), equals: .full(makesNotice: true))
        box.releaseOne()
        expect(box.reserve(4), equals: .accepted(2))
        expect(box.reserve(5), equals: .full(makesNotice: false))
        box.intake.publishReleased(3)
        expect(box.reserve(6), equals: .accepted(3))
        expect(box.reserve(7), equals: .accepted(4))
        expect(box.reserve(8), equals: .full(makesNotice: false))
        expect(box.intake.accepted, equals: 5)
        expect(box.intake.released, equals: 3)
        expect(box.intake.drops.unreported, equals: 3)
    }

    @Test("once closed it refuses and counts posts, and takes what was there; close(ifStill:) fails after any change")
    func closing() {
        let box = IntakeBox(capacity: 3)
        expect(box.reserve(1), equals: .accepted(0))
        expect(box.post(2), equals: .filled)
        #expect(box.close())
        #expect(!box.close())
        expect(box.reserve(3), equals: .closed)
        expect(box.reserve(4), equals: .closed)
        expect(box.intake.refused, equals: 2)
        expect(box.intake.accepted, equals: 2)
        expect(box.fill(0, with: 1), equals: .filled)
        expect(box.takeAll(), equals: [1, 2])

        let changes: [(IntakeBox) -> Void] = [{ $0.post(2) }, { _ = $0.close() }]
        for change in changes {
            let box = IntakeBox(capacity: 3)
            box.post(1)
            let before = box.intake.state
            change(box)
            #expect(!box.close(ifStill: before))
            // What the reader does changes nothing here.
            let now = box.intake.state
            box.intake.publishReleased(1)
            expect(box.take(), equals: 1)
            #expect(box.close(ifStill: now))
            #expect(box.intake.state.isClosed)
        }
    }

    @Test("it ends only when closed, with nothing reserved or pending; shut hands over what is there, refuses the rest")
    func ending() {
        let box = IntakeBox(capacity: 1)
        #expect(!box.end())
        _ = (box.reserve(1), box.reserve(2), box.close())
        #expect(!box.end())
        expect(box.fill(0, with: 1), equals: .filled)
        expect(box.takeAll(), equals: [1])
        #expect(!box.end())
        box.intake.publishReleased(1)
        #expect(box.end() && box.intake.state.hasEnded)
        expect(box.reserve(3), equals: .closed)

        let other = IntakeBox(capacity: 3)
        expect(other.reserve(1), equals: .accepted(0))
        expect(other.post(2), equals: .filled)
        expect(other.abort(), equals: [2])
        #expect(other.intake.state.isClosed && other.intake.state.hasEnded)
        expect(other.fill(0, with: 1), equals: .refused)
        expect(other.intake.accepted, equals: 2)
        expect(other.abort(), equals: [])
    }

    @Test("a sleeping loop is woken by the report that it sleeps at, and roused once")
    func sleeping() {
        let box = IntakeBox(capacity: 2)
        #expect(box.sleep())
        expect(box.reserve(1), equals: .accepted(0))
        expect(box.post(2), equals: .filled)
        expect(box.fill(0, with: 1), equals: .filledForSleeper)
        #expect(!box.sleep())
        expect(box.takeAll(), equals: [1, 2])
        #expect(box.sleep())
        #expect(box.rouse())
        #expect(!box.rouse())
    }

    @Test("a posting keeps scope, promise and flood stamp, alone and together, and fits a cache line", arguments: 0..<8)
    func parts(_ combination: Int) {
        // With its slot's state it fills one cache line of 64 bytes.
        expect(MemoryLayout<Posting>.size, equals: 56)
        let own = ScopeContext.Own(name: "scope", rules: RuleSet(), order: .innermostFirst, metadata: [:])
        let scope = combination & 1 == 0 ? nil : ScopeContext(own, in: nil, root: nil)
        let promise = combination & 2 == 0 ? nil : Promise<HandleOutcome>()
        let stamp: Posting.FloodStamp? = combination & 4 == 0 ? nil : (ErrorCode(of: Numbered(7)), 7)
        let posting = Posting(Numbered(7), at: .init(), scope: scope, promise: promise, floodStamp: stamp)
        #expect(posting.scope === scope)
        #expect(posting.promise === promise)
        expect(posting.floodStamp?.code, equals: stamp?.code)
        expect(posting.floodStamp?.moment, equals: stamp?.moment)
    }

    @Test("the moment of a report is the continuous clock's own, to the nanosecond, and it keeps what it is given")
    func moment() {
        for _ in 0..<1_000 {
            let before = ContinuousClock.now
            let moment = Moment()
            let after = ContinuousClock.now
            #expect(before <= moment.instant && moment.instant <= after)
            expect(Moment(moment.instant), equals: moment)
        }
        for offset in [.zero, .nanoseconds(1), .seconds(-86_400), .seconds(100 * 365 * 86_400)] as [Duration] {
            let instant = ContinuousClock.now.advanced(by: offset)
            let report = ErrorReport(error: Numbered(1), source: .init(), instant: instant)
            expect([report.instant, report.firstInstant], equals: [instant, instant])
            let firsts = [-1, 1].map { (seconds: Int) in
                ErrorReport(
                    error: Numbered(1), source: .init(), instant: instant, firstInstant: instant + .seconds(seconds))
            }
            expect(firsts.map(\.firstInstant), equals: [instant - .seconds(1), instant])
        }
    }

    @Test("the word accepts as many as there is room for, and again once some are released")
    func wordsCapacity() {
        var word = IntakeWord()
        expect(answers(&word, released: 0, capacity: 2, count: 3), equals: [.accepted(0), .accepted(1), .full])
        expect(word.accepted, equals: 2)
        expect(answers(&word, released: 1, capacity: 2, count: 2), equals: [.accepted(2), .full])
        expect(answers(&word, released: 3, capacity: 2, count: 3), equals: [.accepted(3), .accepted(4), .full])
        expect(word.accepted, equals: 5)
    }

    @Test("random operations on the word answer what plain fields would", arguments: 0..<100 as Range<UInt64>)
    func randomOperations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let capacity = Int.random(in: 1...4, using: &random)
        var (word, model) = (IntakeWord(), NaiveWord())
        var released: Int64 = 0
        for _ in 0..<200 {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<55:
                // Posters may remember an older count of what was released than there is.
                let seen = max(0, released - Int64.random(in: 0...1, using: &random))
                let answer = word.reserve(released: seen, capacity: capacity)
                expect(answer, equals: model.reserve(released: seen, capacity: Int64(capacity)))
            case ..<90: released += released < model.accepted ? 1 : 0
            case ..<92:
                let isFirst = word.close()
                expect(isFirst, equals: !model.isClosed)
                model.isClosed = true
            case ..<99:
                let hasEnded = word.end(released: released)
                expect(hasEnded, equals: (model.isClosed && released == model.accepted))
                if hasEnded { model.hasEnded = true }
            default:
                if Int.random(in: 0..<4, using: &random) > 0 { continue }
                expect(word.abort(), equals: model.accepted)
                (model.isClosed, model.hasEnded) = (true, true)
            }
            expect(NaiveWord(word), equals: model)
            let copy = IntakeWord.decodeAtomicRepresentation(IntakeWord.encodeAtomicRepresentation(word))
            expect(copy, equals: word)
        }
    }

    /// What the word says, field by field.
    private struct NaiveWord: Equatable {
        var accepted: Int64 = 0
        var isClosed = false
        var hasEnded = false

        init() {}

        init(_ word: IntakeWord) {
            accepted = word.accepted
            isClosed = word.isClosed
            hasEnded = word.hasEnded
        }

        mutating func reserve(released: Int64, capacity: Int64) -> IntakeWord.Reservation {
            if isClosed { return .closed }
            if accepted - released >= capacity { return .full }
            defer { accepted += 1 }
            return .accepted(accepted)
        }
    }

    private func answers(
        _ word: inout IntakeWord,
        released: Int64,
        capacity: Int,
        count: Int
    ) -> [IntakeWord.Reservation] {
        (0..<count).map { _ in word.reserve(released: released, capacity: capacity) }
    }
}
