import TestSupport
import Testing

@testable import ErrorRouting

/// The lane alone, with an intake that feeds it.
@Suite(
    "Behaviours 13, 14 and 16: a lane counts each report, or gives it back",
    .tags(.behaviour13, .behaviour14, .behaviour16))
struct DeliveryLaneTests {}

extension DeliveryLaneTests {
    @Test("it goes on from one report to the next, and numbers and counts them")
    func goingOn() {
        let road = Road(startingAt: 6)
        road.lane.open(at: 0)
        expect((0..<4).map(road.sequence), equals: [7, 8, 9, 10])
        #expect(road.goOn(from: 0) && road.goOn(from: 1, .ignored) && road.goOn(from: 2, .unmatched))
        #expect(road.counts == [7, 1, 1] && road.position == .init(number: 3))
    }

    @Test("every disposition but ignored and unmatched counts as handled, in the lane and outside")
    func dispositions() {
        let road = Road()
        let ends: [HandleOutcome.Disposition] = [.handled, .pending, .suppressed, .ignored, .unmatched]
        road.lane.open(at: 0)
        for (number, end) in ends.enumerated() { #expect(road.goOn(from: Int64(number), end)) }
        expect(road.counts, equals: [3, 1, 1])
        for end in ends { road.lane.count(end) }
        expect(road.counts, equals: [6, 2, 2])
    }

    @Test("it is interrupted from a number on, until it is not any more")
    func interrupting() {
        let road = Road()
        #expect(!road.isInterrupted(before: .max - 1))
        road.lane.interrupt(before: 2)
        expect((1...3).map(road.isInterrupted), equals: [false, true, true])
        road.lane.interrupt(before: nil)
        #expect(!road.isInterrupted(before: 3))
    }

    @Test("a lane that is withdrawn stays so, and does not count the report that it was at")
    func withdrawing() {
        let road = Road()
        road.lane.open(at: 0)
        #expect(road.goOn(from: 0))
        expect(road.withdraw(), equals: .init(number: 1))
        #expect(!road.goOn(from: 1) && !road.told(at: 1))
        expect(road.counts, equals: [1, 0, 0])
    }

    @Test(
        "a worker that is stopped before it has counted holds up no withdrawal, and its late count is one",
        arguments: [HandleOutcome.Disposition.handled, .ignored, .unmatched], [0, 1, 5]
    )
    func withdrawingFromStoppedWorker(end: HandleOutcome.Disposition, passed: Int64) {
        let ends: [HandleOutcome.Disposition] = [.ignored, .handled, .unmatched]
        for (isReopened, isTold) in [(false, false), (true, false), (false, true), (true, true)] {
            let road = Road()
            road.lane.open(at: 0)
            var expected = [0, 0, 0]
            for number in 0..<passed {
                let end = ends[Int(number) % 3]
                #expect(road.goOn(from: number, end))
                expected[index(of: end)] += 1
            }
            var number = passed
            if isReopened {
                // What is delivered between is counted outside the lane.
                road.lane.count(.handled)
                expected[0] += 1
                number += 1
                road.lane.open(at: number)
            }
            let passage = road.lane.pass(to: number + 1, after: end, isTold: isTold)
            #expect(passage != nil && road.counts == expected)
            expected[index(of: end)] += 1
            expect(road.withdraw(), equals: .init(number: number + 1, isTelling: isTold))
            expect(road.counts, equals: expected)
            if let passage { road.lane.count(passage) }
            #expect(road.counts == expected && !road.told(at: number + 1) && !road.goOn(from: number + 1))
        }
    }

    @Test("a withdrawal knows whether observers are still being told of the last report")
    func telling() {
        for isTold in [false, true] {
            let road = Road()
            road.lane.open(at: 0)
            #expect(road.goOn(from: 0, .ignored, isTold: true))
            if isTold { #expect(road.told(at: 1)) }
            expect(road.withdraw(), equals: .init(number: 1, isTelling: !isTold))
            expect(road.counts, equals: [0, 1, 0])
        }
    }

    @Test("where a flood limit decides, each report is unadmitted until the lane is opened at it again")
    func unadmitted() {
        let road = Road(isLimited: true)
        road.lane.open(at: 0, isUnadmitted: true)
        expect(road.position, equals: .init(number: 0, isUnadmitted: true))
        road.lane.open(at: 0)
        #expect(road.position == .init(number: 0) && road.goOn(from: 0, .unmatched))
        #expect(road.withdraw() == .init(number: 1, isUnadmitted: true) && road.counts == [0, 0, 1])
    }

    private func index(of end: HandleOutcome.Disposition) -> Int { end == .ignored ? 1 : end == .unmatched ? 2 : 0 }
}

/// A lane by itself.
final class Road: Sendable {
    let lane: DeliveryLane
    private let lock = Locked(false)

    init(isLimited: Bool = false, startingAt start: Int = 0) {
        lane = DeliveryLane(isLimited: isLimited, startingAt: Int64(start))
    }

    /// The counts of handled, ignored and unmatched reports.
    var counts: [Int] { [Int(lane[.handled]), Int(lane[.ignored]), Int(lane[.unmatched])] }

    var position: DeliveryLane.Position { lane.position }
    func sequence(of number: Int64) -> UInt64 { lane.sequence(of: number) }
    func isInterrupted(before number: Int64) -> Bool { lane.isInterrupted(before: number) }
    func told(at number: Int64) -> Bool { lane.told(at: number) }

    /// Goes on from one report to the next, and counts; returns false if the lane was withdrawn.
    func goOn(from number: Int64, _ end: HandleOutcome.Disposition = .handled, isTold: Bool = false) -> Bool {
        guard let passage = lane.pass(to: number + 1, after: end, isTold: isTold) else { return false }
        lane.count(passage)
        return true
    }

    // Under a lock, as in the bus.
    func withdraw() -> DeliveryLane.Position { lock.withLock { _ in lane.withdraw() } }
}
