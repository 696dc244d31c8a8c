import TestSupport
import Testing

@testable import ErrorRouting

/// The limiter alone, as a plain value, with numbers for reports, and the storage with such a limiter in it.
@Suite(
    "Behaviours 13, 14 and 20: a flood limiter passes the first errors of a kind, and sums up the rest",
    .tags(.behaviour13, .behaviour14, .behaviour20))
struct FloodLimiterTests {}

extension FloodLimiterTests {
    @Test("the first in a window pass; of the rest the newest is held, the others are suppressed")
    func firstPassRestIsHeld() {
        var flood = Flood(first: 2, window: 10, keeping: 5)
        expect(flood.post(1, kind: 7, at: 0), equals: [.passes(1)])
        expect(flood.post(2, kind: 7, at: 1), equals: [.passes(2)])
        expect(flood.post(3, kind: 7, at: 2), equals: [.holds(3)])
        expect(flood.post(4, kind: 7, at: 3), equals: [.suppresses(3)])
        expect(flood.post(5, kind: 7, at: 9), equals: [.suppresses(4)])
        expect(flood.limiter.heldCount, equals: 1)
        expectNil(flood.release(by: 9))
        expect(flood.release(by: 10), equals: .releases(5, occurrences: 3, since: 2))
        expectNil(flood.release(by: 10))
        expect(flood.limiter.heldCount, equals: 0)
    }

    @Test("a window begins with the first error of its kind, and the next with the first error after its end")
    func windows() {
        var flood = Flood(first: 1, window: 10, keeping: 5)
        expect(flood.post(1, kind: 7, at: 5), equals: [.passes(1)])
        expect(flood.post(2, kind: 7, at: 14), equals: [.holds(2)])
        // What is held goes before the error that finds the window over.
        expect(flood.post(3, kind: 7, at: 15), equals: [.releases(2, occurrences: 1, since: 14), .passes(3)])
        expect(flood.post(4, kind: 7, at: 24), equals: [.holds(4)])
        expect(flood.release(by: 25), equals: .releases(4, occurrences: 1, since: 24))
        expect(flood.post(5, kind: 7, at: 99), equals: [.passes(5)])
    }

    @Test("held errors are released in the order of their windows, which go on and hold later errors")
    func releaseHeld() {
        var flood = Flood(first: 1, window: 10, keeping: 5)
        for kind in [7, 8] { expect(flood.post(kind, kind: kind, at: kind - 7), equals: [.passes(kind)]) }
        expect(flood.post(1, kind: 8, at: 2), equals: [.holds(1)])
        expect(flood.post(2, kind: 7, at: 3), equals: [.holds(2)])
        expect(flood.post(3, kind: 7, at: 4), equals: [.suppresses(2)])
        expect(flood.limiter.releaseHeld().map { [$0.held, $0.occurrences] }, equals: [3, 2])
        expect(flood.limiter.releaseHeld().map { [$0.held, $0.occurrences] }, equals: [1, 1])
        expectNil(flood.limiter.releaseHeld())
        expect(flood.limiter.heldCount, equals: 0)
        expect(flood.post(4, kind: 7, at: 5), equals: [.holds(4)])
        expect(flood.release(by: 10), equals: .releases(4, occurrences: 1, since: 5))
        expect(flood.post(5, kind: 7, at: 11), equals: [.passes(5)])
    }

    @Test("kinds have windows of their own, and go in the order in which these end")
    func kindsApart() {
        var flood = Flood(first: 0, window: 10, keeping: 5)
        for (error, kind, time) in [(1, 7, 0), (2, 8, 1), (3, 9, 2)] {
            expect(flood.post(error, kind: kind, at: time), equals: [.holds(error)])
        }
        // Errors that come later do not move a window's end.
        expect(flood.post(4, kind: 7, at: 9), equals: [.suppresses(1)])
        expect(flood.limiter.nextEnd, equals: .milliseconds(10))
        expect(flood.release(by: 11), equals: .releases(4, occurrences: 2, since: 0))
        expect(flood.release(by: 11), equals: .releases(2, occurrences: 1, since: 1))
        expectNil(flood.release(by: 11))
        expect(flood.limiter.nextEnd, equals: .milliseconds(12))
        expect(flood.release(by: nil), equals: .releases(3, occurrences: 1, since: 2))
        expectNil(flood.limiter.nextEnd)
    }

