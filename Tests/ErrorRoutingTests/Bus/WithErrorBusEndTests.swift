import Dispatch
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviour 15: withErrorBus serves as root, and drops the rest at its drain time limit",
    .tags(.behaviour15), .hangLimit)
struct WithErrorBusEndTests {}

extension WithErrorBusEndTests {
    // In a process of its own, since it keeps a thread of the pool from everyone else.
    @Test("a task that an observer starts while it is told of the last report is awaited, and its error delivered")
    func taskOfAnObserver() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let (entered, leave, journal) = (Gate(), DispatchSemaphore(value: 0), Journal<Int>())
            let bus = Locked<ErrorBus?>(nil)
            let ends = Task {
                await withErrorBus(handler: .noting(journal)) { started in
                    bus.withLock { $0 = started }
                    started.observeUntilEnd { report in
                        guard report.error as? Numbered == Numbered(1) else { return }
                        entered.open()
                        leave.wait()
                        ErrorBus.current?.task { throw Numbered(2) }
                    }
                    started.post(Numbered(1))
                }
            }
            await entered.wait()
            guard let bus = bus.withLock({ $0 }) else { return #expect(Bool(false), "no bus") }
            while bus.statistics.pending > 0 { yieldToOtherThreads() }
            // The end of the bus has time to come too early.
            for _ in 0..<200 where !bus.storage.isClosed { yieldToOtherThreads() }
            leave.signal()
            await ends.value
            expect(journal.entries, equals: [1, 2])
        }
    }

    @Test("at its drain time limit the rest is dropped, counted, and goes to the last resort, with the reason")
    func drainTimeLimit() async {
        let lines = Journal<String>()
        let (clock, entered, gate) = (ManualClock(), Gate(), Gate())
        let handler = ErrorHandler().on(Numbered.self) { error in
            if error.number == 2 {
                entered.open()
                await gate.wait()
            }
            return .stop
        }
        let configuration = ErrorBus.Configuration(
            actionTimeLimit: nil, clock: clock, drainTimeLimit: .seconds(5), lastResort: LastResort { lines.note($0) })
        let statistics = Journal<ErrorBus.Statistics>()
        let observation = Locked<ErrorObservation?>(nil)
        let ends = Task {
            await withErrorBus(handler: handler, configuration: configuration) { bus in
                observation.withLock { $0 = bus.observe({ _ in }, onEnd: { statistics.note($0) }) }
                bus.task { await entered.wait() }
                for number in 1...4 { bus.post(Numbered(number)) }
            }
        }
        await entered.wait()
        await clock.waitForSleepers()
        expect(lines.entries, equals: [])
        clock.advance(by: .seconds(5))
        await ends.value
        gate.open()
        expect(lines.entries.count, equals: 3)
        let reason = "it was not delivered within the drain time limit of 5.0 seconds"
        #expect(lines.entries.allSatisfy { $0.contains(reason) })
        let end = statistics.entries.first
        #expect(end?.handled == 1 && end?.dropped == 3 && end?.pending == 0 && end?.isBalanced == true)
    }

    @Test("the limit holds until the end, also where somebody else finishes the bus meanwhile")
    func finishedByAnother() async {
        let lines = Journal<String>()
        let (clock, gate, second, end) = (ManualClock(), Gate(), Gate(), Gate())
        let handler = ErrorHandler()
            .on(Numbered(1)) { _ in
                await gate.wait()
                ErrorBus.current?.task {
                    ErrorBus.current?.post(Numbered(2))
                    ErrorBus.current?.finish()
                }
                return .stop
            }
            .on(Numbered(2)) { _ in
                second.open()
                await end.wait()
                return .stop
            }
        let configuration = ErrorBus.Configuration(
            actionTimeLimit: nil, clock: clock, drainTimeLimit: .seconds(5), lastResort: LastResort { lines.note($0) })
        let ends = Task {
            await withErrorBus(handler: handler, configuration: configuration) { $0.post(Numbered(1)) }
        }
        await clock.waitForSleepers()
        gate.open()
        await second.wait()
        // Whatever follows finish has had time to drop the limit.
        for _ in 0..<100 { await Task.yield() }
        clock.advance(by: .seconds(5))
        await ends.value
        #expect(lines.entries.count == 1 && lines.entries.first?.contains("Numbered(number: 2)") == true)
        end.open()
    }

    @Test("where all is delivered in time the limit changes nothing")
    func inTime() async {
        let journal = Journal<Int>()
        let configuration = ErrorBus.Configuration(clock: ManualClock(), drainTimeLimit: .seconds(5))
        await withErrorBus(handler: .noting(journal), configuration: configuration) { bus in
            for number in 1...100 { bus.post(Numbered(number)) }
        }
        expect(journal.entries, equals: Array(1...100))
    }

    @Test("a negative limit is a programming error that names it")
    func negative() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ErrorBus(handler: ErrorHandler(), configuration: .init(drainTimeLimit: .seconds(-1)))
        }
        #expect(
            result.standardErrorLines.contains {
                $0.contains("drainTimeLimit must not be negative, but is -1.0 seconds")
            })
    }
}
