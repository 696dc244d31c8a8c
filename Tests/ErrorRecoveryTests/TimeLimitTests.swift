import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("R5: a time limit cancels an operation, and waits until it has ended", .tags(.recovery5), .hangLimit)
struct TimeLimitTests {
    @Test("an operation that ends in time returns its result or throws its own error, and leaves no sleeper")
    func inTime() async throws {
        let clock = ManualClock()
        let value = try await withTimeLimit(.seconds(2), clock: clock) { 7 }
        expect(value, equals: 7)
        await #expect(throws: Timeout(code: 3)) {
            try await withTimeLimit(.seconds(2), clock: clock) { throw Timeout(code: 3) }
        }
        // No sleeper is left for this to wake.
        clock.advance(by: .seconds(10))
    }

    @Test("at the limit the operation is cancelled, and the error is thrown after it has ended, whatever it returned")
    func atTheLimit() async throws {
        let clock = ManualClock()
        let (isCancelled, mayEnd) = (Gate(), Gate())
        let hasEnded = Locked(false)
        async let limited: Int = withTimeLimit(.seconds(2), clock: clock) {
            await withTaskCancellationHandler {
                await mayEnd.wait()
            } onCancel: {
                isCancelled.open()
            }
            hasEnded.withLock { $0 = true }
            return 7
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        await isCancelled.wait()
        #expect(!hasEnded.withLock { $0 })
        mayEnd.open()
        do {
            let value = try await limited
            Issue.record("\(value)")
        } catch let error as TimeLimitExceeded {
            expect(error.limit, equals: .seconds(2))
            #expect(error.cause == nil)
            expect("\(error)", equals: "took longer than 2.0 seconds")
        }
        #expect(hasEnded.withLock { $0 })
    }

    @Test("the limit's error wraps the error that the cancelled operation threw, unless it is a CancellationError")
    func cause() async throws {
        let errors: [any Error] = [Timeout(code: 4), CancellationError()]
        for (thrown, isKept) in zip(errors, [true, false]) {
            let error = await #expect(throws: TimeLimitExceeded.self) {
                try await withTimeLimit(.zero) {
                    await eventually("the operation is cancelled") { Task.isCancelled }
                    throw thrown
                }
            }
            expect(error?.underlyingErrors.count, equals: isKept ? 1 : 0)
            #expect(error.map { ErrorMatcher.causedBy(Timeout.self).match($0) != nil } == isKept)
            // The limit's error isn't a cancellation: the caller wasn't cancelled.
            #expect(error.map { ErrorMatcher.cancellation.match($0) == nil } == true)
        }
    }

    @Test("if its caller is cancelled, the operation is cancelled, and its own result or error is passed on")
    func cancelled() async {
        for clock in [ManualClock(), ManualClock()] {
            let begun = Gate()
            let task = Task {
                try await withTimeLimit(.seconds(2), clock: clock) {
                    begun.open()
                    await eventually("the operation is cancelled") { Task.isCancelled }
                    throw Timeout(code: 5)
                }
            }
            await begun.wait()
            task.cancel()
            await #expect(throws: Timeout(code: 5)) { try await task.value }
        }
        let task = Task {
            await eventually("the caller is cancelled") { Task.isCancelled }
            return try await withTimeLimit(.seconds(2)) { 6 }
        }
        task.cancel()
        let value = try? await task.value
        expect(value, equals: 6)
    }

    @Test("if the clock's sleep throws, the operation is ended, and the clock's error is thrown")
    func brokenClock() async {
        await #expect(throws: Refused.self) {
            try await withTimeLimit(.seconds(2), clock: ImmediateClock(failure: Refused())) {
                await eventually("the operation is cancelled") { Task.isCancelled }
            }
        }
    }

    @Test("limits of any length can be waited for")
    func lengths() async throws {
        for limit in [Duration.seconds(Int64.max), .longest, Duration(attoseconds: .max)] {
            let value = try await withTimeLimit(limit) { 8 }
            expect(value, equals: 8)
        }
        for limit in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
            await #expect(throws: TimeLimitExceeded.self) {
                try await withTimeLimit(limit) {
                    await eventually("the operation is cancelled") { Task.isCancelled }
                }
            }
        }
    }

    @Test("within a retry each attempt has its own limit; within a circuit an exceeded limit counts as a failure")
    func combined() async {
        let circuit = CircuitBreaker(
            "search", counting: .type(TimeLimitExceeded.self), minimumCalls: 2, errors: SilentPoster())
        let attempts = Locked(0)
        await #expect(throws: TimeLimitExceeded.self) {
            try await retry(RetryPolicy(maxAttempts: 2, backoff: .constant(.zero))) { _ in
                try await circuit.run {
                    try await withTimeLimit(.zero) {
                        attempts.withLock { $0 += 1 }
                        await eventually("the operation is cancelled") { Task.isCancelled }
                    }
                }
            }
        }
        expect(attempts.withLock { $0 }, equals: 2)
        expect(circuit.state, equals: .open)
    }
}
