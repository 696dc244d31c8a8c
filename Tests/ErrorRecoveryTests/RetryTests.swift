import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRecovery

@Suite(
    "retry tries again as its policy decides, and throws the last error unchanged",
    .tags(.recovery1, .recovery4, .recovery5), .hangLimit)
struct RetryTests {}

extension RetryTests {
    @Test("R5: attempts are counted from 1, retried after their delays, and passed to onStep one by one")
    func stepByStep() async throws {
        let clock = ImmediateClock()
        var steps: [RetryStep] = []
        var attempts: [Int] = []
        let result = try await retry(.timeouts(4), clock: clock, onStep: { steps.append($0) }) { attempt in
            attempts.append(attempt)
            if attempt < 4 { throw Timeout(code: attempt) }
            return attempt * 10
        }
        expect(result, equals: 40)
        expect(attempts, equals: [1, 2, 3, 4])
        expect(clock.sleeps, equals: [.seconds(1), .seconds(2), .seconds(4)])
        expect(steps.map(\.attempt), equals: [1, 2, 3])
        expect(steps.map(\.maxAttempts), equals: [4, 4, 4])
        expect(steps.map { ($0.error as? Timeout)?.code }, equals: [1, 2, 3])
        expect(steps.map(\.verdict), equals: clock.sleeps.map { .retriesAfter($0, hinted: false) })
    }

    @Test("R1: when the attempts are spent, the last error is thrown, as the same object")
    func lastError() async {
        final class Failure: Error {}
        var thrown: [Failure] = []
        var verdicts: [RetryStep.Verdict] = []
        let policy = RetryPolicy(backoff: .constant(.zero)).retrying(Failure.self)
        do {
            try await retry(policy, clock: ImmediateClock(), onStep: { verdicts.append($0.verdict) }) {
                (_) throws(Failure) in
                thrown.append(Failure())
                throw thrown[thrown.count - 1]
            }
            Issue.record("nothing was thrown")
        } catch {
            // The error is typed, so no cast is needed.
            let failure: Failure = error
            expect(thrown.count, equals: 3)
            #expect(failure === thrown.last)
        }
        expect(verdicts.count, equals: 3)
        expect(verdicts.last, equals: .attemptsSpent)
    }

    @Test("R1: an operation that can't throw needs no try, a typed do block compiles, and any Error isn't boxed")
    func typedThrows() async {
        let value = await retry(.default, onStep: { Issue.record("\($0)") }) { attempt in attempt + 6 }
        expect(value, equals: 7)
        do throws(Timeout) {
            try await retry(.timeouts(1)) { _ throws(Timeout) in throw Timeout(code: 3) }
        } catch {
            expect(error.code, equals: 3)
        }
        var seen: [String] = []
        do {
            try await retry(.timeouts(2), clock: ImmediateClock(), onStep: { seen.append("\(type(of: $0.error))") }) {
                _ in
                let error: any Error = Timeout(code: 4)
                throw error
            }
        } catch {
            expect(error as? Timeout, equals: Timeout(code: 4))
        }
        expect(seen, equals: ["Timeout", "Timeout"])
    }

    @Test("R1: nothing is posted by default; with a poster, every error except the last is posted with its position")
    func reporting() async {
        let recorded = await withRecordedErrors { bus in
            _ = try? await retry(.timeouts(), clock: ImmediateClock()) { _ in throw Timeout() }
            let (policy, clock) = (RetryPolicy.timeouts(), ImmediateClock())
            _ = try? await retry(
                policy, clock: clock, errors: bus, metadata: ["order": "7"]
            ) { attempt in throw Timeout(code: attempt) }
        }
        expect(recorded.matches(of: .type(Timeout.self)).map(\.code), equals: [1, 2])
        expect(
            recorded.reports.first?.metadata,
            equals: [
                "order": "7", "retry.attempt": "1", "retry.of": "3", "retry.delay": "1.0 seconds",
            ])
        expect(recorded.reports.map(\.role), equals: [.attempt, .attempt])
        expect(recorded.reports.map(\.source.fileID), equals: [#fileID, #fileID])
    }

    @Test("if a sleep throws for any reason, no attempt follows, and the last error is thrown but not posted")
    func reportingGivenUp() async {
        var verdicts: [RetryStep.Verdict] = []
        let recorded = await withRecordedErrors { bus in
            await #expect(throws: Timeout(code: 1)) {
                try await retry(
                    .timeouts(), clock: ImmediateClock(failure: Refused()), errors: bus,
                    onStep: { verdicts.append($0.verdict) }
                ) { throw Timeout(code: $0) }
            }
        }
        recorded.expectNoneReported()
        expect(verdicts, equals: [.retriesAfter(.seconds(1), hinted: false), .cancelled])
    }

    @Test("R5: only the first attempt can start at or after the deadline, which is checked before each delay")
    func deadline() async {
        // The attempts begin at 0, 1, and 3 seconds. The next attempt would begin at 7, which is the deadline.
        let table: [(deadline: Duration, attempts: Int, verdict: RetryStep.Verdict)] = [
            (.zero, 1, .deadlineWouldPass), (.seconds(7), 3, .deadlineWouldPass),
            (Duration(attoseconds: .max), 9, .attemptsSpent),
        ]
        for (deadline, attempts, verdict) in table {
            let clock = ImmediateClock()
            var steps: [RetryStep.Verdict] = []
            await #expect(throws: Timeout(code: attempts)) {
                try await retry(.timeouts(9, deadline: deadline), clock: clock, onStep: { steps.append($0.verdict) }) {
                    throw Timeout(code: $0)
                }
            }
            expect(clock.sleeps.count, equals: attempts - 1)
            expect(steps.count, equals: attempts)
            expect(steps.last, equals: verdict)
        }
    }

