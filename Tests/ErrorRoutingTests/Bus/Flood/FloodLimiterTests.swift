import TestSupport
import Testing

@testable import ErrorRouting

/// Tests the limiter alone, as a plain value, with numbers for reports.
@Suite(
    "Promises 14 and 20: a flood limiter passes the first errors of a kind, and merges the rest",
    .tags(.promise14, .promise20), .hangLimit)
struct FloodLimiterTests {}

extension FloodLimiterTests {
    @Test("the longest possible window counts as a hundred years")
    func endlessWindow() {
        var flood = Flood(FloodLimit(first: 1, per: .seconds(Int64.max)), keeping: 1)
        expect(flood.post(1, kind: 7, at: 1), equals: [.passes(1)])
        expect(flood.post(2, kind: 7, at: 1_000_000_000), equals: [.holds(2)])
        expect(flood.limiter.nextEnd, equals: .milliseconds(1) + .seconds(100 * 365 * 86_400))
    }

    @Test("an error with an earlier time than the newest counts as posted at the newest's time")
    func outOfOrder() {
        var flood = Flood(first: 1, window: 10, keeping: 2)
        expect(flood.post(1, kind: 1, at: 8), equals: [.passes(1)])
        // This window ends at 18, not at 15, so it ends after the window that began before it.
        expect(flood.post(2, kind: 2, at: 5), equals: [.passes(2)])
        expect(flood.post(3, kind: 2, at: 16), equals: [.holds(3)])
        expect(flood.post(4, kind: 1, at: 17), equals: [.holds(4)])
        expectNil(flood.release(by: 17))
        expect(
            flood.post(5, kind: 1, at: 19),
            equals: [
                .releases(4, occurrences: 1, since: 17), .releases(3, occurrences: 1, since: 16), .passes(5),
            ])
        // The window of this kind began at 19, so an error from before its beginning is held in it.
        expect(flood.post(6, kind: 1, at: 18), equals: [.holds(6)])
        expect(flood.releaseAll(), equals: [.releases(6, occurrences: 1, since: 18)])
    }

    @Test("for random errors and times it does what a naive limiter does", arguments: 0..<100 as Range<UInt64>)
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
                // The times of concurrent posts are slightly out of order.
                let time = max(0, now - Int.random(in: 0...4, using: &random))
                answers = flood.post(step, kind: kind, at: time)
                expected = naive.post(step, kind: kind, at: time)
                admitted += 1
            case ..<85:
                answers = flood.limiter.takeFirstHeld().map { [.init($0)] } ?? []
                expected = naive.releaseHeld().map { [.init($0)] } ?? []
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
            // No error is lost or counted twice.
            expect(passed + released + suppressed + flood.limiter.heldCount, equals: admitted)
            expect(passed + occurrences + naive.heldOccurrences, equals: admitted)
        }
        for case .releases(_, let count, _) in flood.releaseAll() { occurrences += count }
        expect(passed + occurrences, equals: admitted)
        expect(flood.limiter.heldCount, equals: 0)
        expectNil(flood.limiter.nextEnd)
    }
}
