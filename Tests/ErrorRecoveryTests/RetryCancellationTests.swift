import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R3: cancellation ends a retry immediately with the last error", .tags(.recovery3), .hangLimit)
struct RetryCancellationTests {
    /// Retries every error without a limit.
    private let anything = RetryPolicy(maxAttempts: .max).retrying(matching: .any)
}

extension RetryCancellationTests {
    @Test("a task that is cancelled during a delay throws the error immediately and makes no further attempt")
    func duringDelay() async {
        let clock = ManualClock()
        let task = Task {
            var steps: [RetryStep] = []
            var attempts = 0
            do {
                try await retry(anything, clock: clock, onStep: { steps.append($0) }) { attempt in
                    attempts = attempt
                    throw Timeout(code: attempt)
                }
            } catch {
                expect(error as? Timeout, equals: Timeout(code: 1))
            }
            return (attempts, steps.map(\.verdict))
        }
        await clock.waitForSleepers()
        task.cancel()
        let (attempts, verdicts) = await task.value
        expect(attempts, equals: 1)
        expect(verdicts.count, equals: 2)
        expect(verdicts.last, equals: .cancelled)
    }

    @Test("a task that is cancelled during an attempt throws the attempt's error and doesn't sleep")
    func duringAttempt() async {
        let clock = ImmediateClock()
        let (running, gate) = (Gate(), Gate())
        let task = Task {
            try await retry(anything, clock: clock) { _ in
                running.open()
                await gate.wait()
                throw Timeout(code: 5)
            }
        }
        await running.wait()
        task.cancel()
        gate.open()
        await #expect(throws: Timeout(code: 5)) { try await task.value }
        #expect(clock.sleeps.isEmpty)
    }

    @Test(
        "a cancellation is never retried, whatever the rules decide and however it is boxed, and explain shows this")
    func neverRetried() async {
        for policy in [anything, anything.retrying(CancellationError.self)] {
            var steps: [RetryStep.Verdict] = []
            await #expect(throws: CancellationError.self) {
                try await retry(policy, clock: ImmediateClock(), onStep: { steps.append($0.verdict) }) { _ in
                    let stream = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: CancellationError()) }
                    for try await _ in stream {}
                }
            }
            expect(steps, equals: [.cancelled])
        }
        let explanation = anything.explain(CancellationError())
        expect(explanation.rule?.matcher, equals: "cancellation")
        expect(explanation.entries.count, equals: anything.explain(Timeout()).entries.count + 1)
    }
}
