import TestSupport
import Testing

@testable import ErrorRouting

/// The storage alone, event by event: no tasks, no clock.
@Suite(
    "Behaviours 13, 14 and 20: what a flood limit holds is pending until its window ends",
    .tags(.behaviour13, .behaviour14, .behaviour20))
struct BusFloodTests {}

extension BusFloodTests {
    private func bus(capacity: Int = 8, first: Int = 1) -> DrivenStorage {
        DrivenStorage(capacity: capacity, flood: FloodLimit(first: first, per: .seconds(10)))
    }

    @Test("what is held is pending until its window ends, and then delivered for all of its kind")
    func holding() {
        let bus = bus()
        for number in 1...4 { bus.post(number, at: .seconds(number)) }
        expect(bus.drain(), equals: [.error(1, occurrences: 1), .asleep])
        expect(bus.statistics, equals: .init(posted: 4, handled: 1, suppressed: 2, pending: 1))
        expect(bus.drain(at: .milliseconds(10_999)), equals: [.asleep])
        expect(bus.drain(at: .seconds(11)), equals: [.error(4, occurrences: 3), .asleep])
        expect(bus.statistics, equals: .init(posted: 4, handled: 2, suppressed: 2))
    }

    @Test("the alarm is set for the end of the first window that may hold something")
    func alarms() {
        let bus = bus(first: 0)
        #expect(bus.next() == .asleep && bus.alarm == nil)
        bus.post(1, line: 1, at: .seconds(1))
        bus.post(2, line: 2, at: .seconds(2))
        expect(bus.next(), equals: .asleep)
        expect(bus.alarm, equals: .seconds(11))
        expect(bus.drain(at: .seconds(11)), equals: [.error(1, occurrences: 1), .asleep])
        expect(bus.alarm, equals: .seconds(12))
    }

    @Test("an error posted within a window belongs to that window, however late the worker is")
    func lateWorker() {
        let bus = bus()
        for number in 1...3 { bus.post(number, at: .seconds(number)) }
        bus.post(4, at: .seconds(11))
        expect(
            bus.drain(at: .seconds(99)),
            equals: [
                .error(1, occurrences: 1), .error(3, occurrences: 2), .error(4, occurrences: 1), .asleep,
            ]
        )
    }

    @Test("what is held takes capacity, as all that is pending does")
    func heldTakesCapacity() {
        let bus = bus(capacity: 2, first: 0)
        bus.post(1)
        expect(bus.next(), equals: .asleep)
        expect(bus.post(2, line: 2), equals: true)
        expectNil(bus.post(3, line: 2))
        // With a capacity of 2 the limit remembers one kind: the second error releases the first.
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.post(4, line: 2), equals: false)
    }

    @Test("notices escape the limit, however many there are")
    func notices() {
        let bus = bus(capacity: 1, first: 1)
        for number in 1...3 {
            bus.post(number, line: UInt(number))
            bus.post(0)
            expect(bus.next(), equals: .error(number, occurrences: 1))
            _ = bus.complete(failures: [bus.failure(10)])
            expect(bus.next(), equals: .failure(10))
            _ = bus.complete()
            expect(bus.next(), equals: .drops(ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])))
            _ = bus.complete()
        }
    }

    @Test("the end of posting releases all that is held, and so does winding up")
    func ends() {
        for isFinished in [false, true] {
            let bus = bus(first: 0)
            for number in 1...3 { bus.post(number, line: UInt(number)) }
            expect(bus.drain(), equals: [.asleep])
            if isFinished { #expect(bus.finish()) } else { _ = bus.storage.windUp() }
            let events = (1...3).map { DrivenStorage.Event.error($0, occurrences: 1) }
            expect(bus.drain(), equals: events + [isFinished ? .end : .asleep])
        }
    }
}
