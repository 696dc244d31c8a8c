import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 16 and 18: after a shutdown or a time limit, no action of a report begins, and the bus is released",
    .tags(.promise16, .promise18), .hangLimit)
struct RemovedReportWorkerTests {}

extension RemovedReportWorkerTests {
    @Test(
        "a worker whose task was cancelled and whose report was removed starts no successor, and the bus is released",
        arguments: [true, false])
    func noSuccessor(isDelivering: Bool) async {
        let handled = Journal<Int>()
        weak var freed: ErrorBus?
        do {
            let handler = ErrorHandler().on(Numbered.self) { error in
                handled.note(error.number)
                return .stop
            }
            let bus = ErrorBus(handler: handler)
            freed = bus
            if isDelivering { bus.post(Numbered(1)) }
            expect(bus.storage.apply { $0.run() }, equals: true)
            if isDelivering { _ = bus.storage.apply { $0.next() } }
            bus.abort { reports in expect(reports.count, equals: isDelivering ? 1 : 0) }
            let worker = Task { @concurrent in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                await DeliveryWorker(bus: bus).work()
            }
            await worker.value
        }
        await eventually("the bus is deallocated") { freed == nil }
        expect(handled.entries, equals: [])
    }

    @Test(
        "an asynchronous action whose report was removed before its task began is never called",
        arguments: [true, false])
    func notStarted(isRemoved: Bool) async {
        let called = Journal<Int>()
        let bus = ErrorBus(handler: ErrorHandler())
        bus.post(Numbered(1))
        expect(bus.storage.apply { $0.run() }, equals: true)
        guard case .deliver = bus.storage.apply({ $0.next() }) else {
            Issue.record("the worker has nothing to deliver")
            return
        }
        let rule = MatcherRule(ErrorMatcher<any Error>.any, at: .init(), .asynchronous { _ in .stop })
        let report = ErrorReport(error: Numbered(1), source: .init())
        let action = PreparedAction(rule: rule, report: report) {
            called.note(1)
            return .stop
        }
        let running = RunningAction(action, limit: .seconds(1))
        if isRemoved { bus.abort { expect($0.count, equals: 1) } }
        bus.start(running)
        let wasRemoved = if case .reportRemoved = await running.end.value { true } else { false }
        expect(wasRemoved, equals: isRemoved)
        expect(called.entries, equals: isRemoved ? [] : [1])
        if !isRemoved { bus.abort { _ in } }
    }
}