    @Test("the kind whose window began first is forgotten first, and what is held for it is released")
    func forgetting() {
        var flood = Flood(first: 0, window: 10, keeping: 3)
        for (error, kind) in [(1, 7), (2, 8), (3, 9)] { _ = flood.post(error, kind: kind, at: 0) }
        expect(flood.post(4, kind: 7, at: 1), equals: [.suppresses(1)])
        expect(flood.post(5, kind: 10, at: 2), equals: [.releases(4, occurrences: 2, since: 0), .holds(5)])
        expect(flood.post(6, kind: 11, at: 2), equals: [.releases(2, occurrences: 1, since: 0), .holds(6)])
        expect(flood.post(7, kind: 12, at: 2), equals: [.releases(3, occurrences: 1, since: 0), .holds(7)])
        expect(flood.limiter.heldCount, equals: 3)
    }

    @Test("the longest possible window counts as a hundred years")
    func endlessWindow() {
        var flood = Flood(FloodLimit(first: 1, per: .seconds(Int64.max)), keeping: 1)
        expect(flood.post(1, kind: 7, at: 1), equals: [.passes(1)])
        expect(flood.post(2, kind: 7, at: 1_000_000_000), equals: [.holds(2)])
        expect(flood.limiter.nextEnd, equals: .milliseconds(1) + .seconds(100 * 365 * 86_400))
    }

    @Test("the alarm is set for the end of the first window that may hold something")
    func alarms() {
        let bus = DrivenStorage(flood: FloodLimit(first: 0, per: .seconds(10)))
        expect(bus.next(), equals: .asleep)
        expectNil(bus.alarm)
        bus.post(1, line: 1, at: .seconds(1))
        bus.post(2, line: 2, at: .seconds(2))
        expect(bus.next(), equals: .asleep)
        expect(bus.alarm, equals: .seconds(11))
        expect(bus.drain(at: .seconds(11)), equals: [.error(1, occurrences: 1), .asleep])
        expect(bus.alarm, equals: .seconds(12))
    }

    @Test("what is held takes capacity, as all that is pending does")
    func heldTakesCapacity() {
        let bus = DrivenStorage(capacity: 2, flood: FloodLimit(first: 0, per: .seconds(10)))
        bus.post(1)
        expect(bus.next(), equals: .asleep)
        expect(bus.post(2, line: 2), equals: true)
        expectNil(bus.post(3, line: 2))
        // With a capacity of 2 the limit remembers one kind: the second error releases the first.
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.post(4, line: 2), equals: false)
    }

    @Test("random errors and times answer what the naive limiter would", arguments: 0..<100 as Range<UInt64>)
    func randomOperations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (first, maximum) = (Int.random(in: 0...3, using: &random), Int.random(in: 1...5, using: &random))
        var flood = Flood(first: first, window: 12, keeping: maximum)
        var naive = NaiveFloodLimiter(first: first, window: 12, maximum: maximum)
        var now = 0
        var (admitted, passed, released, occurrences, suppressed) = (0, 0, 0, 0, 0)
        for step in 0..<400 {
            now += Int.random(in: 0...3, using: &random)
            let answers: [Flood.Answer]
            let expected: [Flood.Answer]
            switch Int.random(in: 0..<100, using: &random) {
            case ..<80:
                let kind = Int.random(in: 0..<7, using: &random)
                // Posters' moments are not quite in order.
                let time = max(0, now - Int.random(in: 0...4, using: &random))
                answers = flood.post(step, kind: kind, at: time)
                expected = naive.post(step, kind: kind, at: time)
                admitted += 1
            case ..<98:
                answers = flood.release(by: now).map { [$0] } ?? []
                expected = naive.release(endingBy: now).map { [.init($0)] } ?? []
            default:
                answers = flood.releaseAll()
                expected = naive.releaseAll()
            }
            expect(answers, equals: expected, "step \(step)")
            for answer in answers {
                switch answer {
                case .passes: passed += 1
                case .holds: break
                case .suppresses: suppressed += 1
                case .releases(_, let count, _): (released, occurrences) = (released + 1, occurrences + count)
                }
            }
            expect(flood.limiter.heldCount, equals: naive.heldCount)
            expect(flood.limiter.nextEnd, equals: naive.nextEnd.map { .milliseconds($0) })
            // Nothing is lost or counted twice.
            expect(passed + released + suppressed + flood.limiter.heldCount, equals: admitted)
            expect(passed + occurrences + naive.heldOccurrences, equals: admitted)
        }
        for case .releases(_, let count, _) in flood.releaseAll() { occurrences += count }
        expect(passed + occurrences, equals: admitted)
        expect(flood.limiter.heldCount, equals: 0)
        expectNil(flood.limiter.nextEnd)
    }
}
