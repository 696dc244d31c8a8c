import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

/// Catches a deadlock or an endless recursion: all that a bus can be asked is asked from within an action.
@Suite("An action may call back into its bus in every way", .tags(.behaviour12, .behaviour16), .hangLimit)
struct EvilTests {
    @Test("an action may post, deliver, observe, explain, handle again, finish and shut down")
    func evil() async {
        let journal = Journal<String>()
        let handler = ErrorHandler()
            .onNoMatch { error in
                journal.note("no match \(type(of: error))")
                return .stop
            }
            .on(Numbered.self) { error, report in
                guard let bus = ErrorBus.current else { return .stop }
                let observer = bus.reports(bufferingNewest: 1)
                bus.post(Numbered(error.number - 1))
                _ = await bus.deliver(Numbered(error.number - 1))
                bus.catching { throw Numbered(error.number - 1) }
                bus.task { throw Numbered(error.number - 2) }
                _ = bus.statistics
                _ = bus.handler.explain(error)
                await bus.handler.overlaid(with: ErrorHandler().on(Numbered.self) { _ in .stop }).handle(report)
                await withErrorBus(handler: .logging { _, _ in journal.note("inner") }) { inner in
                    inner.post(error)
                    _ = await bus.deliver(error)
                }
                if error.number <= 0 {
                    bus.finish()
                    _ = await bus.shutdown(within: .seconds(3_600))
                    bus.finish()
                }
                withExtendedLifetime(observer) {}
                throw Numbered(error.number - 1)
            }
        let bus = ErrorBus(handler: handler, configuration: .init(capacity: 64, clock: ManualClock()))
        let reports = bus.reports()
        bus.post(Numbered(2))
        await bus.run()
        #expect(bus.statistics.pending == 0)
        #expect(bus.statistics.isBalanced)
        #expect(bus.statistics.actionFailures > 0)
        #expect(journal.entries.contains("inner") && journal.entries.contains("no match ActionFailure"))
        // Streams have ended, or this would not return.
        _ = await reports.collected()
        await bus.tasks.waitForAll()
    }
}
