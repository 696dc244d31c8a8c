import TestSupport
import Testing

@testable import ErrorRouting

/// The lane alone, with an intake that feeds it.
@Suite(
    "Behaviours 13, 14 and 16: a lane counts each report, or gives it back",
    .tags(.behaviour13, .behaviour14, .behaviour16))
struct DeliveryLaneTests {}

extension DeliveryLaneTests {
    @Test("it goes from one report to the next, numbers them, and counts all but ignored and unmatched ones as handled")
    func goingOn() {
        let road = Road(startingAt: 6)
        road.lane.open(at: 0)
        expect((0..<4).map(road.sequence), equals: [7, 8, 9, 10])
        #expect(road.goOn(from: 0) && road.goOn(from: 1, .ignored) && road.goOn(from: 2, .unmatched))
        expect(road.counts, equals: [7, 1, 1])
        expect(road.position, equals: .init(number: 3))

        // Outside the lane too.
        let other = Road()
        let ends: [HandleOutcome.Disposition] = [.handled, .pending, .suppressed, .ignored, .unmatched]
        other.lane.open(at: 0)
        for (number, end) in ends.enumerated() { #expect(other.goOn(from: Int64(number), end)) }
        expect(other.counts, equals: [3, 1, 1])
        for end in ends { other.lane.count(end) }
        expect(other.counts, equals: [6, 2, 2])
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

    @Test(
        "a lane that is withdrawn stays so, does not count its report, and knows if observers are told of the last one")
    func withdrawing() {
        let road = Road()
        road.lane.open(at: 0)
        #expect(road.goOn(from: 0))
        expect(road.withdraw(), equals: .init(number: 1))
        #expect(!road.goOn(from: 1) && !road.told(at: 1))
        expect(road.counts, equals: [1, 0, 0])

        for isTold in [false, true] {
            let road = Road()
            road.lane.open(at: 0)
            #expect(road.goOn(from: 0, .ignored, isTold: true))
            if isTold { #expect(road.told(at: 1)) }
            expect(road.withdraw(), equals: .init(number: 1, isTelling: !isTold))
            expect(road.counts, equals: [0, 1, 0])
        }
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
            #expect(passage != nil)
            expect(road.counts, equals: expected)
            expected[index(of: end)] += 1
            expect(road.withdraw(), equals: .init(number: number + 1, isTelling: isTold))
            expect(road.counts, equals: expected)
            if let passage { road.lane.count(passage) }
            expect(road.counts, equals: expected)
            #expect(!road.told(at: number + 1) && !road.goOn(from: number + 1))
        }
    }

    @Test("where a flood limit decides, each report is unadmitted until the lane is opened at it again")
    func unadmitted() {
        let road = Road(isLimited: true)
        road.lane.open(at: 0, isUnadmitted: true)
        expect(road.position, equals: .init(number: 0, isUnadmitted: true))
        road.lane.open(at: 0)
        expect(road.position, equals: .init(number: 0))
        #expect(road.goOn(from: 0, .unmatched))
        expect(road.withdraw(), equals: .init(number: 1, isUnadmitted: true))
        expect(road.counts, equals: [0, 0, 1])
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
