import TestSupport
import Testing

@testable import ErrorRouting

/// Tests the cases that `BusRandomWalkTests`, which compares a bus with a naive bus, leaves out.
///
/// They drive only the storage, event by event, without tasks or a clock.
@Suite(
    "Promises 12, 15, 18, and 20: the state machine sets its timer, ends posting, and releases errors correctly",
    .tags(.promise12, .promise15, .promise18, .promise20), .hangLimit)
struct BusStateMachineTests {}

extension BusStateMachineTests {
    @Test("the timer fires for a held report's window and, while an action runs, for its limit")
    func timer() {
        let bus = DrivenStorage(flood: FloodLimit(first: 0, per: .seconds(20)))
        bus.post(1)
        expect(bus.next(), equals: .asleep)
        expect(bus.alarm, equals: .seconds(20))
        expect(bus.timer(at: .seconds(6)), equals: .seconds(20))
        #expect(bus.wakes(at: .seconds(20)))
        expect(bus.next(at: .seconds(20)), equals: .error(1, occurrences: 1))
        #expect(bus.begin(at: .seconds(20)) != nil)
        expect(bus.timer(at: .seconds(21)), equals: .seconds(50))
    }

    @Test("if the caller is cancelled, no post is accepted once body and tasks have ended")
    func cancelled() {
        let bus = DrivenStorage()
        expect(bus.storage.apply({ $0.closeAfterTasks() }), equals: .nothing)
        #expect(bus.post(1) != nil)
        _ = bus.drain()
        bus.storage.apply { $0.tasksEnded() }
        _ = bus.storage.apply { $0.closeAfterTasks() }
        expectNil(bus.post(2))
        expect(bus.statistics, equals: .init(posted: 2, handled: 1, dropped: 1))
    }

    @Test("a bus is closed for being idle only if no report was delivered since the check")
    func idle() {
        let bus = DrivenStorage()
        bus.post(1)
        _ = bus.drain()
        let isClosed = (0...1).map { delivered in bus.storage.apply { $0.close(ifIdleSince: delivered) } != nil }
        expect(isClosed, equals: [false, true])
    }

    /// An error that checks, when it is deallocated, whether the bus's lock is held.
    ///
    /// It is unchecked, because everything happens on the test's thread.
    private final class Dying: Error, @unchecked Sendable {
        private let bus: DrivenStorage
        private let found: Journal<Bool>

        init(_ bus: DrivenStorage, _ found: Journal<Bool>) { (self.bus, self.found) = (bus, found) }

        deinit { found.note(bus.storage.applyIfUnlocked { _ in } == nil) }
    }

    @Test("a report's errors are deallocated outside the lock", arguments: 0..<4)
    func releasedOutside(variant: Int) {
        let found = Journal<Bool>()
        do {
            let bus = DrivenStorage(flood: variant == 3 ? FloodLimit(first: 0, per: .seconds(1)) : nil)
            func post() {
                let posting = IntakeBox.posting(Dying(bus, found))
                #expect(bus.reserve(for: Numbered(0)).position.map { bus.fill($0, with: posting) } != nil)
            }
            post()
            if variant == 3 {
                // The second report replaces the first report, which is held.
                post()
                expect(bus.next(), equals: .asleep)
            } else {
                expect(bus.next(), equals: .error(-1, occurrences: 1))
            }
            bus.forget()
            switch variant {
            case 0:
                _ = bus.abort()
                // The worker is still reading it.
                expect(found.entries, equals: [])
                _ = bus.complete()
            case 1: _ = bus.complete()
            case 2: _ = bus.complete(isObserved: false)
            default: break
            }
            expect(found.entries, equals: [false])
            _ = bus.abort()
        }
        expect(Set(found.entries), equals: [false])
    }
}