    @Test("R5: the deadline is checked again after a sleep that took too long, and the attempts' own time counts too")
    func deadlineAfterSleep() async {
        let clock = ImmediateClock(oversleeping: .seconds(6))
        var steps: [RetryStep] = []
        await #expect(throws: Timeout(code: 1)) {
            try await retry(.timeouts(9, deadline: .seconds(7)), clock: clock, onStep: { steps.append($0) }) {
                throw Timeout(code: $0)
            }
        }
        expect(steps.map(\.verdict), equals: [.retriesAfter(.seconds(1), hinted: false), .deadlineWouldPass])
        expect(steps.map(\.attempt), equals: [1, 1])
        let slow = ImmediateClock()
        await #expect(throws: Timeout(code: 1)) {
            try await retry(.timeouts(9, deadline: .seconds(7)), clock: slow) { attempt in
                slow.advance(by: .seconds(6))
                throw Timeout(code: attempt)
            }
        }
        #expect(slow.sleeps.isEmpty)
    }

    @Test("a delay that would overflow a clock's instants is shortened to a hundred years")
    func endlessDelay() async throws {
        let clock = ImmediateClock()
        clock.advance(by: .seconds(1))
        let longest = Duration(attoseconds: .max)
        let policy = RetryPolicy(backoff: .constant(longest, jitter: .none)).retrying(Timeout.self)
        try await retry(policy, clock: clock) { if $0 == 1 { throw Timeout() } }
        expect(clock.sleeps, equals: [.longest])
    }

    @Test("R4: if the budget is spent, the error is thrown immediately; an abandoned retry returns its tokens")
    func budget() async {
        let budget = RetryBudget(ratio: 0, reserve: 3)
        var verdicts: [RetryStep.Verdict] = []
        let policy = RetryPolicy.timeouts(9, budget: budget)
        let clock = ImmediateClock()
        await #expect(throws: Timeout(code: 4)) {
            try await retry(policy, clock: clock, onStep: { verdicts.append($0.verdict) }) { throw Timeout(code: $0) }
        }
        expect(clock.sleeps.count, equals: 3)
        expect(verdicts.last, equals: .budgetSpent)

        let other = RetryBudget(ratio: 0, reserve: 3)
        await #expect(throws: Timeout(code: 1)) {
            try await retry(.timeouts(9, budget: other), clock: ImmediateClock(failure: Refused())) {
                throw Timeout(code: $0)
            }
        }
        expect(other.statistics, equals: .init(available: 3, granted: 0, refused: 0))
    }

    @Test("each verdict's description is a sentence")
    func sentences() {
        let sentences: KeyValuePairs<RetryStep.Verdict, String> = [
            .budgetSpent: "not retried: the budget is spent",
            .retriesAfter(.seconds(2), hinted: false): "retried after 2.0 seconds",
            .retriesAfter(.seconds(2), hinted: true): "retried after 2.0 seconds, as the error asked",
            .notRetryable: "not retried: the error is final",
            .attemptsSpent: "not retried: the attempts are spent",
            .deadlineWouldPass: "not retried: the deadline would pass",
            .hintTooLong(.seconds(90)): "not retried: the error asked to wait 90.0 seconds, which is too long",
            .cancelled: "not retried: cancelled",
        ]
        for (verdict, sentence) in sentences {
            let step = RetryStep(attempt: 1, maxAttempts: 3, error: Timeout(), verdict: verdict)
            expect(step.description, equals: sentence)
        }
    }
}
