import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

/// Detects anything that one delivery leaves behind for the next: marks, observers, memory.
@Suite(
    "Promises 16, 18, and 19: nothing accumulates over a bus's long life",
    .tags(.promise16, .promise18, .promise19), .hangLimit)
struct BusLongLifeTests {}

extension BusLongLifeTests {
    @Test("promise 18: an action that is cut off leaves no mark on later actions")
    func marks() async {
        let (marks, clock) = (Journal<Int>(), ManualClock())
        let entered = (0..<20).map { _ in Gate() }
        let handler = ErrorHandler()
            .ignore(ActionFailure.self)
            .on(Numbered.self) { error in
                marks.note(Ambience.current.work.count)
                entered[error.number].open()
                // Hang until the action is cut off.
                try await Gate().waitUnlessCancelled()
                return .stop
            }
        let configuration = ErrorBus.Configuration(actionTimeLimit: .seconds(30), clock: clock)
        await withErrorBus(handler: handler, configuration: configuration) { bus in
            for number in 0..<20 {
                bus.post(Numbered(number))
                await entered[number].wait()
                clock.advance(by: .seconds(30))
            }
        }
        // The work of the bus's actions and of this action.
        expect(marks.entries, equals: Array(repeating: 2, count: 20))
    }

    @Test("promise 19: an observer with a cancelled reader is removed, even if its stream is retained")
    func cancelledObserver() async {
        let calls = Journal<Int>()
        let bus = ErrorBus(handler: ErrorHandler())
        let stream = bus.reports(
            matching: .predicate { _ in
                calls.note(1)
                return true
            }
        )
        async let running: Void = bus.run()
        let reader = Task { for await _ in stream {} }
        await bus.deliver(Numbered(1))
        reader.cancel()
        await reader.value
        #expect(bus.storage.apply { $0.observers.isEmpty })
        await bus.deliver(Numbered(2))
        expect(calls.entries, equals: [1])
        bus.finish()
        await running
        withExtendedLifetime(stream) {}
    }

    @Test("an ended bus doesn't retain the reports that a shutdown returned")
    func withdrawn() async {
        // Run in a separate process: the test blocks a pool thread.
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
            let handler = ErrorHandler().on(Held.self) { _ in
                entered.open()
                leave.wait()
                return .stop
            }
            let bus = ErrorBus(handler: handler)
            weak var witness: Witness?
            do {
                let held = Witness()
                witness = held
                bus.post(Held(witness: held))
                bus.post(Held(witness: held))
            }
            let running = Task { await bus.run() }
            await entered.wait()
            expect(await bus.shutdown(within: .zero).count, equals: 2)
            await running.value
            // The action still retains the witness.
            #expect(witness != nil)
            leave.signal()
            await eventually("the action has ended and released the witness") { witness == nil }
            expect(bus.statistics.dropped, equals: 2)
        }
    }

    private final class Witness: Sendable {}

    private struct Held: Error {
        let witness: Witness
    }

    @Test("promise 16: an observer's matcher that hangs doesn't delay a shutdown")
    func hangingMatcher() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
            let bus = ErrorBus(handler: ErrorHandler())
            let reports = bus.reports(
                matching: .predicate { _ in
                    entered.open()
                    leave.wait()
                    return true
                }
            )
            for number in 0..<3 { bus.post(Numbered(number)) }
            async let running: Void = bus.run()
            await entered.wait()
            // The first report counts as delivered by now.
            expect(await bus.shutdown(within: .milliseconds(10)).count, equals: 2)
            leave.signal()
            await running
            expect(bus.statistics.unmatched, equals: 1)
            expect(bus.statistics.dropped, equals: 2)
            withExtendedLifetime(reports) {}
        }
    }
}
