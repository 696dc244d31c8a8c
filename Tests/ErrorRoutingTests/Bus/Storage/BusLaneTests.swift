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
        #expect(bus.next() == .error(1, occurrences: 1) && bus.inLane?.number == 0)
        expect(bus.goOn(.ignored), equals: .error(2, occurrences: 1))
        expect(bus.statistics, equals: .init(posted: 3, ignored: 1, pending: 2))
        #expect(bus.report?.sequence == 2 && bus.isDelivering(2) && !bus.isDelivering(1))
        expect(bus.goOn(.unmatched), equals: .error(3, occurrences: 1))
        // Nothing more is there, and nothing was done.
        #expect(bus.goOn() == .waits && bus.isDelivering(3))
        expect(bus.statistics, equals: .init(posted: 3, ignored: 1, unmatched: 1, pending: 1))
        #expect(bus.complete() == [] && bus.goOn() == .superseded)
        expect(bus.statistics, equals: .init(posted: 3, handled: 1, ignored: 1, unmatched: 1))
        #expect(bus.next() == .asleep && bus.post(4) == true)
        #expect(bus.next() == .error(4, occurrences: 1) && bus.report?.sequence == 4)
    }

    @Test("each step in the lane makes room for one report")
    func makingRoom() {
        let bus = DrivenStorage(capacity: 2)
        for number in 1...2 { bus.post(number) }
        _ = bus.next()
        #expect(bus.post(3) == false && bus.post(4) == nil)
        expect(bus.goOn(), equals: .error(2, occurrences: 1))
        #expect(bus.post(5) == false && bus.post(6) == nil)
    }

    @Test("posts, drops and the end of the bus wake nobody while the worker is in the lane")
    func wakingNobody() {
        let bus = DrivenStorage(capacity: 1)
        expect(bus.next(), equals: .asleep)
        expect(bus.post(1), equals: true)
        _ = bus.next()
        #expect(bus.post(2) == false && bus.post(3) == nil)
        guard case .nothing = bus.storage.needsNotice(at: .init()) else { return #expect(Bool(false), "wakes") }
        #expect(!bus.finish())
        _ = bus.complete()
        expect(bus.drain().count, equals: 3)
    }

    @Test("a failure ends the lane, and is delivered before the next report")
    func failing() {
        let bus = DrivenStorage()
        for number in 1...2 { bus.post(number) }
        _ = bus.next()
        expect(bus.complete(.ignored, failures: [bus.failure(10), bus.failure(11)]), equals: [])
        expect(bus.statistics, equals: .init(posted: 4, ignored: 1, pending: 3, actionFailures: 2))
        #expect(bus.next() == .failure(10) && bus.inLane == nil)
        expect(bus.drain(), equals: [.failure(10), .failure(11), .error(2, occurrences: 1), .asleep])
    }

    @Test("a notice that has its turn ends the lane and is delivered without it")
    func whatEndsTheLane() {
        let bus = DrivenStorage(capacity: 2)
        for number in 1...3 { bus.post(number) }
        _ = bus.next()
        bus.post(4)
        let drops = ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])
        #expect(bus.goOn() == .error(2, occurrences: 1) && bus.goOn() == .drops(drops) && bus.inLane == nil)
        #expect(bus.complete() == [] && bus.next() == .error(4, occurrences: 1) && bus.inLane != nil)
        expect(bus.complete(), equals: [])
        expect(bus.statistics, equals: .init(posted: 5, handled: 4, dropped: 1))
    }

    @Test("the poster of a report in the lane is told of its end before the next one is delivered")
    func waiting() {
        let bus = DrivenStorage()
        bus.post(1)
        for number in 2...3 { bus.post(number, isWaitedFor: true) }
        #expect(bus.next() == .error(1, occurrences: 1) && bus.goOn() == .error(2, occurrences: 1) && bus.isWaitedFor)
        #expect(bus.complete(isTold: false) == .told([]) && bus.inLane?.isTelling == true)
        #expect(bus.next() == .error(3, occurrences: 1) && bus.inLane?.number == 2)
        #expect(bus.complete(isTold: false) == .told([]) && bus.inLane == nil)
        #expect(bus.next() == .asleep && bus.statistics == .init(posted: 3, handled: 3))
    }

    @Test("a place that is not filled yet ends the lane, however many after it are")
    func gap() {
        let bus = DrivenStorage()
        bus.post(1)
        expect(bus.reserve(2), equals: .accepted(1))
        bus.post(3)
        _ = bus.next()
        #expect(bus.goOn() == .waits && bus.complete() == [])
        expect(bus.next(), equals: .asleep)
        expect(bus.fill(1, with: IntakeBox.posting(Numbered(2))), equals: .filledForSleeper)
        expect(bus.drain(), equals: [.error(2, occurrences: 1), .error(3, occurrences: 1), .asleep])
    }

    @Test("a report that turns out to need more than the lane is delivered by the machine as the same one")
    func leavingTheLane() {
        let bus = DrivenStorage()
        for number in 1...3 { bus.post(number) }
        _ = (bus.next(), bus.goOn())
        bus.leaveLane()
        #expect(bus.next() == .error(2, occurrences: 1) && bus.inLane == nil)
        #expect(bus.report?.sequence == 2 && bus.isDelivering(2))
        expect(bus.statistics, equals: .init(posted: 3, handled: 1, pending: 2))
        expect(bus.complete(), equals: [])
        #expect(bus.next() == .error(3, occurrences: 1) && bus.report?.sequence == 3 && bus.inLane?.number == 2)
    }

    @Test("with a flood limit reports go through the lane, also while something is held")
    func floodLimit() {
        let bus = DrivenStorage(flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...4 { bus.post(number) }
        bus.post(5, line: 2)
        #expect(bus.next() == .error(1, occurrences: 1) && bus.inLane?.number == 0)
        #expect(bus.goOn() == .error(2, occurrences: 1) && bus.inLane?.number == 1 && bus.isDelivering(2))
        // The third is held and replaces nothing; the fourth replaces the third.
        #expect(bus.goOn() == .error(5, occurrences: 1) && bus.inLane?.number == 4 && bus.report?.sequence == 3)
        expect(bus.statistics, equals: .init(posted: 5, handled: 2, suppressed: 1, pending: 2))
        #expect(bus.complete() == [] && bus.next(at: .seconds(1)) == .error(4, occurrences: 2))
        expect(bus.complete(), equals: [])
        bus.post(6, at: .seconds(2))
        #expect(bus.next() == .error(6, occurrences: 1) && bus.inLane != nil && bus.report?.sequence == 5)
    }

    @Test("what a flood limit has not let pass is not in delivery yet: it takes room, and is given back in its turn")
    func unadmitted() {
        let bus = DrivenStorage(capacity: 2, flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...2 { bus.post(number) }
        bus.stopsUnmarked = true
        #expect(bus.next() == .unmarked && bus.reserve(3) == .full(makesNotice: true))
        bus.stopsUnmarked = false
        #expect(bus.next() == .error(1, occurrences: 1) && bus.isDelivering(1) && bus.post(4) == false)
        bus.stopsUnmarked = true
        #expect(bus.goOn() == .unmarked && bus.reserve(5) == .full(makesNotice: false))
        #expect(bus.statistics.handled == 1 && bus.statistics.pending == 2)
        expect(bus.takeBack().reports, equals: [2, 4].map { .error($0, occurrences: 1) })
        let mark = DrivenStorage.mark(of: IntakeBox.posting(Numbered(2)))
        guard case .stop = bus.storage.admit(mark, at: 1, for: 0) else { return #expect(Bool(false), "goes on") }
        #expect(bus.statistics.pending == 0 && bus.statistics.isBalanced)
    }

    @Test("a worker that is replaced in the lane leaves its report to the next worker, in its place")
    func replacing() {
        let bus = DrivenStorage(flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...2 { bus.post(number) }
        #expect(bus.next() == .error(1, occurrences: 1) && bus.replaceWorker(0) == 1)
        #expect(bus.next(1) == .error(1, occurrences: 1) && bus.inLane?.number == 0 && bus.isDelivering(1))
        bus.stopsUnmarked = true
        #expect(bus.complete(isTold: false, generation: 1) == .unmarked && bus.replaceWorker(1) == 2)
        bus.stopsUnmarked = false
        #expect(bus.next(2) == .error(2, occurrences: 1) && bus.inLane?.number == 1)
    }

    @Test("with observers there is a lane too, and the last report in it is announced outside")
    func observed() {
        let bus = DrivenStorage()
        bus.isObserved = true
        for number in 1...2 { bus.post(number) }
        #expect(bus.next() == .error(1, occurrences: 1) && bus.goOn() == .error(2, occurrences: 1))
        #expect(bus.inLane?.number == 1 && bus.isDelivering(2))
        expect(bus.statistics, equals: .init(posted: 2, handled: 1, pending: 1))
        #expect(bus.goOn() == .waits && bus.complete(isTold: true) == .told([]))
        expect(bus.next(), equals: .asleep)
    }

    @Test("a take-back while observers are told of a report in the lane puts the end off until they are told")
    func takingBackWhileAnnouncing() {
        let bus = DrivenStorage()
        bus.isObserved = true
        for number in 1...3 { bus.post(number) }
        _ = bus.next()
        // The observers have been told of the first, which counts; the second is in delivery, and not looked at yet.
        #expect(bus.complete(isTold: true) == .told([]) && bus.inLane?.number == 1)
        expect(bus.takeBack().reports, equals: [2, 3].map { .error($0, occurrences: 1) })
        expect(bus.statistics, equals: .init(posted: 3, handled: 1, dropped: 2))
        #expect(!bus.leftoversWereReceived())
        #expect(bus.next() == .end && bus.next() == .superseded)

        // Here the observers have been told before the caller of takeBack has the leftovers.
        let other = DrivenStorage()
        other.isObserved = true
        for number in 1...2 { other.post(number) }
        _ = (other.next(), other.complete(isTold: true), other.takeBack())
        expect(other.next(), equals: .superseded)
        #expect(other.leftoversWereReceived())
    }

    @Test("a take-back while the lane is open begins with the report there, whose completion has no effect")
    func takingBack() {
        let bus = DrivenStorage()
        for number in 1...5 { bus.post(number) }
        _ = (bus.next(), bus.goOn(.ignored))
        expect(bus.reserve(6), equals: .accepted(5))
        bus.post(7)
        let left = bus.takeBack()
        #expect(left.reports == [2, 3, 4, 5, 7].map { .error($0, occurrences: 1) } && left.failures == [])
        expect(bus.statistics, equals: .init(posted: 7, ignored: 1, dropped: 5, pending: 1))
        // The next place is shut, so the worker comes to the end of the lane, and finds that it was withdrawn.
        #expect(bus.goOn() == .waits && bus.complete() == nil && bus.next() == .superseded)
        expect(bus.fill(5, with: IntakeBox.posting(Numbered(6))), equals: .refused)
        expect(bus.statistics, equals: .init(posted: 7, ignored: 1, dropped: 6))
    }
}
