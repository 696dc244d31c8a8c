import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Behaviour 20: a flood limit goes by the fingerprint that it is given", .tags(.behaviour20), .hangLimit)
struct BusFloodFingerprintTests {}

extension BusFloodFingerprintTests {
    private func configuration(
        _ clock: ManualClock,
        by fingerprint: @escaping @Sendable (ErrorReport) -> String
    ) -> ErrorBus.Configuration {
        .init(floodLimit: FloodLimit(first: 1, per: .seconds(10), by: fingerprint), clock: clock)
    }

    @Test("errors of equal texts are of one kind, whatever their type, code and line; the closure gets the report")
    func kinds() async {
        let configuration = configuration(ManualClock()) { report in report.metadata["tenant"] ?? report.typeName }
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            bus.post(Numbered(1), metadata: ["tenant": "a"])
            bus.post(Zoo.Offline(), metadata: ["tenant": "a"])
            bus.post(Numbered(2), metadata: ["tenant": "a"])
            bus.scope("scope", metadata: ["tenant": "b"]).post(Numbered(3))
            for number in 4...6 { bus.post(Numbered(number), line: UInt(number)) }
        }
        expect(recorded.errors.compactMap { ($0 as? Numbered)?.number }, equals: [1, 3, 4, 2, 6])
        expect(recorded.reports.map(\.occurrences), equals: [1, 1, 1, 2, 2])
        #expect(recorded.statistics.suppressed == 2 && recorded.statistics.isBalanced)
    }

    @Test("the closure is asked once for each error, in order, under no lock: it may post, read figures, be slow")
    func reentry() async {
        let asked = Journal<Int>()
        let configuration = configuration(ManualClock()) { report in
            guard let error = report.error as? Numbered, let bus = ErrorBus.current else { return "-" }
            asked.note(error.number)
            #expect(bus.statistics.isBalanced && bus.statistics.pending > 0)
            if error.number < 10 { bus.post(Numbered(error.number + 100)) }
            return "\(error.number)"
        }
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            for number in 1...5 { bus.post(Numbered(number)) }
        }
        expect(asked.entries.sorted(), equals: Array(1...5) + Array(101...105))
        expect(
            recorded.errors.compactMap { ($0 as? Numbered)?.number }.sorted(), equals: Array(1...5) + Array(101...105))
    }

    // In a process of its own, since it keeps a thread of the pool from everyone else.
    @Test("an error that the closure is asked about while the bus is shut down is given back")
    func shutdown() async {
        await #expect(processExitsWith: .success) {
            let (entered, gate) = (Gate(), Gate())
            let configuration = ErrorBus.Configuration(
                floodLimit: FloodLimit(first: 1, per: .seconds(10)) { _ in
                    entered.open()
                    while !gate.isOpen { yieldToOtherThreads() }
                    return "all"
                })
            let bus = ErrorBus(handler: ErrorHandler(), configuration: configuration)
            async let running: Void = bus.run()
            for number in 1...3 { bus.post(Numbered(number)) }
            await entered.wait()
            let left = await bus.shutdown(within: .zero)
            expect(left.compactMap { ($0.error as? Numbered)?.number }, equals: [1, 2, 3])
            gate.open()
            await running
            #expect(bus.statistics.dropped == 3 && bus.statistics.pending == 0 && bus.statistics.isBalanced)
        }
    }
}
