import TestSupport
import Testing

@testable import ErrorRouting

/// The storage alone, event by event: no tasks, no clock.
@Suite(
    "Behaviours 11 to 14 and 16: a report is delivered in its slot, which is freed once the worker has gone on",
    .tags(.behaviour11, .behaviour12, .behaviour13, .behaviour14, .behaviour16))
struct BusSlotTests {}

extension BusSlotTests {
    @Test("one event completes a report and begins the next, which makes room for one post, and wakes nobody")
    func goingOn() {
        let bus = DrivenStorage(capacity: 2)
        for number in 1...2 { bus.post(number) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.post(3), equals: false)
        expectNil(bus.post(4))
        expect(bus.goOn(.ignored), equals: .error(2, occurrences: 1))
        expect(bus.report?.sequence, equals: 2)
        #expect(bus.isDelivering(2) && !bus.isDelivering(1))
        expect(bus.post(5), equals: false)
        expect(bus.statistics, equals: .init(posted: 6, ignored: 1, dropped: 1, pending: 4))
        expect(bus.goOn(.unmatched), equals: .error(3, occurrences: 1))
        let drops = ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])
        expect(bus.goOn(), equals: .drops(drops))
        expect(bus.goOn(), equals: .error(5, occurrences: 1))
        expect(bus.goOn(), equals: .asleep)
        expect(bus.statistics, equals: .init(posted: 6, handled: 3, ignored: 1, unmatched: 1, dropped: 1))
        expect(bus.post(6), equals: true)
    }

    @Test("whoever waits for a report's end is notified of it before the next one is delivered")
    func waiting() {
        let bus = DrivenStorage()
        bus.post(1)
        for number in 2...3 { bus.post(number, isWaitedFor: true) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.goOn(), equals: .error(2, occurrences: 1))
        #expect(bus.isWaitedFor)
        expect(bus.goOn(), equals: .notifies([]))
        #expect(!bus.isDelivering(3))
        expect(bus.next(), equals: .error(3, occurrences: 1))
        expect(bus.goOn(), equals: .notifies([]))
        expect(bus.next(), equals: .asleep)
        expect(bus.statistics, equals: .init(posted: 3, handled: 3))
    }

    @Test("what a flood limit has not let pass is not in delivery yet: it takes room, and is given back in its turn")
    func unadmitted() {
        let bus = DrivenStorage(capacity: 2, flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...2 { bus.post(number) }
        bus.stopsUnadmitted = true
        expect(bus.next(), equals: .unadmitted)
        expect(bus.reserve(3), equals: .full(makesNotice: true))
        bus.stopsUnadmitted = false
        expect(bus.next(), equals: .error(1, occurrences: 1))
        #expect(bus.isDelivering(1))
        expect(bus.post(4), equals: false)
        bus.stopsUnadmitted = true
        expect(bus.goOn(), equals: .unadmitted)
        expect(bus.reserve(5), equals: .full(makesNotice: false))
        expect(bus.statistics.handled, equals: 1)
        expect(bus.statistics.pending, equals: 2)
        expect(bus.takeBack().reports, equals: [2, 4].map { .error($0, occurrences: 1) })
        let token = DrivenStorage.token(of: IntakeBox.posting(Numbered(2)))
        guard case .stop(_, let unfreed?) = bus.admit(token) else { return #expect(Bool(false), "goes on") }
        expect(DrivenStorage.number(of: unfreed.take(from: bus.storage.intake.mailbox).error), equals: 2)
        expect(bus.statistics.pending, equals: 0)
        #expect(bus.statistics.isBalanced)
    }

    @Test("a worker that is replaced leaves its report to the next worker, in its slot")
    func replacing() {
        let bus = DrivenStorage(flood: FloodLimit(first: 2, per: .seconds(1)))
        for number in 1...2 { bus.post(number) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.replaceWorker(0), equals: 1)
        expect(bus.next(1), equals: .error(1, occurrences: 1))
        expect(bus.delivery?.number, equals: 0)
        bus.stopsUnadmitted = true
        expect(bus.complete(isObserved: false, generation: 1), equals: .unadmitted)
        expect(bus.replaceWorker(1), equals: 2)
        bus.stopsUnadmitted = false
        expect(bus.next(2), equals: .error(2, occurrences: 1))
        expect(bus.delivery?.number, equals: 1)
    }

    @Test("a take-back copies the report in delivery, whose completion has no effect; the worker frees its slot")
    func takingBack() {
        let bus = DrivenStorage()
        for number in 1...5 { bus.post(number) }
        _ = (bus.next(), bus.goOn(.ignored))
        expect(bus.reserve(6), equals: .accepted(5))
        bus.post(7)
        let left = bus.takeBack()
        expect(left.reports, equals: [2, 3, 4, 5, 7].map { .error($0, occurrences: 1) })
        expect(left.failures, equals: [])
        expect(bus.statistics, equals: .init(posted: 7, ignored: 1, dropped: 6))
        expect(bus.storage.intake.mailbox.isFilled(at: 1), equals: true)
        expect(bus.goOn(), equals: .superseded)
        expect(bus.storage.intake.mailbox.isFilled(at: 1), equals: false)
        expect(bus.fill(5, with: IntakeBox.posting(Numbered(6))), equals: .refused)
    }
}
