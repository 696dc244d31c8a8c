import TestSupport
import Testing

@testable import ErrorRouting

/// The storage alone, event by event: no tasks, no clock.
@Suite(
    "Behaviours 11 to 14: one state machine leads a report from its post to its end",
    .tags(.behaviour11, .behaviour12, .behaviour13, .behaviour14))
struct BusStateMachineTests {}

extension BusStateMachineTests {
    @Test("only a post that finds the worker asleep wakes it")
    func wakeUps() {
        let bus = DrivenStorage()
        expect(bus.post(1), equals: false)
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.post(2), equals: false)
        expect(bus.complete(), equals: [])
        expect(bus.next(), equals: .error(2, occurrences: 1))
        expect(bus.complete(), equals: [])
        expect(bus.next(), equals: .asleep)
        expect(bus.post(3), equals: true)
        expect(bus.post(4), equals: false)
        expect(bus.drain(), equals: [.error(3, occurrences: 1), .error(4, occurrences: 1), .asleep])
    }

    @Test("a machine runs once; if it has ended before, its worker stops at once")
    func running() {
        let bus = DrivenStorage(isRunning: false)
        expect([bus.run(), bus.run()], equals: [true, false])

        let other = DrivenStorage(isRunning: false)
        _ = (other.finish(), other.next())
        expect(other.run(), equals: true)
        expect(other.next(), equals: .superseded)
    }

    @Test("finish wakes a sleeping worker, which then ends; finished while it delivers, it drains first")
    func finishing() {
        let bus = DrivenStorage()
        expect(bus.next(), equals: .asleep)
        #expect(bus.finish())
        #expect(!bus.finish())
        expectNil(bus.post(1))
        expect(bus.next(), equals: .end)
        #expect(bus.hasEnded)
        expect(bus.statistics.dropped, equals: 1)
        #expect(bus.statistics.isBalanced)

        let other = DrivenStorage()
        for number in 1...2 { other.post(number) }
        expect(other.next(), equals: .error(1, occurrences: 1))
        #expect(!other.finish())
        expect(other.complete(), equals: [])
        expect(other.drain(), equals: [.error(2, occurrences: 1), .end])
        expect(other.statistics, equals: .init(posted: 2, handled: 2))
    }

    @Test("a poster in the midst of its post holds up the end, those after it and notices; only it wakes who waits")
    func postInTheMidst() {
        let bus = DrivenStorage()
        expect(bus.reserve(1), equals: .accepted(0))
        #expect(!bus.finish())
        expect(bus.next(), equals: .asleep)
        expect(bus.statistics.pending, equals: 1)
        #expect(bus.statistics.isBalanced)
        expect(bus.fill(0, with: IntakeBox.posting(Numbered(1))), equals: .filledForSleeper)
        expect(bus.drain(), equals: [.error(1, occurrences: 1), .end])

        let other = DrivenStorage()
        expect(other.reserve(1), equals: .accepted(0))
        expect(other.next(), equals: .asleep)
        for number in 2...3 { expect(other.post(number), equals: false) }
        expect(other.next(), equals: .asleep)
        expect(other.fill(0, with: IntakeBox.posting(Numbered(1))), equals: .filledForSleeper)
        expect(other.drain(), equals: (1...3).map { .error($0, occurrences: 1) } + [.asleep])

        // A notice goes after that post.
        let full = DrivenStorage(capacity: 1)
        expect(full.reserve(1), equals: .accepted(0))
        expect(full.next(), equals: .asleep)
        expect(full.reserve(2), equals: .full(makesNotice: true))
        let isInTime = full.storage.intake.announceDrops(at: .init())
        #expect(isInTime)
        expect(full.next(), equals: .asleep)
        expect(full.fill(0, with: IntakeBox.posting(Numbered(1))), equals: .filledForSleeper)
        let drops = ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])
        expect(full.drain(), equals: [.error(1, occurrences: 1), .drops(drops), .asleep])
    }

    @Test("a report has its number when it is delivered, and its outcome is counted at its end, and only there")
    func outcomes() {
        let bus = DrivenStorage()
        for number in 1...3 { bus.post(number) }
        let ends: [HandleOutcome.Disposition] = [.handled, .ignored, .unmatched]
        for (number, disposition) in zip((1 as UInt64)..., ends) {
            #expect(!bus.isDelivering(number))
            _ = bus.next()
            expect(bus.report?.sequence, equals: number)
            #expect(bus.isDelivering(number))
            expect(bus.complete(disposition), equals: [])
            // Nothing is in delivery any more.
            #expect(!bus.isDelivering(number))
            expectNil(bus.complete(disposition))
        }
        expect(bus.statistics, equals: .init(posted: 3, handled: 1, ignored: 1, unmatched: 1))
    }

    @Test("failures are delivered right after their report, before what waits; a failure's failures are not")
    func failing() {
        let bus = DrivenStorage()
        for number in 1...2 { bus.post(number) }
        _ = bus.next()
        expect(bus.complete(.ignored, failures: [bus.failure(10), bus.failure(11)]), equals: [])
        expect(bus.statistics, equals: .init(posted: 4, ignored: 1, pending: 3, actionFailures: 2))
        expect(bus.next(), equals: .failure(10))
        expect(bus.complete(failures: [bus.failure(12)]), equals: [.failure(12)])
        expect(bus.statistics, equals: .init(posted: 4, handled: 1, ignored: 1, pending: 2, actionFailures: 3))
        expect(bus.drain(), equals: [.failure(11), .error(2, occurrences: 1), .asleep])
    }

    @Test("a notice of drops has the place of the first drop, and counts all drops until its turn")
    func notices() {
        let bus = DrivenStorage(capacity: 2)
        for number in 1...4 { bus.post(number) }
        expect(bus.statistics, equals: .init(posted: 5, dropped: 2, pending: 3))
        _ = (bus.next(), bus.complete())
        for number in 5...6 { bus.post(number) }
        expect(bus.next(), equals: .error(2, occurrences: 1))
        _ = bus.complete()
        expect(bus.next(), equals: .drops(ErrorsDropped(count: 3, byType: ["ErrorRoutingTests.Numbered": 3])))
        // A notice in delivery counts no further drops: these need another notice.
        for number in 7...8 { bus.post(number) }
        expect(bus.statistics, equals: .init(posted: 10, handled: 2, dropped: 4, pending: 4))
        _ = bus.complete()
        expect(
            bus.drain(),
            equals: [
                .error(5, occurrences: 1), .error(7, occurrences: 1),
                .drops(ErrorsDropped(count: 1, byType: ["ErrorRoutingTests.Numbered": 1])), .asleep,
            ]
        )
        expect(bus.statistics, equals: .init(posted: 10, handled: 6, dropped: 4))
    }

    @Test("a bus is idle once observers were notified of the last report, and posts that are refused keep it so")
    func idle() {
        let bus = DrivenStorage()
        bus.isObserved = true
        bus.post(1)
        _ = (bus.next(), bus.complete())
        expect(bus.statistics.pending, equals: 0)
        let action = bus.storage.perform { $0.close(ifIdleSince: 1, $1) }
        expect(bus.isIdle(), equals: false)
        expectNil(action)
        expect(bus.storage.intake.state.isClosed, equals: false)
        expect(bus.next(), equals: .asleep)
        let isClosed = bus.storage.perform { $0.close(ifIdleSince: 1, $1) } != nil
        #expect(isClosed)

        let other = DrivenStorage()
        _ = other.next()
        other.storage.perform { $0.cancel($1) }
        other.storage.perform { $0.tasksEnded($1) }
        expectNil(other.post(1))
        expect(other.statistics.dropped, equals: 1)
        let closes = other.storage.perform { $0.close(ifIdleSince: 0, $1) } != nil
        #expect(closes)

        // Those who wait are handed over once.
        let third = DrivenStorage()
        var actions = [third.storage.perform { $0.flush(Promise(), until: nil, $1) }]
        third.post(1)
        actions.append(third.storage.perform { $0.flush(Promise(), until: nil, $1) })
        expect(actions, equals: [.nothing, .wait])
        let counts = (0..<2).map { _ in third.storage.perform { $0.takeFlushes { _ in true }.count } }
        expect(counts, equals: [1, 0])
    }

    /// An error whose deallocation finds out whether the bus's lock is held.
    ///
    /// Unchecked, since everything happens on the test's thread.
    private final class Dying: Error, @unchecked Sendable {
        private let bus: DrivenStorage
        private let found: Journal<Bool>

        init(_ bus: DrivenStorage, _ found: Journal<Bool>) { (self.bus, self.found) = (bus, found) }

        deinit { found.note(bus.storage.statisticsIfUnlocked == nil) }
    }

    @Test("what was found out about an error in delivery is deallocated outside the lock", arguments: 0..<3)
    func releasedOutside(way: Int) {
        let (bus, found) = (DrivenStorage(), Journal<Bool>())
        bus.isObserved = true
        bus.post(1)
        _ = (bus.next(), bus.replaceWorker(0), bus.next(1))
        func checkpoint() -> Checkpoint {
            let progress = DispatchProgress(findings: ErrorSubject(Dying(bus, found)))
            return Checkpoint(progress)
        }
        _ = bus.storage.perform { $0.note(checkpoint(), for: 1) }
        #expect(found.entries.isEmpty)
        switch way {
        case 0: _ = bus.takeBack()
        case 1: _ = bus.complete(generation: 1)
        default: _ = bus.storage.perform { $0.note(Checkpoint(DispatchProgress()), for: 1) }
        }
        expect(found.entries, equals: [false])
    }
}
