import TestSupport
import Testing

@testable import ErrorRouting

/// The lane alone, with an intake that feeds it.
@Suite(
    "Behaviours 13, 14 and 16: a lane counts each report, or gives it back",
    .tags(.behaviour13, .behaviour14, .behaviour16))
struct DeliveryLaneTests {
    @Test("it is closed until it is opened, and goes on as long as plain reports follow")
    func goingOn() {
        let road = Road(reports: 4)
        #expect(!road.lane.isOpen && road.lane.counts.isOpen == false && road.close() == nil)
        road.lane.open(at: 0, sequence: 7)
        #expect(road.lane.isOpen && (0..<4).map { road.lane.sequence(of: $0) } == [7, 8, 9, 10])
        #expect(road.goOn(from: 0) == .next && road.goOn(from: 1, .ignored) == .next)
        #expect(road.goOn(from: 2, .unmatched) == .next)
        #expect(road.counts == [1, 1, 1])
        #expect(road.goOn(from: 3) == .last)
        #expect(road.counts == [1, 1, 1])
        #expect(road.close() == 3 && !road.lane.isOpen && road.close() == nil)
    }

    @Test("each step releases one report, and no other does")
    func releasing() {
        let road = Road(reports: 3)
        road.box.intake.publishReleased(1)
        road.lane.open(at: 0, sequence: 1)
        for number in 0..<3 {
            #expect(road.released == number + 1)
            _ = road.goOn(from: number)
        }
        #expect(road.box.intake.counts.released == 3)
    }

    @Test("every disposition but ignored and unmatched counts as handled")
    func dispositions() {
        let road = Road(reports: 6)
        road.lane.open(at: 0, sequence: 1)
        let ends: [HandleOutcome.Disposition] = [.handled, .pending, .suppressed, .ignored, .unmatched]
        for (number, end) in ends.enumerated() {
            #expect(road.goOn(from: number, end) == .next)
        }
        #expect(road.counts == [3, 1, 1])
    }

    @Test("a report whose poster waits, an empty place, no place and a notice end the lane without any effect")
    func ends() {
        let followers: [(IntakeBox) -> Void] = [
            { box in
                let place = box.reserve(1).place
                _ = place.map { box.fill($0, with: IntakeBox.posting(Numbered(1), isWaitedFor: true)) }
            },
            { box in _ = box.reserve(1) },
            { _ in },
            { box in _ = (box.announce(), box.post(1)) },
        ]
        for follow in followers {
            let road = Road(reports: 1)
            follow(road.box)
            road.lane.open(at: 0, sequence: 1)
            #expect(road.goOn(from: 0) == .last)
            #expect(road.counts == [0, 0, 0] && road.close() == 0)
        }
    }

    @Test("a lane that is withdrawn stays so, and does not count the report that it was at")
    func withdrawing() {
        let road = Road(reports: 4)
        road.lane.open(at: 0, sequence: 1)
        #expect(road.goOn(from: 0) == .next)
        #expect(road.withdraw() == 1 && !road.lane.isOpen)
        #expect(road.goOn(from: 1) == .withdrawn)
        #expect(road.counts == [1, 0, 0])
        #expect(road.close() == nil && road.withdraw() == nil)
    }

