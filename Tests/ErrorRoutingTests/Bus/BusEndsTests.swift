import Dispatch
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

/// Tests actions that post again and again, and threads that are all blocked.
@Suite(
    "Promises 15 and 16: a bus ends, whatever actions and threads do", .tags(.promise15, .promise16), .hangLimit)
struct BusEndsTests {}

extension BusEndsTests {
    /// A handler that posts the next number whenever it handles a number.
    private static func continuing(_ journal: Journal<Int>) -> ErrorHandler {
        ErrorHandler().on(Numbered.self) { error in
            journal.note(error.number)
            ErrorBus.current?.post(Numbered(error.number + 1))
            return .stop
        }
    }

    @Test(
        "withErrorBus ends even if each action posts or starts a follow-up, and accepts only what fits its capacity"
    )
    func followUps() async {
        let journal = Journal<Int>()
        let bus = await withErrorBus(handler: Self.continuing(journal), configuration: .init(capacity: 8)) { bus in
            bus.post(Numbered(1))
            return bus
        }
        // These are the action in flight when the tasks ended, and the errors that the bus accepted after that.
        #expect(journal.entries.count >= 9)
        expect(journal.entries, equals: Array(1...journal.entries.count))
        expect(bus.statistics.dropped, equals: 1)
        #expect(bus.statistics.isBalanced)
        expect(bus.statistics.pending, equals: 0)

        // Posts from tasks that actions started also use that capacity.
        let handler = ErrorHandler().on(Numbered.self) { error in
            ErrorBus.current?.task { throw Numbered(error.number + 1) }
            return .stop
        }
        // Repeat it: the bus can close by itself while its owner is about to close it, and the last task still runs then.
        for _ in 0..<50 {
            let other = await withErrorBus(handler: handler, configuration: .init(capacity: 8)) { bus in
                bus.post(Numbered(1))
                return bus
            }
            expect(other.statistics.dropped, equals: 1)
            expect(other.statistics.pending, equals: 0)
        }
    }

    @Test(
        "if the caller is cancelled, the bus accepts no posts once body and tasks have ended, nor while it drains")
    func cancelled() async {
        let (journal, begun) = (Journal<Int>(), Gate())
        let task = Task {
            await withErrorBus(handler: Self.continuing(journal)) { bus in
                begun.open()
                await eventually("the body is cancelled") { Task.isCancelled }
                bus.post(Numbered(1))
                return bus
            }
        }
        await begun.wait()
        task.cancel()
        let bus = await task.value
        expect(journal.entries.first, equals: 1)
        expect(bus.statistics.dropped, equals: 1)
        expect(bus.statistics.pending, equals: 0)

        let (other, posted) = (Journal<Int>(), Gate())
        let winding = Task {
            await withErrorBus(handler: Self.continuing(other), configuration: .init(capacity: 1 << 26)) { bus in
                bus.post(Numbered(1))
                posted.open()
            }
        }
        await posted.wait()
        winding.cancel()
        await winding.value
        expect(other.entries.first, equals: 1)
    }

    @Test("shutdown returns pending reports at its deadline although every thread of the pool is blocked")
    func blockedPool() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let block = DispatchSemaphore(value: 0)
            let bus = ErrorBus(
                handler: ErrorHandler().on(Numbered.self) { _ in
                    block.wait()
                    return .stop
                })
            for number in 1...3 { bus.post(Numbered(number)) }
            Task { await bus.run() }
            Task { _ = await bus.shutdown(within: .milliseconds(100)) }
            await eventually("the shutdown has closed the bus") { bus.storage.isClosed }
            Thread.detachNewThread {
                // The tasks that block all threads never end, so code that waits for the pool would never end either.
                for _ in 0..<30_000 where bus.statistics.dropped < 3 { usleep(1_000) }
                let statistics = bus.statistics
                exit(statistics.dropped == 3 && statistics.isBalanced && statistics.pending == 0 ? 0 : 1)
            }
            for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount { Task { block.wait() } }
            block.wait()
        }
    }

    @Test("when shutdown returns, another bus can become the root, even if the bus never ran")
    func rootIsFree() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            for number in 0..<300 {
                let bus = ErrorBus(handler: ErrorHandler())
                bus.becomeRoot()
                bus.post(Numbered(number))
                let left = await bus.shutdown(within: number % 2 == 0 ? .zero : .microseconds(10))
                if left.count != 1 { exit(1) }
            }
        }
    }

    @Test("a number of nanoseconds can express 292 years, forwards and backwards")
    func nanoseconds() {
        expect(Duration.seconds(Int64.max).nanoseconds, equals: .max)
        expect(Duration.seconds(Int64.min).nanoseconds, equals: .min)
        let longest = Duration(attoseconds: .max)
        let shortest = Duration(attoseconds: .min)
        expect(longest.nanoseconds, equals: .max)
        expect(shortest.nanoseconds, equals: .min)
        expect(Duration.nanoseconds(Int64.min).nanoseconds, equals: .min)
        expect(Duration.seconds(-3).nanoseconds, equals: -3_000_000_000)
        expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).nanoseconds, equals: .max)
        expect((Duration.nanoseconds(Int64.min) - .nanoseconds(1)).nanoseconds, equals: .min)
    }
}
