import TestSupport
import Testing

@testable import ErrorRouting

/// A bus that does not run: the test asks it, step by step, what a worker would do.
@Suite(
    "Behaviours 11, 13 and 20: the bus tells its worker what to do next",
    .tags(.behaviour11, .behaviour13, .behaviour20))
struct DrivenBusTests {}

extension DrivenBusTests {
    @Test("a notice of drops goes before what was accepted after it, although a flood limit holds what is before it")
    func noticeAfterHeldReport() {
        let bus = ErrorBus(
            handler: ErrorHandler(),
            configuration: .init(capacity: 6, floodLimit: FloodLimit(first: 1, per: .seconds(3_600)))
        )
        // 1 and 2 pass, 3 and 4 are suppressed, 5 and 6 are held, and 7 is dropped before 8 is accepted.
        for (number, line) in zip(1..., [1, 2, 1, 1, 1, 2, 2] as [UInt]) { post(number, to: bus, line: line) }
        var delivered: [any Error] = []
        var action = bus.storage.next(for: 0)
        steps: while true {
            switch action {
            case .deliver(let pending, _):
                delivered.append(pending.error)
                action = bus.storage.complete(DispatchProgress(), for: 0, isObserved: false)
            case .deliverInLane(let number):
                delivered.append(unsafe bus.storage.posting(inLaneAt: number).pointee.error)
                if delivered.count == 1 { post(8, to: bus, line: 3) }
                action = bus.storage.leaveLane(at: number, DispatchProgress(), isOver: true, for: 0)
            case .markInLane(let number):
                let mark = unsafe bus.floodMark(of: bus.storage.posting(inLaneAt: number))
                action = bus.storage.admit(mark, at: number, for: 0) ?? .deliverInLane(number)
            default: break steps
            }
        }
        expect(delivered.count, equals: 4)
        expect(delivered.map { ($0 as? Numbered)?.number }, equals: [1, 2, nil, 8])
        _ = bus.storage.takeBack()
    }

    @Test("a worker that is superseded changes nothing, not even the room there is, while another is in the lane")
    func supersededWorker() {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 2))
        for number in 1...2 { post(number, to: bus, line: 1) }
        guard case .deliverInLane(0) = bus.storage.next(for: 0) else { return #expect(Bool(false), "not in the lane") }
        expectNext(bus)
        let before = bus.statistics.pending
        guard case .stop = bus.storage.next(for: 1) else { return #expect(Bool(false), "not superseded") }
        expect(bus.statistics.pending, equals: before)
        _ = bus.storage.takeBack()
    }

    @Test("a shutdown does not wait for a worker that is stopped in the lane, and the figures stay as they are then")
    func shutdownBesideStoppedWorker() {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 9))
        for number in 1...6 { post(number, to: bus, line: 1) }
        guard case .deliverInLane(0) = bus.storage.next(for: 0) else { return #expect(Bool(false), "not in the lane") }
        expectNext(bus)
        let passage = bus.storage.shared.lane.pass(to: 2, after: .ignored, isTold: false)
        let left = bus.storage.takeBack()?.reports.map { ($0.error as? Numbered)?.number }
        expect(left, equals: [3, 4, 5, 6])
        expect(bus.statistics, equals: .init(posted: 6, ignored: 1, unmatched: 1, dropped: 4))
        // What the worker still writes when its thread goes on.
        if let passage { bus.storage.shared.lane.count(passage) }
        bus.storage.shared.intake.publishReleased(bus.storage.shared.intake.released + 1)
        expect(bus.statistics, equals: .init(posted: 6, ignored: 1, unmatched: 1, dropped: 4))
        guard case .stop = bus.storage.leaveLane(at: 2, DispatchProgress(), isOver: true, for: 0) else {
            return #expect(Bool(false), "goes on")
        }
        post(7, to: bus, line: 1)
        expect(bus.statistics, equals: .init(posted: 7, ignored: 1, unmatched: 1, dropped: 5))
    }

    /// Lets the worker go on from the first report in the lane, which no rule matched.
    private func expectNext(_ bus: ErrorBus) {
        let step = bus.storage.completeInLane(0, DispatchProgress(), isTold: false, mayWait: false, for: 0)
        guard case .next = step else { return #expect(Bool(false), "does not go on") }
    }

    private func post(_ number: Int, to bus: ErrorBus, line: UInt) {
        bus.post(Numbered(number), as: .failure, metadata: [:], source: .init(fileID: "M/A.swift", line: line))
    }
}
