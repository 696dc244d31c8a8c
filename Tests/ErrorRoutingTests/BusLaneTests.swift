import Testing

@testable import ErrorRouting

/// Intake, lane and machine alone, as plain values: no locks, no tasks.
@Suite("Reports that need nothing but delivery go through the lane (behaviours 11 to 14 and 16)")
struct BusLaneTests {
    @Test("from one report to the next is what completing and asking are")
    func goingOn() {
        let bus = PlainBus()
        for number in 1...3 { bus.post(number) }
        #expect(bus.next() == .error(1, occurrences: 1) && bus.inLane?.number == 0)
        #expect(bus.goOn(.ignored) == .error(2, occurrences: 1))
        #expect(bus.statistics == .init(posted: 3, ignored: 1, pending: 2))
        #expect(bus.report?.sequence == 2 && bus.isDelivering(2) && !bus.isDelivering(1))
        #expect(bus.goOn(.unmatched) == .error(3, occurrences: 1))
        // Nothing more is there, and nothing was done.
        #expect(bus.goOn() == nil && bus.isDelivering(3))
        #expect(bus.statistics == .init(posted: 3, ignored: 1, unmatched: 1, pending: 1))
        #expect(bus.complete() == [] && bus.goOn() == nil)
        #expect(bus.statistics == .init(posted: 3, handled: 1, ignored: 1, unmatched: 1))
        #expect(bus.next() == .asleep && bus.post(4) == true)
        #expect(bus.next() == .error(4, occurrences: 1) && bus.report?.sequence == 4)
    }

    @Test("it makes room, one report at a time")
    func makingRoom() {
        let bus = PlainBus(capacity: 2)
        for number in 1...2 { bus.post(number) }
        _ = bus.next()
        #expect(bus.post(3) == false && bus.post(4) == nil)
        #expect(bus.goOn() == .error(2, occurrences: 1))
        #expect(bus.post(5) == false && bus.post(6) == nil)
    }

    @Test("what is posted to a bus in the lane, or dropped, or ends it, wakes nobody")
    func wakingNobody() {
        let bus = PlainBus(capacity: 1)
        #expect(bus.next() == .asleep)
        #expect(bus.post(1) == true)
        _ = bus.next()
        #expect(bus.post(2) == false && bus.post(3) == nil)
        #expect(!bus.settle(true).wakes && !bus.finish())
        _ = bus.complete()
        #expect(bus.drain().count == 3)
    }

    @Test("failures come out of the lane, and go before what is next")
    func failing() {
        let bus = PlainBus()
        for number in 1...2 { bus.post(number) }
        _ = bus.next()
        #expect(bus.complete(.ignored, failures: [bus.failure(10), bus.failure(11)]) == [])
        #expect(bus.statistics == .init(posted: 4, ignored: 1, pending: 3, actionFailures: 2))
        #expect(bus.next() == .failure(10) && bus.inLane == nil && bus.goOn() == nil)
        #expect(bus.drain() == [.failure(10), .failure(11), .error(2, occurrences: 1), .asleep])
    }

    @Test("a notice that has its turn, and a report whose poster waits, end the lane and are delivered without it")
    func whatEndsTheLane() {
        let bus = PlainBus(capacity: 2)
        for number in 1...3 { bus.post(number) }
        _ = bus.next()
        bus.post(4, isWaitedFor: true)
        #expect(bus.goOn() == .error(2, occurrences: 1) && bus.goOn() == nil)
        #expect(bus.complete() == [])
        let drops = ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])
        #expect(bus.next() == .drops(drops) && bus.inLane == nil)
        #expect(bus.complete() == [])
        #expect(bus.next() == .error(4, occurrences: 1) && bus.inLane == nil && bus.isWaitedFor)
        #expect(bus.complete() == [])
        #expect(bus.statistics == .init(posted: 5, handled: 4, dropped: 1))
    }

    @Test("a place that is not filled yet ends the lane, however many after it are")
    func gap() {
        let bus = PlainBus()
        bus.post(1)
        #expect(bus.box.reserve(2) == .accepted(1))
        bus.post(3)
        _ = bus.next()
        #expect(bus.goOn() == nil && bus.complete() == [])
        #expect(bus.next() == .asleep)
        #expect(bus.box.fill(1, with: 2) == .filledForSleeper)
        #expect(bus.drain() == [.error(2, occurrences: 1), .error(3, occurrences: 1), .asleep])
    }

    @Test("a report that turns out to need more than the lane is delivered by the machine as the same one")
    func leavingTheLane() {
        let bus = PlainBus()
        for number in 1...3 { bus.post(number) }
        _ = (bus.next(), bus.goOn())
        #expect(bus.next() == .error(2, occurrences: 1) && bus.inLane == nil)
        #expect(bus.report?.sequence == 2 && bus.isDelivering(2))
        #expect(bus.statistics == .init(posted: 3, handled: 1, pending: 2))
        #expect(bus.complete() == [])
        #expect(bus.next() == .error(3, occurrences: 1) && bus.report?.sequence == 3 && bus.inLane?.number == 2)
    }

    @Test("with observers or a flood limit there is no lane")
    func withoutLane() {
        let (observed, flooded) = (PlainBus(), PlainBus(flood: FloodLimit(first: 9, per: .seconds(1))))
        observed.isObserved = true
        for bus in [observed, flooded] {
            for number in 1...2 { bus.post(number) }
            #expect(bus.next() == .error(1, occurrences: 1) && bus.inLane == nil && bus.goOn() == nil)
        }
        // An observer that comes while a report is in the lane gets that one already.
        let bus = PlainBus()
        for number in 1...2 { bus.post(number) }
        _ = bus.next()
        bus.isObserved = true
        #expect(bus.goOn() == nil && bus.complete() == [])
        #expect(bus.takeBack().reports == [.error(2, occurrences: 1)])
        #expect(!bus.leftoversWereReceived())
    }

    @Test("what is taken back while the lane is open begins with the report there, and the worker's end of it is void")
    func takingBack() {
        let bus = PlainBus()
        for number in 1...5 { bus.post(number) }
        _ = (bus.next(), bus.goOn(.ignored))
        #expect(bus.box.reserve(6) == .accepted(5))
        bus.post(7)
        let left = bus.takeBack()
        #expect(left.reports == [2, 3, 4, 5, 7].map { .error($0, occurrences: 1) } && left.failures == [])
        #expect(bus.statistics == .init(posted: 7, ignored: 1, dropped: 5, pending: 1))
        // The next place is shut, so the worker comes to the end of the lane, and finds that it was withdrawn.
        #expect(bus.goOn() == nil && bus.complete() == nil && bus.next() == .superseded)
        #expect(bus.box.fill(5, with: 6) == .refused)
        #expect(bus.statistics == .init(posted: 7, ignored: 1, dropped: 6))
    }
}
