import TestSupport
import Testing

@testable import ErrorRouting

/// The storage alone, event by event: no tasks, no clock.
@Suite(
    "Behaviours 11 to 14 and 16: reports that need nothing but delivery go through the lane",
    .tags(.behaviour11, .behaviour12, .behaviour13, .behaviour14, .behaviour16))
struct BusLaneTests {}

extension BusLaneTests {
    @Test("a step in the lane does what completing a report and asking for the next do")
    func goingOn() {
        let bus = DrivenStorage()
        for number in 1...3 { bus.post(number) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.inLane?.number, equals: 0)
        expect(bus.goOn(.ignored), equals: .error(2, occurrences: 1))
        expect(bus.statistics, equals: .init(posted: 3, ignored: 1, pending: 2))
        expect(bus.report?.sequence, equals: 2)
        #expect(bus.isDelivering(2) && !bus.isDelivering(1))
        expect(bus.goOn(.unmatched), equals: .error(3, occurrences: 1))
        // Nothing more is there, and nothing was done.
        expect(bus.goOn(), equals: .waits)
        #expect(bus.isDelivering(3))
        expect(bus.statistics, equals: .init(posted: 3, ignored: 1, unmatched: 1, pending: 1))
        expect(bus.complete(), equals: [])
        expect(bus.goOn(), equals: .superseded)
        expect(bus.statistics, equals: .init(posted: 3, handled: 1, ignored: 1, unmatched: 1))
        expect(bus.next(), equals: .asleep)
        expect(bus.post(4), equals: true)
        expect(bus.next(), equals: .error(4, occurrences: 1))
        expect(bus.report?.sequence, equals: 4)
    }

    @Test("each step in the lane makes room for one report; posts, drops and the end of the bus wake nobody meanwhile")
    func inTheLane() {
        let bus = DrivenStorage(capacity: 2)
        for number in 1...2 { bus.post(number) }
        _ = bus.next()
        expect(bus.post(3), equals: false)
        expectNil(bus.post(4))
        expect(bus.goOn(), equals: .error(2, occurrences: 1))
        expect(bus.post(5), equals: false)
        expectNil(bus.post(6))

        let other = DrivenStorage(capacity: 1)
        expect(other.next(), equals: .asleep)
        expect(other.post(1), equals: true)
        _ = other.next()
        expect(other.post(2), equals: false)
        expectNil(other.post(3))
        guard case .nothing = other.storage.needsNotice(at: .init()) else { return #expect(Bool(false), "wakes") }
        #expect(!other.finish())
        _ = other.complete()
        expect(other.drain().count, equals: 3)
    }

    @Test("what ends the lane: a notice that has its turn, a place that is not filled yet, a report that needs more")
    func whatEndsTheLane() {
        let bus = DrivenStorage(capacity: 2)
        for number in 1...3 { bus.post(number) }
        _ = bus.next()
        bus.post(4)
        let drops = ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])
        expect(bus.goOn(), equals: .error(2, occurrences: 1))
        expect(bus.goOn(), equals: .drops(drops))
        expectNil(bus.inLane)
        expect(bus.complete(), equals: [])
        expect(bus.next(), equals: .error(4, occurrences: 1))
        #expect(bus.inLane != nil)
        expect(bus.complete(), equals: [])
        expect(bus.statistics, equals: .init(posted: 5, handled: 4, dropped: 1))

        let other = DrivenStorage()
        other.post(1)
        expect(other.reserve(2), equals: .accepted(1))
        other.post(3)
        _ = other.next()
        expect(other.goOn(), equals: .waits)
        expect(other.complete(), equals: [])
        expect(other.next(), equals: .asleep)
        expect(other.fill(1, with: IntakeBox.posting(Numbered(2))), equals: .filledForSleeper)
        expect(other.drain(), equals: [.error(2, occurrences: 1), .error(3, occurrences: 1), .asleep])

