import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R3: cancellation ends a retry at once, with the error that was there", .tags(.recovery3), .hangLimit)
struct RetryCancellationTests {
    /// Retries everything, for as long as it takes.
    private let anything = RetryPolicy(maxAttempts: .max).retrying(matching: .any)
}

extension RetryCancellationTests {
    @Test("a task that is cancelled during a delay throws the error at once, and makes no further attempt")
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
        #expect(attempts == 1 && verdicts.count == 2 && verdicts.last == .cancelled)
    }

    @Test("a task that is cancelled during an attempt throws what the attempt threw, and does not sleep")
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

    @Test("a task that was cancelled before still makes its first attempt, whose success counts")
    func before() async throws {
        let gate = Gate()
        let task = Task {
            await gate.wait()
            return try await retry(anything, clock: ImmediateClock()) { attempt in
                if attempt > 1 { throw Refused() }
                return attempt
            }
        }
        task.cancel()
        gate.open()
        expect(try await task.value, equals: 1)
    }

    @Test("a cancellation that the clock does not notice makes no attempt either")
    func unnoticed() async {
        let clock = UnnoticingClock()
        let task = Task {
            var attempts = 0
            await #expect(throws: Timeout.self) {
                try await retry(anything, clock: clock) { attempt in
                    attempts = attempt
                    throw Timeout()
                }
            }
            return attempts
        }
        await clock.asleep.wait()
        task.cancel()
        clock.waking.open()
        expect(await task.value, equals: 1)
    }

    @Test("a sleep that throws, for any reason, makes no attempt")
    func throwingSleep() async {
        var steps: [RetryStep.Verdict] = []
        await #expect(throws: Timeout(code: 1)) {
            try await retry(
                anything, clock: ImmediateClock(failure: Refused()), onStep: { steps.append($0.verdict) }
            ) { throw Timeout(code: $0) }
        }
        #expect(steps.count == 2 && steps.last == .cancelled)
    }

    @Test("what is a cancellation is never retried, whatever the rules say, and however it is boxed")
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
    }

    @Test("explain begins with the rule that nobody can overrule")
    func explained() {
        let explanation = anything.explain(CancellationError())
        expect(explanation.rule?.matcher, equals: "cancellation")
        expect(explanation.entries.count, equals: 2)
        expect(anything.explain(Timeout()).entries.count, equals: 1)
    }
}

/// A clock whose sleeps honour no cancellation, and end when a gate opens.
private final class UnnoticingClock: Clock, Sendable {
    let asleep = Gate()
    let waking = Gate()

    var now: ImmediateClock.Instant { .init() }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ImmediateClock.Instant, tolerance: Duration?) async throws {
        asleep.open()
        await waking.wait()
    }
}
