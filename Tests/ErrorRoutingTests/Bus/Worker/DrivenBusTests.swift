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
        var action = bus.storage.perform { $0.next(for: 0, $1) }
        steps: while true {
            switch action {
            case .deliver(let delivery):
                delivered.append(unsafe delivery.posting.pointee.error)
                if delivered.count == 1 { post(8, to: bus, line: 3) }
                let next = bus.storage.perform {
                    $0.complete(.unmatched, nil, for: 0, isObserved: false, $1)
                }
                _ = delivery.take(from: bus.storage.intake.mailbox)
                guard let next else { break steps }
                action = next
            case .fingerprint(let delivery):
                let token = unsafe bus.floodToken(of: delivery.posting)
                var suppressed: Posting?
                action = bus.storage.perform { $0.admit(token, for: 0, suppressing: &suppressed, $1) }
            default: break steps
            }
        }
        expect(delivered.count, equals: 4)
        expect(delivered.map { ($0 as? Numbered)?.number }, equals: [1, 2, nil, 8])
        _ = bus.storage.perform { $0.takeBack($1) }
    }

    @Test("a worker that is superseded changes nothing, not even the room there is, while another delivers")
    func supersededWorker() {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 2))
        for number in 1...2 { post(number, to: bus, line: 1) }
        guard case .deliver = bus.storage.perform({ $0.next(for: 0, $1) }) else {
            return #expect(Bool(false), "does not deliver")
        }
        let before = bus.statistics.pending
        guard case .stop = bus.storage.perform({ $0.next(for: 1, $1) }) else {
            return #expect(Bool(false), "not superseded")
        }
        expect(bus.statistics.pending, equals: before)
        _ = bus.storage.perform { $0.takeBack($1) }
    }

    private func post(_ number: Int, to bus: ErrorBus, line: UInt) {
        bus.post(Numbered(number), as: .failure, metadata: [:], source: .init(fileID: "M/A.swift", line: line))
    }
}
