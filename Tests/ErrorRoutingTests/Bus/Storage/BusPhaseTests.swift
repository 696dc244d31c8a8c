import TestSupport
import Testing

@testable import ErrorRouting

/// Tests each row of the table of `BusStateMachine.Phase`.
@Suite(
    "Promises 12, 15, and 16: each event leads to the phase in the state machine's table",
    .tags(.promise12, .promise15, .promise16), .hangLimit)
struct BusPhaseTests {}

extension BusPhaseTests {
    @Test("created: run leads to idle, and only the first run starts a worker")
    func created() {
        let storage = BusStorage(capacity: 1)
        expect(storage.apply { $0.phase }, equals: .created)
        expect((0..<2).map { _ in storage.apply { $0.run() } }, equals: [true, false])
        expect(storage.apply { $0.phase }, equals: .idle)
    }

    @Test("created: closing an empty bus ends it, but a bus with a report waits for run")
    func closedBeforeRun() {
        let empty = BusStorage(capacity: 1)
        expect(empty.apply { $0.close() }, equals: .end)
        expect(empty.apply { $0.phase }, equals: .ended(awaiting: []))
        let full = BusStorage(capacity: 1)
        guard case .nothing = full.post(IntakeBox.posting(Numbered(1)), limitedBy: { _ in }) else {
            Issue.record("the post was not accepted")
            return
        }
        expect(full.apply { $0.close() }, equals: .nothing)
        expect(full.apply { $0.phase }, equals: .created)
    }

    @Test("idle: next leads to delivering; without a report, the bus stays idle, or ends if it is closed")
    func idle() {
        let bus = DrivenStorage()
        expect(bus.next(), equals: .asleep)
        expect(bus.phase, equals: .idle)
        bus.post(1)
        expect(bus.next(), equals: .error(1, occurrences: 1))
        expect(bus.phase, equals: .delivering)
        let closed = DrivenStorage()
        _ = closed.storage.apply { $0.close() }
        expect(closed.next(), equals: .end)
        expect(closed.phase, equals: .ended(awaiting: []))
        expect(closed.next(), equals: .stop)
    }

    @Test("delivering: complete leads to notifying; if nobody must be notified, it works like next in idle")
    func completion() {
        let bus = DrivenStorage()
        for number in 1...3 { bus.post(number) }
        _ = bus.next()
        expect(bus.complete(isObserved: false), equals: .error(2, occurrences: 1))
        expect(bus.phase, equals: .delivering)
        expect(bus.complete(isObserved: true), equals: .notifies([]))
        expect(bus.phase, equals: .notifying)
        expect(bus.next(), equals: .error(3, occurrences: 1))
        expect(bus.complete(isObserved: false), equals: .asleep)
        expect(bus.phase, equals: .idle)
    }

    @Test("delivering: an action that starts, ends, fails, or exceeds its limit leaves the report in delivery")
    func actions() throws {
        let bus = DrivenStorage()
        bus.post(1)
        _ = bus.next()
        let first = try #require(bus.begin(at: .zero))
        expect(bus.phase, equals: .delivering)
        expect(bus.storage.apply { $0.actionEnds(first, .returned(.next)) }, equals: true)
        expect(bus.phase, equals: .delivering)
        expect(bus.storage.apply { $0.actionFails(bus.failure(2)) }, equals: true)
        expect(bus.phase, equals: .delivering)
        let second = try #require(bus.begin(at: .zero, limit: .seconds(1)))
        #expect(bus.overdue(at: .seconds(1)) === second)
        expect(bus.phase, equals: .delivering)
        expect(bus.storage.apply { $0.actionEnds(second, .returned(.next)) }, equals: false)
        expect(bus.statistics.actionFailures, equals: 2)
        // A worker's successor delivers the same report.
        expect(bus.next(), equals: .error(1, occurrences: 1))
    }

    @Test("notifying: next works like next in idle")
    func notification() {
        let bus = DrivenStorage()
        bus.post(1)
        bus.post(2)
        _ = bus.next()
        _ = bus.complete(isObserved: true)
        expect(bus.next(), equals: .error(2, occurrences: 1))
        expect(bus.phase, equals: .delivering)
        _ = bus.complete(isObserved: true)
        expect(bus.next(), equals: .asleep)
        expect(bus.phase, equals: .idle)
        bus.post(3)
        _ = bus.next()
        _ = bus.storage.apply { $0.close() }
        _ = bus.complete(isObserved: true)
        expect(bus.next(), equals: .end)
        expect(bus.phase, equals: .ended(awaiting: []))
    }

    @Test("any phase but ended: abort leads to ended, which awaits the shutdown and a worker that notifies observers")
    func abortion() {
        let steps: [(DrivenStorage) -> Void] = [
            { _ = $0.next() },
            {
                $0.post(1)
                _ = $0.next()
            },
            { _ = $0.complete(isObserved: true) },
        ]
        for count in 0...steps.count {
            let bus = DrivenStorage()
            for step in steps.prefix(count) { step(bus) }
            let isNotifying = count == steps.count
            expect(bus.phase == .notifying, equals: isNotifying)
            _ = bus.abort()
            expect(bus.phase, equals: .ended(awaiting: isNotifying ? [.shutdown, .worker] : .shutdown))
            expectNil(bus.storage.apply { $0.abort() != nil ? true : nil })
            expect(bus.storage.apply { $0.leftoversWereReceived() }, equals: !isNotifying)
            expect(bus.next(), equals: isNotifying ? .end : .stop)
            expect(bus.phase, equals: .ended(awaiting: []))
        }
        let storage = BusStorage(capacity: 1)
        expect(storage.apply { $0.abort()?.postings.count }, equals: 0)
        expect(storage.apply { $0.phase }, equals: .ended(awaiting: .shutdown))
    }
}

extension DrivenStorage {
    fileprivate var phase: BusStateMachine.Phase { storage.apply { $0.phase } }
}
