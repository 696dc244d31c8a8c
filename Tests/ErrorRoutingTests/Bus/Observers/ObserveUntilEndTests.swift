import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("observeUntilEnd observes up to the end of the bus, with nothing to retain", .tags(.behaviour19), .hangLimit)
struct ObserveUntilEndTests {}

extension ObserveUntilEndTests {
    private final class Witness: Sendable {}

    @Test func `it gets every report up to the end of the bus, which is told once`() async {
        let (numbers, ends) = (Journal<Int>(), Journal<Int>())
        await withErrorBus(handler: ErrorHandler().on(Numbered.self) { _ in .stop }) { bus in
            // The bus itself may be captured, since it ends.
            bus.observeUntilEnd { report in
                #expect(bus.statistics.posted > 0)
                if let error = report.error as? Numbered { numbers.note(error.number) }
            } onEnd: {
                ends.note($0.handled)
            }
            for number in 1...100 { bus.post(Numbered(number)) }
        }
        #expect(numbers.entries == Array(1...100) && ends.entries == [100])
    }

    @Test func `what its closures retain is released at the end, the bus included`() async {
        weak var bus: ErrorBus?
        weak var witness: Witness?
        await withErrorBus(handler: ErrorHandler()) { running in
            let held = Witness()
            (bus, witness) = (running, held)
            running.observeUntilEnd { [running] _ in withExtendedLifetime((held, running)) {} }
            running.post(Numbered(1))
        }
        expectNil(witness)
        // The tasks that ran it may be about to end.
        while bus != nil, !Task.isCancelled { await Task.yield() }
        expectNil(bus)
    }

    @Test func `the end is told too where the bus has ended, or is released without having run`() async {
        let ends = Journal<String>()
        var idle: ErrorBus? = ErrorBus(handler: ErrorHandler())
        idle?.observeUntilEnd({ _ in }, onEnd: { _ in ends.note("let go") })
        #expect(ends.entries.isEmpty)
        idle = nil
        let ended = ErrorBus(handler: ErrorHandler())
        ended.finish()
        await ended.run()
        ended.observeUntilEnd({ _ in }, onEnd: { _ in ends.note("ended") })
        expect(ends.entries, equals: ["let go", "ended"])
    }
}