    @Test(
        "a worker that is stopped before it has counted holds up no withdrawal, and its late count is one",
        arguments: [HandleOutcome.Disposition.handled, .ignored, .unmatched], [0, 1, 5]
    )
    func withdrawingFromStoppedWorker(end: HandleOutcome.Disposition, passed: Int) {
        let ends: [HandleOutcome.Disposition] = [.ignored, .handled, .unmatched]
        for (isReopened, isObserved) in [(false, false), (true, false), (false, true), (true, true)] {
            let road = Road(reports: 9)
            road.box.release(1)
            road.open(at: 0, sequence: 1)
            var expected = [0, 0, 0]
            for number in 0..<passed {
                let end = ends[number % 3]
                #expect(road.goOn(from: number, end) == .next)
                expected[index(of: end)] += 1
            }
            var number = passed
            if isReopened {
                // What was delivered between is counted elsewhere.
                #expect(road.close() == number)
                number += 1
                road.box.release(number + 1)
                road.open(at: number, sequence: UInt64(number + 1))
            }
            let passage = road.lane.pass(to: Int64(number + 1), end, isObserved: isObserved, in: road.box.intake)
            #expect(passage != nil && road.counts == expected)
            expected[index(of: end)] += 1
            let withdrawal = road.withdrawal()
            #expect(withdrawal == .init(number: Int64(number + 1), isAnnouncing: isObserved))
            #expect(road.counts == expected)
            if let passage { road.lane.count(passage, in: road.box.intake) }
            #expect(road.counts == expected && !road.announced(at: number + 1))
            #expect(road.goOn(from: number + 1) == .withdrawn)
        }
    }

    @Test("a withdrawal knows whether observers are still being told of the last report")
    func announcing() {
        for isTold in [false, true] {
            let road = Road(reports: 3)
            road.open(at: 0, sequence: 1)
            #expect(road.goOn(from: 0, .ignored, isObserved: true) == .next)
            if isTold { #expect(road.announced(at: 1)) }
            #expect(road.withdrawal() == .init(number: 1, isAnnouncing: !isTold))
            #expect(road.counts == [0, 1, 0])
        }
    }

    private func index(of end: HandleOutcome.Disposition) -> Int { end == .ignored ? 1 : end == .unmatched ? 2 : 0 }

    @Test("withdrawing a closed lane takes nothing away")
    func withdrawingClosed() {
        let road = Road(reports: 2)
        road.lane.open(at: 0, sequence: 1)
        #expect(road.close() == 0)
        #expect(road.withdraw() == nil && road.close() == nil && !road.lane.isOpen)
    }

    @Test("it can be opened again where it was closed, and counts on")
    func reopening() {
        let road = Road(reports: 4)
        for number in stride(from: 0, to: 4, by: 2) {
            road.open(at: number, sequence: UInt64(number + 1))
            #expect(road.goOn(from: number) == .next)
            #expect(road.close() == number + 1)
        }
        #expect(road.counts == [2, 0, 0] && road.lane.sequence(of: 3) == 4)
    }
}

/// A lane, and an intake with reports in it.
final class Road: Sendable {
    let lane = DeliveryLane()
    let box: IntakeBox
    private let lock = Locked(false)

    init(capacity: Int = 1_000, reports: Int = 0, startingAt start: Int = 0) {
        box = IntakeBox(capacity: capacity, startingAt: start)
        for number in 0..<reports { box.post(number) }
    }

    /// The counts of handled, ignored and unmatched reports.
    var counts: [Int] {
        let counts = lane.counts
        return [Int(counts.handled), Int(counts.ignored), Int(counts.unmatched)]
    }

    /// Goes on from one report to the next; the caller empties the place.
    func goOn(
        from number: Int,
        _ end: HandleOutcome.Disposition = .handled,
        isObserved: Bool = false
    ) -> DeliveryLane.Step {
        lane.goOn(from: Int64(number), end, isObserved: isObserved, in: box.intake)
    }

    var released: Int { Int(box.intake.counts.released) }
    // Under a lock, as in the bus: nothing may come between a look at the position and its change.
    func open(at number: Int, sequence: UInt64) {
        lock.withLock { _ in lane.open(at: Int64(number), sequence: sequence) }
    }
    func close() -> Int? { lock.withLock { _ in lane.close().map { Int($0.number) } } }
    func withdraw() -> Int? { withdrawal().map { Int($0.number) } }
    func withdrawal() -> DeliveryLane.Stop? { lock.withLock { _ in lane.withdraw() } }
    func announced(at number: Int) -> Bool { lane.announced(at: Int64(number)) }
}
