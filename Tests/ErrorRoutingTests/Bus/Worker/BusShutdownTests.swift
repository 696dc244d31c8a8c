import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviour 16: shutdown waits until its deadline, and gives back what was not delivered",
    .tags(.behaviour16), .hangLimit)
struct BusShutdownTests {}

extension BusShutdownTests {
    @Test("shutdown waits for delivery, and gives nothing back where all was delivered in time")
    func inTime() async {
        let journal = Journal<Int>()
        let bus = ErrorBus(handler: .noting(journal), configuration: .init(clock: ManualClock()))
        for number in 0..<100 { bus.post(Numbered(number)) }
        async let running: Void = bus.run()
        #expect(await bus.shutdown(within: .seconds(1)).isEmpty)
        await running
        expect(journal.entries, equals: Array(0..<100))
    }

    @Test("at the deadline the report in flight is given back first, then the rest, all counted as dropped")
    func atTheDeadline() async {
        let fixture = Fixture()
        let bus = fixture.bus
        let reports = bus.reports()
        for number in 1...3 { bus.post(Numbered(number)) }
        async let running: Void = bus.run()
        await fixture.entered.wait()
        async let left = bus.shutdown(within: .seconds(5))
        await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(5))
        expect(await left.map(\.error) as? [Numbered], equals: [Numbered(1), Numbered(2), Numbered(3)])
        await running
        expect(bus.statistics.dropped, equals: 3)
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 0)

        // What the action still does changes no counter, observer or outcome.
        let before = bus.statistics
        // It is cancelled last of all, after everybody has heard of the end.
        await fixture.cancelled.wait()
        fixture.gate.open()
        await fixture.left.wait()
        #expect(await reports.collected().isEmpty)
        expect(bus.statistics, equals: before)
        expect(fixture.journal.entries, equals: ["cancelled"])
    }

    @Test("one who waits for an outcome that shutdown cuts off hears .dropped")
    func waitersHear() async {
        let fixture = Fixture()
        async let running: Void = fixture.bus.run()
        async let inFlight = fixture.bus.deliver(Numbered(1))
        await fixture.entered.wait()
        async let queued = fixture.bus.deliver(Numbered(2))
        // The first is in delivery. Before it is all there, a report is refused, and not given back.
        while !fixture.bus.storage.isFilled(at: 1) { await Task.yield() }
        expect(await fixture.bus.shutdown(within: .zero).count, equals: 2)
        expect(await inFlight.disposition, equals: .dropped)
        expect(await queued.disposition, equals: .dropped)
        await running
        fixture.gate.open()
    }

    @Test("the caller's cancellation does not shorten the time")
    func cancelledCaller() async {
        let fixture = Fixture()
        let bus = fixture.bus
        bus.post(Numbered(1))
        async let running: Void = bus.run()
        await fixture.entered.wait()
        let shutdown = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await bus.shutdown(within: .seconds(5))
        }
        await fixture.clock.waitForSleepers()
        expect(bus.statistics.pending, equals: 1)
        // Still waiting, so opening the gate lets the report through.
        fixture.gate.open()
        #expect(await shutdown.value.isEmpty)
        await running
        expect(bus.statistics.handled, equals: 1)
    }

    @Test("two shutdowns give every report back once")
    func twoShutdowns() async {
        let fixture = Fixture()
        let bus = fixture.bus
        for number in 1...5 { bus.post(Numbered(number)) }
        async let running: Void = bus.run()
        await fixture.entered.wait()
        async let first = bus.shutdown(within: .zero)
        async let second = bus.shutdown(within: .zero)
        expect(await first.count + second.count, equals: 5)
        await running
        expect(bus.statistics.dropped, equals: 5)
        fixture.gate.open()
    }

    /// A bus on a test clock whose action on error 1 hangs until the gate opens.
    private struct Fixture {
        let clock = ManualClock()
        let entered = Gate()
        let gate = Gate()
        let left = Gate()
        let cancelled = Gate()
        let journal = Journal<String>()
        let bus: ErrorBus

        init() {
            let handler = ErrorHandler()
                .always { [journal] _ in
                    journal.note("always")
                    return .next
                }
                .on(Numbered(1)) { [entered, gate, left, cancelled, journal] _ in
                    entered.open()
                    await withTaskCancellationHandler {
                        await gate.wait()
                    } onCancel: {
                        cancelled.open()
                    }
                    if Task.isCancelled { journal.note("cancelled") }
                    left.open()
                    return .next
                }
            bus = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil, clock: clock))
        }
    }
}
