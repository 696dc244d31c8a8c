import TestSupport
import Testing

@testable import ErrorRouting

/// Tests what `BusRandomWalkTests`, which compares the rest with a naive bus, leaves out.
///
/// They drive the storage alone, event by event: no tasks, no clock.
@Suite(
    "Behaviours 12, 15, 18 and 20: the state machine's timer, its end of posting, and what it releases",
    .tags(.behaviour12, .behaviour15, .behaviour18, .behaviour20), .hangLimit)
struct BusStateMachineTests {}

extension BusStateMachineTests {
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
        #expect(bus.begin(bus.rule, at: .seconds(20)))
        expect(bus.timeIsUp(at: .seconds(21)), equals: [nil, .seconds(50)])
    }

    @Test("if the caller is cancelled, nothing is accepted once body and tasks have ended", arguments: [false, true])
    func cancelled(isCancelledFirst: Bool) {
        let bus = DrivenStorage()
        if isCancelledFirst { bus.storage.perform { $0.cancel($1) } }
        bus.storage.perform { $0.tasksEnded($1) }
        if !isCancelledFirst { bus.storage.perform { $0.cancel($1) } }
        expectNil(bus.post(1))
        expect(bus.statistics, equals: .init(posted: 1, dropped: 1))
    }

    @Test("a bus is closed for being idle only if nothing was delivered since the check")
    func idle() {
        let bus = DrivenStorage()
        bus.post(1)
        _ = bus.drain()
        let isClosed = (0...1).map { delivered in
            bus.storage.perform { $0.close(ifIdleSince: delivered, $1) != nil }
        }
        expect(isClosed, equals: [false, true])
    }

    /// An error that checks at its deallocation whether the bus's lock is held.
    ///
    /// It is unchecked, because everything happens on the test's thread.
    private final class Dying: Error, @unchecked Sendable {
        private let bus: DrivenStorage
        private let found: Journal<Bool>

        init(_ bus: DrivenStorage, _ found: Journal<Bool>) { (self.bus, self.found) = (bus, found) }

        deinit { found.note(bus.storage.performIfUnlocked { _, _ in } == nil) }
    }

    @Test("values computed for an error in delivery are deallocated outside the lock", arguments: 0..<3)
    func releasedOutside(way: Int) {
        let (bus, found) = (DrivenStorage(), Journal<Bool>())
        bus.isObserved = true
        bus.post(1)
        _ = (bus.next(), bus.replaceWorker(0), bus.next(1))
        func checkpoint() -> Checkpoint {
            .between(DispatchProgress(findings: ErrorSubject(UnboxedError(Dying(bus, found)))))
        }
        _ = bus.storage.perform { $0.note(checkpoint(), for: 1) }
        #expect(found.entries.isEmpty)
        switch way {
        case 0: _ = bus.abort()
        case 1: _ = bus.complete(generation: 1)
        default: _ = bus.storage.perform { $0.note(.between(DispatchProgress()), for: 1) }
        }
        expect(found.entries, equals: [false])
    }
}
