import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Behaviour 19: each stream has every report, or loses its oldest where the reader is slow",
    .tags(.behaviour19), .hangLimit)
struct BusObserverTests {}

extension BusObserverTests {
    @Test("every observer gets every delivered report with its outcome")
    func everyObserver() async {
        let bus = ErrorBus(handler: ErrorHandler().ignore(Numbered(1)))
        let streams = (0..<3).map { _ in bus.reports() }
        for number in 0..<10 { bus.post(Numbered(number)) }
        bus.finish()
        await bus.run()
        for stream in streams {
            let reports = await stream.collected()
            expect(reports.map(\.error) as? [Numbered], equals: (0..<10).map(Numbered.init))
            expect(reports.map(\.outcome.disposition), equals: (0..<10).map { $0 == 1 ? .ignored : .unmatched })
        }
    }

    @Test("a slow observer loses its oldest, and the bus keeps its pace")
    func slowObserver() async {
        let bus = ErrorBus(handler: ErrorHandler())
        let slow = bus.reports(bufferingNewest: 2)
        for number in 0..<10 { bus.post(Numbered(number)) }
        bus.finish()
        await bus.run()
        expect(await slow.collected().map(\.error) as? [Numbered], equals: [Numbered(8), Numbered(9)])
    }

    @Test("an observer gets what is delivered after it was opened")
    func lateObserver() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            await bus.deliver(Numbered(1))
            let late = bus.reports()
            await bus.deliver(Numbered(2))
            bus.finish()
            expect(await late.collected().map(\.error) as? [Numbered], equals: [Numbered(2)])
        }
    }

    @Test("an outcome is observed before it is returned to the one who waits for it")
    func observedBeforeAnswered() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            var iterator = bus.reports().makeAsyncIterator()
            await bus.deliver(Numbered(1))
            expect(await iterator.next()?.sequence, equals: 1)
        }
    }

    @Test("an observer that stops reading ends nothing but its own stream")
    func cancelledObserver() async {
        let bus = ErrorBus(handler: ErrorHandler())
        let (quitter, stayer) = (bus.reports(), bus.reports())
        let run = Task { await bus.run() }
        let reading = Task { await quitter.collected() }
        reading.cancel()
        _ = await reading.value
        bus.post(Numbered(1))
        bus.finish()
        await run.value
        expect(await stayer.collected().count, equals: 1)
    }

    @Test("a stream opened after the bus has ended is at its end")
    func afterTheEnd() async {
        let bus = ErrorBus(handler: ErrorHandler())
        bus.finish()
        await bus.run()
        #expect(await bus.reports().collected().isEmpty)
    }
}
