import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("R6: a circuit breaker protects callers from a failing dependency", .tags(.recovery6), .hangLimit)
struct CircuitBreakerTests {}

extension CircuitBreakerTests {
    @Test("it opens, refuses until the open period is over, closes after a trial call, and posts each change once")
    func cycle() async throws {
        let clock = ManualClock()
        let recorded = await withRecordedErrors { bus in
            let breaker = CircuitBreaker(
                "payments", counting: .type(Timeout.self), minimumCalls: 2, jitter: 0, clock: clock, errors: bus)
            await breaker.fail(with: Timeout(code: 1))
            expect(breaker.state, equals: .closed)
            await breaker.fail(with: Timeout(code: 2))
            expect(breaker.state, equals: .open)
            clock.advance(by: .seconds(2))
            let refusal = await #expect(throws: CircuitOpen.self) { try await breaker.run { Issue.record("it ran") } }
            expect(refusal?.name, equals: "payments")
            expect(refusal?.retryAfter, equals: .seconds(3))
            expect(refusal?.cause as? Timeout, equals: Timeout(code: 2))
            expect(refusal?.description, equals: "circuit payments is open: retry after 3.0 seconds")
            clock.advance(by: .seconds(3))
            // No trial call has begun yet.
            expect(breaker.state, equals: .open)
            let result = try? await breaker.run {
                expect(breaker.state, equals: .halfOpen)
                return 7
            }
            expect(result, equals: 7)
            expect(breaker.state, equals: .closed)
        }
        let changes = recorded.matches(of: .type(CircuitChanged.self))
        expect(changes.map(\.state), equals: [.open, .halfOpen, .closed])
        expect(changes.map(\.name), equals: ["payments", "payments", "payments"])
        // Only the first change has a cause, so that a rule for the cause runs once.
        expect(changes.map { $0.cause as? Timeout }, equals: [Timeout(code: 2), nil, nil])
        expect(changes.map(\.underlyingErrors.count), equals: [1, 0, 0])
        expect(recorded.reports.map(\.role), equals: [.notice, .notice, .notice])
        expect(recorded.reports.first?.source.fileID, equals: #fileID)
        expect(recorded.reports.first?.metadata, equals: ["circuit.name": "payments", "circuit.state": "open"])
        expect(changes.last?.description, equals: "circuit payments is closed")
    }

    @Test("its description is one line with its name, escaped and truncated, and its state")
    func description() async {
        let breaker = CircuitBreaker(
            "pay\nments", counting: .type(Timeout.self), minimumCalls: 1, errors: SilentPoster())
        expect("\(breaker)", equals: #"circuit pay\nments is closed"#)
        await breaker.fail(with: Timeout())
        expect("\(breaker)", equals: #"circuit pay\nments is open"#)
        let long = CircuitBreaker(
            String(repeating: "a", count: 1 << 20), counting: .type(Timeout.self), errors: SilentPoster())
        #expect("\(long)".utf8.count < 17 * 1024)
    }

    @Test("circuits that opened in the same instant don't make their trial calls in the same instant")
    func jitter() async throws {
        let clock = ManualClock()
        let start = clock.now
        let breakers = (0..<400).map { _ in
            CircuitBreaker("test", counting: .type(Timeout.self), minimumCalls: 1, clock: clock, errors: SilentPoster())
        }
        for breaker in breakers { await breaker.fail(with: Timeout()) }
        var rests: [Duration] = []
        for breaker in breakers {
            let refusal = await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
            rests.append(try #require(refusal?.retryAfter))
        }
        // The period is 5 seconds, with a jitter of a tenth. On average, each twentieth has twenty circuits.
        #expect(rests.allSatisfy { (.milliseconds(4_500)...(.milliseconds(5_500))).contains($0) })
        let counts = Dictionary(grouping: rests) { Int($0 / .milliseconds(50)) }.mapValues(\.count)
        #expect(counts.count >= 20 && counts.values.max() ?? 0 < 60, "\(counts)")
        for (breaker, rest) in zip(breakers, rests).sorted(by: { $0.1 < $1.1 }) {
            await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
            clock.advance(by: rest - start.duration(to: clock.now))
            try await breaker.run {}
        }
    }

    @Test("during a trial call others are refused without a hint, and the circuit opens only if the trial call fails")
    func trial() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker.quiet(clock)
        let (begun, late) = (Gate(), Gate())
        let straggler = Task {
            try? await breaker.run {
                begun.open()
                await late.wait()
                throw Timeout()
            }
        }
        await begun.wait()
        await breaker.fail(with: Timeout(code: 1))
        clock.advance(by: .seconds(5))
        let (running, gate) = (Gate(), Gate())
        let trial = Task {
            try await breaker.run {
                running.open()
                await gate.wait()
                throw Timeout(code: 2)
            }
        }
        await running.wait()
        let refusal = await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
        expectNil(refusal?.retryAfter)
        expect(refusal?.description, equals: "circuit test is open while a trial is under way")
        gate.open()
        await #expect(throws: Timeout(code: 2)) { try await trial.value }
        expect(breaker.state, equals: .open)
        let next = await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
        expect(next?.retryAfter, equals: .seconds(5))
        expect(next?.cause as? Timeout, equals: Timeout(code: 2))
        clock.advance(by: .seconds(5))
        try await breaker.run {}
        late.open()
        _ = await straggler.value
        expect(breaker.state, equals: .closed)
    }

    @Test("after a trial call with an error that doesn't count, the next call is the trial; a cancelled trial opens it")
    func trialsThatSayNothing() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker.quiet(clock)
        await breaker.fail(with: Timeout())
        clock.advance(by: .seconds(5))
        await breaker.fail(with: Refused())
        expect(breaker.state, equals: .halfOpen)
        await breaker.fail(with: CancellationError())
        expect(breaker.state, equals: .open)
        clock.advance(by: .seconds(5))
        let (running, gate) = (Gate(), Gate())
        let cancelled = Task {
            try await breaker.run {
                running.open()
                await gate.wait()
                // A cancelled call's error doesn't reveal anything about the dependency.
                throw Timeout(code: 2)
            }
        }
        await running.wait()
        cancelled.cancel()
        gate.open()
        await #expect(throws: Timeout.self) { try await cancelled.value }
        let refusal = await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
        expect(refusal?.retryAfter, equals: .seconds(5))
        expect(refusal?.cause as? Timeout, equals: Timeout())
        clock.advance(by: .seconds(5))
        try await breaker.run {}
        expect(breaker.state, equals: .closed)
    }

    @Test("it opens at a ratio of all calls at any load, and successes and other errors are counted as calls too")
    func ratio() async {
        let clock = ManualClock()
        let breaker = CircuitBreaker("test", counting: .type(Timeout.self), clock: clock, errors: SilentPoster())
        for _ in 0..<1_000 {
            clock.advance(by: .milliseconds(1))
            for _ in 0..<9 { try? await breaker.run {} }
            await breaker.fail(with: Timeout())
        }
        expect(breaker.state, equals: .closed)
        clock.advance(by: .seconds(10))
        for _ in 0..<5 { await breaker.fail(with: Timeout()) }
        for _ in 0..<4 { await breaker.fail(with: Refused()) }
        expect(breaker.state, equals: .closed)
        try? await breaker.run {}
        expect(breaker.state, equals: .open)
    }

    @Test("a time limit inside the circuit causes a failure; a limit around it, a cancellation that doesn't count")
    func limits() async {
        let breaker = CircuitBreaker.quiet(ManualClock())
        let (begun, never) = (Gate(), Gate())
        let outside = Task {
            try await breaker.run {
                begun.open()
                await withTaskCancellationHandler {
                    await never.wait()
                } onCancel: {
                    never.open()
                }
                try Task.checkCancellation()
            }
        }
        await begun.wait()
        outside.cancel()
        await #expect(throws: CancellationError.self) { try await outside.value }
        expect(breaker.state, equals: .closed)
        await #expect(throws: Timeout.self) {
            try await breaker.run {
                // Act like a time limit: cancel the task, and throw the limit's own error.
                try await withThrowingTaskGroup { group in
                    group.addTask { try await Task.sleep(for: .seconds(3_600)) }
                    group.addTask { throw Timeout() }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
        expect(breaker.state, equals: .open)
    }

    @Test("while isolated, it refuses every call until it is closed; when it is closed by hand, it counts from zero")
    func byHand() async throws {
        let clock = ManualClock()
        let recorded = await withRecordedErrors { bus in
            let breaker = CircuitBreaker("test", counting: .any, minimumCalls: 2, jitter: 0, clock: clock, errors: bus)
            breaker.isolate()
            for _ in 0..<2 {
                let refusal = await #expect(throws: CircuitOpen.self) { try await breaker.run {} }
                expectNil(refusal?.retryAfter)
                expect((refusal?.cause as? CircuitChanged)?.state, equals: .isolated)
                expect(refusal?.description, equals: "circuit test is isolated")
                clock.advance(by: .seconds(3_600))
                breaker.isolate()
            }
            expect(breaker.state, equals: .isolated)
            expect(breaker.description, equals: "circuit test is isolated")
            breaker.close()
            await breaker.fail(with: Timeout())
            await breaker.fail(with: Timeout())
            clock.advance(by: .seconds(5))
            // A trial call that began earlier doesn't close a circuit that has been isolated since.
            try? await breaker.run { breaker.isolate() }
            expect(breaker.state, equals: .isolated)
            breaker.close()
            await breaker.fail(with: Timeout())
            breaker.close()
            await breaker.fail(with: Timeout())
            expect(breaker.state, equals: .closed)
            await breaker.fail(with: Timeout())
            expect(breaker.state, equals: .open)
        }
        let changes = recorded.matches(of: .type(CircuitChanged.self))
        expect(
            changes.map(\.state),
            equals: [.isolated, .closed, .open, .halfOpen, .isolated, .closed, .open])
        expect(
            changes.map { $0.cause is Timeout }, equals: [false, false, true, false, false, false, true])
    }

    @Test("its statistics count the window's calls and failures, and all refusals")
    func statistics() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker(
            "test", counting: .any, minimumCalls: 3, jitter: 0, clock: clock, errors: SilentPoster())
        expect(breaker.statistics.ratio, equals: 0)
        try await breaker.run {}
        await breaker.fail(with: Timeout())
        expect("\(breaker.statistics)", equals: "2 calls in the window, 1 failed, 0 refused")
        expect(breaker.statistics.ratio, equals: 0.5)
        clock.advance(by: .seconds(11))
        expect("\(breaker.statistics)", equals: "0 calls in the window, 0 failed, 0 refused")
        for _ in 0..<3 { await breaker.fail(with: Timeout()) }
        for _ in 0..<4 { await breaker.fail(with: Timeout()) }
        expect("\(breaker.statistics)", equals: "0 calls in the window, 0 failed, 4 refused")
    }

    @Test("cancellations, refusals, and changes of any circuit never count, and neither do errors that wrap them")
    func neverCounted() async {
        struct Wrapped: Error { let cause: any Error }
        let breaker = CircuitBreaker(
            "test", counting: .any, minimumCalls: 1, clock: ManualClock(), errors: SilentPoster())
        let refusal = CircuitOpen(name: "other", retryAfter: nil, cause: Timeout())
        let change = CircuitChanged(name: "other", state: .open, cause: Timeout())
        for error in [CancellationError(), refusal, change, Wrapped(cause: refusal)] as [any Error] {
            await breaker.fail(with: error)
        }
        expect(breaker.state, equals: .closed)
        await breaker.fail(with: Wrapped(cause: Timeout()))
        expect(breaker.state, equals: .open)
    }

    @Test("of concurrent callers, one opens it and one at a time makes a trial call; changes are posted once, in order")
    func concurrent() async {
        let recorded = await withRecordedErrors { bus in
            let breaker = CircuitBreaker(
                "test", counting: .type(Timeout.self), failureRatio: 0.1, minimumCalls: 3, window: .seconds(3_600),
                openPeriod: .zero, errors: bus)
            await withTaskGroup { group in
                for task in 0..<8 {
                    group.addTask { @concurrent in
                        for round in 0..<300 {
                            if (round + task) % 3 > 0 {
                                try? await breaker.run { try await breaker.run {} }
                            } else {
                                await breaker.fail(with: Timeout())
                            }
                        }
                    }
                }
            }
        }
        // All reports are changes, and each change can follow the previous change.
        let states = recorded.matches(of: .type(CircuitChanged.self)).map(\.state)
        expect(states.first, equals: .open)
        expect(states.count, equals: recorded.reports.count)
        for (before, after) in zip(states, states.dropFirst()) {
            switch before {
            case .closed: expect(after, equals: .open)
            case .open: expect(after, equals: .halfOpen)
            case .halfOpen: #expect(after != .halfOpen)
            case .isolated: Issue.record("nobody isolates it")
            }
        }
    }

    @Test("a poster that calls the circuit while it posts a change doesn't deadlock")
    func reentrant() async {
        let poster = StateReadingPoster()
        let breaker = CircuitBreaker(
            "test", counting: .type(Timeout.self), minimumCalls: 1, openPeriod: .zero, clock: ManualClock(),
            errors: poster)
        poster.breaker.withLock { $0 = breaker }
        await breaker.fail(with: Timeout())
        expect(poster.states.withLock { $0 }, equals: ["open: open"])
        try? await breaker.run {}
        // Each change is posted once, whether or not the trial call ended before the first two changes were posted.
        expect(poster.states.withLock { $0.map { $0.prefix { $0 != ":" } } }, equals: ["open", "halfOpen", "closed"])
        poster.breaker.withLock { $0 = nil }
    }
}

/// A poster that reads a circuit's state instead of posting.
private final class StateReadingPoster: ErrorPosting {
    let breaker = Locked<CircuitBreaker?>(nil)
    let states = Locked<[String]>([])

    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        guard let change = error as? CircuitChanged, let breaker = breaker.withLock({ $0 }) else { return }
        let state = breaker.state
        states.withLock { $0.append("\(change.state): \(state)") }
    }

    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        HandleOutcome(disposition: .dropped)
    }
}

/// A poster that doesn't post errors.
struct SilentPoster: ErrorPosting {
    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {}

    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        HandleOutcome(disposition: .dropped)
    }
}

extension CircuitBreaker {
    /// Returns a circuit that opens at one timeout and doesn't post errors.
    static func quiet(_ clock: ManualClock) -> CircuitBreaker {
        CircuitBreaker(
            "test", counting: .type(Timeout.self), minimumCalls: 1, jitter: 0, clock: clock, errors: SilentPoster())
    }

    /// Runs an operation that throws an error, then discards the error.
    func fail(with error: any Error) async {
        try? await run { throw error }
    }
}
