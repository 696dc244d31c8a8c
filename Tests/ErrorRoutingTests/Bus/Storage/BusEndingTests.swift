import TestSupport
import Testing

@testable import ErrorRouting

/// The storage alone, event by event: no tasks, no clock.
@Suite(
    "Behaviours 16, 18 and 20: the state machine takes reports back, and replaces workers",
    .tags(.behaviour16, .behaviour18, .behaviour20))
struct BusEndingTests {}

extension BusEndingTests {
    @Test("after a take-back every answer from before counts for nothing")
    func takingBack() {
        let bus = DrivenStorage(isRunning: false)
        for number in 1...3 { bus.post(number) }
        _ = bus.next()
        expect(bus.takeBack().reports, equals: (1...3).map { .error($0, occurrences: 1) })
        expect(bus.statistics, equals: .init(posted: 3, dropped: 3))
        #expect(bus.leftoversWereReceived())
        expectNil(bus.complete())
        expect(bus.next(), equals: .superseded)
        expectNothing(bus.takeBack())
        expect(bus.run(), equals: true)
        expect(bus.next(), equals: .superseded)
        expect(bus.statistics, equals: .init(posted: 3, dropped: 3))
    }

    @Test("what is taken back: the report in flight, failures, what is held, what waits for that, what was posted")
    func orderOfLeftovers() {
        let bus = DrivenStorage(capacity: 9, flood: FloodLimit(first: 1, per: .seconds(10)))
        for number in 1...4 { bus.post(number, line: number < 4 ? 1 : 4) }
        expect(bus.next(), equals: .error(1, occurrences: 1))
        _ = bus.complete(failures: [bus.failure(10), bus.failure(11)])
        expect(bus.next(), equals: .failure(10))
        _ = bus.complete()
        expect(bus.next(), equals: .failure(11))
        _ = bus.complete()
        expect(bus.next(), equals: .error(4, occurrences: 1))
        _ = bus.complete(failures: [bus.failure(12), bus.failure(13)])
        expect(bus.next(), equals: .failure(12))
        for number in 5...12 { bus.post(number, line: 5 + UInt(number)) }
        let numberOfDrops = ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])
        bus.post(13)
        // 3 is held, and 5 to 12 wait.
        expect(bus.statistics.pending, equals: 12)
        expect(bus.statistics.dropped, equals: 1)
        let left: [DrivenStorage.Event] = [.failure(12), .failure(13), .error(3, occurrences: 2)]
        expect(
            bus.takeBack().reports, equals: left + (5...12).map { .error($0, occurrences: 1) } + [.drops(numberOfDrops)]
        )
        expect(bus.statistics.pending, equals: 0)
        expect(bus.statistics.dropped, equals: 13)
        #expect(bus.statistics.isBalanced)

        let other = DrivenStorage(flood: FloodLimit(first: 0, per: .seconds(10)))
        other.post(1)
        other.post(2, at: .seconds(10))
        other.post(3, line: 2, at: .seconds(10))
        expect(other.next(), equals: .error(1, occurrences: 1))
        expect(other.takeBack().reports, equals: (1...3).map { .error($0, occurrences: 1) })
        expect(other.statistics, equals: .init(posted: 3, dropped: 3))
    }

    @Test("posts in their midst when everything is taken back are dropped by that; notices are given back")
    func takingBackInTheMidst() {
        let bus = DrivenStorage(capacity: 1)
        expect(bus.reserve(1), equals: .accepted(0))
        expect(bus.reserve(2), equals: .full(makesNotice: true))
        expectNothing(bus.takeBack())
        expect(bus.statistics, equals: .init(posted: 2, dropped: 2))
        expect(bus.fill(0, with: IntakeBox.posting(Numbered(1))), equals: .refused)
        // The notice comes too late, and is no post; its dropper reports the drop.
        let isInTime = bus.storage.intake.announceDrops(at: .init())
        #expect(!isInTime)
        expect(bus.storage.perform { $0.dropsAfterEnd($1)?.error.count }, equals: 1)
        expect(bus.statistics, equals: .init(posted: 2, dropped: 2))

        let other = DrivenStorage(capacity: 1)
        expect(other.reserve(1), equals: .accepted(0))
        expect(other.reserve(2), equals: .full(makesNotice: true))
        _ = other.storage.intake.announceDrops(at: .init())
        expect(other.statistics, equals: .init(posted: 3, dropped: 1, pending: 2))
        let notice = ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])
        expect(other.takeBack().reports, equals: [.drops(notice)])
        expect(other.statistics, equals: .init(posted: 3, dropped: 3))
        expect(other.fill(0, with: IntakeBox.posting(Numbered(1))), equals: .refused)
        expect(other.statistics, equals: .init(posted: 3, dropped: 3))
    }

    @Test("a worker that notifies the observers of a report while all is taken back ends the bus itself, after that")
    func takingBackWhileAnnouncing() {
        let bus = DrivenStorage()
        bus.isObserved = true
        for number in 1...3 { bus.post(number) }
        _ = (bus.next(), bus.complete())
        // The observers are notified of the first, which counts.
        expect(bus.takeBack().reports, equals: [2, 3].map { .error($0, occurrences: 1) })
        expect(bus.statistics, equals: .init(posted: 3, handled: 1, dropped: 2))
        #expect(!bus.leftoversWereReceived())
        expect(bus.next(), equals: .end)
        expect(bus.next(), equals: .superseded)

        // A flush waits for that too, although the bus has ended.
        let flushing = DrivenStorage()
        flushing.isObserved = true
        flushing.post(1)
        _ = (flushing.next(), flushing.complete(), flushing.takeBack())
        #expect(!flushing.isIdle())
        _ = flushing.next()
        #expect(flushing.isIdle())

        // Here the worker comes back before the caller of takeBack has the leftovers.
        let other = DrivenStorage()
        other.isObserved = true
        other.post(1)
        _ = (other.next(), other.complete(), other.takeBack())
        expect(other.next(), equals: .superseded)
        #expect(other.leftoversWereReceived())
    }

    @Test("a worker that is replaced is superseded, and the next one has its report")
    func replacing() {
        let bus = DrivenStorage()
        bus.post(1)
        _ = bus.next()
        expect(bus.replaceWorker(0), equals: 1)
        expectNil(bus.replaceWorker(0))
        expectNil(bus.complete())
        expect(bus.next(), equals: .superseded)
        expect(bus.next(1), equals: .error(1, occurrences: 1))
        expect(bus.report?.sequence, equals: 1)
        expect(bus.complete(generation: 1), equals: [])
        expect(bus.statistics, equals: .init(posted: 1, handled: 1))
        _ = bus.takeBack()
        expectNil(bus.replaceWorker(2))
    }

    @Test("the timer fires again at an action's deadline, only if there is a limit, and then replaces the worker")
    func timeLimit() {
        let bus = DrivenStorage()
        bus.post(1)
        _ = bus.next()
        #expect(bus.begin(bus.rule, at: .seconds(10)))
        expect(bus.timeIsUp(at: .seconds(10)), equals: [nil, .seconds(40)])
        let isCurrent = bus.storage.perform { $0.actionDidEnd(for: 0) }
        #expect(isCurrent)
        #expect(bus.begin(bus.rule, at: .seconds(20)))
        expect(bus.timeIsUp(at: .seconds(40)), equals: [nil, .seconds(50)])
        expect(bus.timeIsUp(at: .seconds(50)), equals: [.seconds(1), nil])
        #expect(!bus.begin(bus.rule, at: .seconds(50)))
        expectNil(bus.complete())
        expect(bus.next(1), equals: .error(1, occurrences: 1))
        expect(bus.progress.failures?.map { $0.error is ActionTimeLimitExceeded }, equals: [true])
        expect(bus.timeIsUp(at: .seconds(51)), equals: [nil, nil])
        #expect(bus.begin(bus.rule, at: .seconds(52), 1))
        // It takes too long again, and is taken back: nobody else reports that failure.
        expect(bus.timeIsUp(at: .seconds(99)), equals: [.seconds(2), nil])
        let left = bus.takeBack()
        expect(left.reports, equals: [.error(1, occurrences: 1)])
        expect(left.failures, equals: [.failure(nil), .failure(nil)])
        expect(bus.statistics, equals: .init(posted: 1, dropped: 1, actionFailures: 2))
        expect(bus.timeIsUp(at: .seconds(100)), equals: [nil, nil])

        let other = DrivenStorage(limit: nil)
        other.post(1)
        _ = other.next()
        #expect(other.begin(other.rule, at: .seconds(10)))
        expect(other.timeIsUp(at: .seconds(1_000)), equals: [nil, nil])
        _ = other.takeBack()
        #expect(!other.begin(other.rule, at: .seconds(10)))
    }

    @Test("the timer fires for the earliest of a flush, a held report's window and an action")
    func timer() {
        let bus = DrivenStorage(flood: FloodLimit(first: 0, per: .seconds(20)))
        bus.post(1)
        expect(bus.next(), equals: .asleep)
        expect(bus.alarm, equals: .seconds(20))
        let flush = Promise<Bool>()
        expect(bus.storage.perform { $0.flush(flush, until: .seconds(5), $1) }, equals: .wakeAndWait)
        expect(bus.timeIsUp(at: .seconds(1)), equals: [nil, .seconds(5)])
        expect(bus.storage.perform { $0.timeIsUp(at: .seconds(5), $1).timedOut.count }, equals: 1)
        expect(bus.next(), equals: .asleep)
        expect(bus.timeIsUp(at: .seconds(6)), equals: [nil, .seconds(20)])
        let isWoken = bus.storage.perform { $0.timeIsUp(at: .seconds(20), $1).wakes }
        #expect(isWoken)
        expect(bus.next(at: .seconds(20)), equals: .error(1, occurrences: 1))
    }

    private func expectNothing(_ left: (reports: [DrivenStorage.Event], failures: [DrivenStorage.Event])) {
        #expect(left.reports.isEmpty && left.failures.isEmpty)
    }
}