        let third = DrivenStorage()
        for number in 1...3 { third.post(number) }
        _ = (third.next(), third.goOn())
        third.leaveLane()
        expect(third.next(), equals: .error(2, occurrences: 1))
        expectNil(third.inLane)
        expect(third.report?.sequence, equals: 2)
        #expect(third.isDelivering(2))
        expect(third.statistics, equals: .init(posted: 3, handled: 1, pending: 2))
        expect(third.complete(), equals: [])
        expect(third.next(), equals: .error(3, occurrences: 1))
        expect(third.report?.sequence, equals: 3)
        expect(third.inLane?.number, equals: 2)
    }

    @Test("the poster of a report in the lane is told of its end before the next one is delivered")
    func waiting() {
        let bus = DrivenStorage()
        bus.post(1)
        for number in 2...3 { bus.post(number, isWaitedFor: true) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.goOn(), equals: .error(2, occurrences: 1))
        #expect(bus.isWaitedFor)
        expect(bus.complete(isTold: false), equals: .told([]))
        expect(bus.inLane?.isTelling, equals: true)
        expect(bus.next(), equals: .error(3, occurrences: 1))
        expect(bus.inLane?.number, equals: 2)
        expect(bus.complete(isTold: false), equals: .told([]))
        expectNil(bus.inLane)
        expect(bus.next(), equals: .asleep)
        expect(bus.statistics, equals: .init(posted: 3, handled: 3))
    }

    @Test("with a flood limit reports go through the lane, also while something is held")
    func floodLimit() {
        let bus = DrivenStorage(flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...4 { bus.post(number) }
        bus.post(5, line: 2)
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.inLane?.number, equals: 0)
        expect(bus.goOn(), equals: .error(2, occurrences: 1))
        expect(bus.inLane?.number, equals: 1)
        #expect(bus.isDelivering(2))
        // The third is held and replaces nothing; the fourth replaces the third.
        expect(bus.goOn(), equals: .error(5, occurrences: 1))
        expect(bus.inLane?.number, equals: 4)
        expect(bus.report?.sequence, equals: 3)
        expect(bus.statistics, equals: .init(posted: 5, handled: 2, suppressed: 1, pending: 2))
        expect(bus.complete(), equals: [])
        expect(bus.next(at: .seconds(1)), equals: .error(4, occurrences: 2))
        expect(bus.complete(), equals: [])
        bus.post(6, at: .seconds(2))
        expect(bus.next(), equals: .error(6, occurrences: 1))
        #expect(bus.inLane != nil)
        expect(bus.report?.sequence, equals: 5)
    }

    @Test("what a flood limit has not let pass is not in delivery yet: it takes room, and is given back in its turn")
    func unadmitted() {
        let bus = DrivenStorage(capacity: 2, flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...2 { bus.post(number) }
        bus.stopsUnmarked = true
        expect(bus.next(), equals: .unmarked)
        expect(bus.reserve(3), equals: .full(makesNotice: true))
        bus.stopsUnmarked = false
        expect(bus.next(), equals: .error(1, occurrences: 1))
        #expect(bus.isDelivering(1))
        expect(bus.post(4), equals: false)
        bus.stopsUnmarked = true
        expect(bus.goOn(), equals: .unmarked)
        expect(bus.reserve(5), equals: .full(makesNotice: false))
        expect(bus.statistics.handled, equals: 1)
        expect(bus.statistics.pending, equals: 2)
        expect(bus.takeBack().reports, equals: [2, 4].map { .error($0, occurrences: 1) })
        let mark = DrivenStorage.mark(of: IntakeBox.posting(Numbered(2)))
        guard case .stop = bus.storage.admit(mark, at: 1, for: 0) else { return #expect(Bool(false), "goes on") }
        expect(bus.statistics.pending, equals: 0)
        #expect(bus.statistics.isBalanced)
    }

    @Test("a worker that is replaced in the lane leaves its report to the next worker, in its place")
    func replacing() {
        let bus = DrivenStorage(flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...2 { bus.post(number) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.replaceWorker(0), equals: 1)
        expect(bus.next(1), equals: .error(1, occurrences: 1))
        expect(bus.inLane?.number, equals: 0)
        #expect(bus.isDelivering(1))
        bus.stopsUnmarked = true
        expect(bus.complete(isTold: false, generation: 1), equals: .unmarked)
        expect(bus.replaceWorker(1), equals: 2)
        bus.stopsUnmarked = false
        expect(bus.next(2), equals: .error(2, occurrences: 1))
        expect(bus.inLane?.number, equals: 1)
    }

    @Test("with observers there is a lane too, and the last report in it is announced outside")
    func observed() {
        let bus = DrivenStorage()
        bus.isObserved = true
        for number in 1...2 { bus.post(number) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.goOn(), equals: .error(2, occurrences: 1))
        expect(bus.inLane?.number, equals: 1)
        #expect(bus.isDelivering(2))
        expect(bus.statistics, equals: .init(posted: 2, handled: 1, pending: 1))
        expect(bus.goOn(), equals: .waits)
        expect(bus.complete(isTold: true), equals: .told([]))
        expect(bus.next(), equals: .asleep)
    }

    @Test("a take-back while the lane is open begins with the report there, whose completion has no effect")
    func takingBack() {
        let bus = DrivenStorage()
        for number in 1...5 { bus.post(number) }
        _ = (bus.next(), bus.goOn(.ignored))
        expect(bus.reserve(6), equals: .accepted(5))
        bus.post(7)
        let left = bus.takeBack()
        expect(left.reports, equals: [2, 3, 4, 5, 7].map { .error($0, occurrences: 1) })
        expect(left.failures, equals: [])
        expect(bus.statistics, equals: .init(posted: 7, ignored: 1, dropped: 5, pending: 1))
        // The next place is shut, so the worker comes to the end of the lane, and finds that it was withdrawn.
        expect(bus.goOn(), equals: .waits)
        expectNil(bus.complete())
        expect(bus.next(), equals: .superseded)
        expect(bus.fill(5, with: IntakeBox.posting(Numbered(6))), equals: .refused)
        expect(bus.statistics, equals: .init(posted: 7, ignored: 1, dropped: 6))
    }
}
