import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// The word alone, as a plain value.
@Suite("Behaviours 13 and 14: one atomic word accepts posts and closes the intake", .tags(.behaviour13, .behaviour14))
struct IntakeWordTests {}

extension IntakeWordTests {
    @Test("it accepts as many as there is room for, and again once some are released")
    func capacity() {
        var word = IntakeWord()
        expect(answers(&word, released: 0, capacity: 2, count: 3), equals: [.accepted, .accepted, .full])
        expect(word.accepted, equals: 2)
        expect(answers(&word, released: 1, capacity: 2, count: 2), equals: [.accepted, .full])
        expect(answers(&word, released: 3, capacity: 2, count: 3), equals: [.accepted, .accepted, .full])
        expect(word.accepted, equals: 5)
    }

    @Test("once closed it accepts nothing, whether there is room or not, and closing it again changes nothing")
    func closing() {
        var word = IntakeWord()
        let answers = [word.close(), word.close()]
        expect(answers, equals: [true, false])
        expect(self.answers(&word, released: 0, capacity: 9, count: 1), equals: [.closed])
        #expect(word.accepted == 0 && word.isClosed && !word.hasEnded)
    }

    @Test("it ends only closed, with all released")
    func ending() {
        for isClosed in [false, true] {
            for accepted in 0...2 {
                var word = IntakeWord()
                for _ in 0..<accepted { _ = word.reserve(released: 0, capacity: 2) }
                if isClosed { _ = word.close() }
                let mayEnd = isClosed && accepted == 1
                let hasEnded = word.end(released: 1)
                #expect(hasEnded == mayEnd && word.hasEnded == mayEnd)
            }
        }
    }

    @Test("shut ends it, whatever is outstanding, and forgets none of that")
    func shutting() {
        var word = IntakeWord()
        _ = word.reserve(released: 0, capacity: 1)
        let accepted = word.shut()
        #expect(word.isClosed && word.hasEnded && accepted == 1 && word.accepted == 1)
        expect(answers(&word, released: 1, capacity: 1, count: 1), equals: [.closed])
    }

    @Test("random operations answer what plain fields would", arguments: 0..<100 as Range<UInt64>)
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
                expect(word.shut(), equals: model.accepted)
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
            accepted += 1
            return .accepted
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
