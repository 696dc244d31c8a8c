import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// Tests all promises about nested retries, budgets, and circuits.
@Suite("However they nest, retries, budgets, and circuits do what a plain model of them does", .hangLimit)
struct RandomProgramTests {}

extension RandomProgramTests {
    /// `ERROR_BUS_LONG=1` runs a hundred times as many programs.
    @Test("random programs make the same attempts, posts, notices, and withdrawals as the model")
    func programs() async {
        var (circuitsChanged, budgetsSpent, budgetsOwing) = (0, 0, 0)
        for seed in 0..<UInt64(isLong ? 50_000 : 700) {
            let program = RandomProgram(seed: seed)
            let model = ModelledProgram(program)
            let run = await ProgramRun.run(program)
            expect(run.log, like: model.log, seed)
            for (reports, modelled) in zip(run.reports, model.reports) { expect(reports, like: modelled, seed) }
            TestSupport.expect(run.statistics.map(\.available), equals: model.tokens, "seed \(seed)")
            TestSupport.expect(run.statistics.map(\.granted), equals: model.granted, "seed \(seed)")
            TestSupport.expect(run.statistics.map(\.refused), equals: model.refused, "seed \(seed)")
            TestSupport.expect(run.states, equals: model.circuits.map(\.state), "seed \(seed)")
            circuitsChanged += model.reports.joined().count { $0.hasPrefix("circuit") }
            budgetsSpent += model.refused.reduce(0, +)
            budgetsOwing += model.tokens.count { $0 < 0 }
        }
        // The programs cover the interesting cases.
        #expect(circuitsChanged > 1_000)
        #expect(budgetsSpent > 100)
        #expect(budgetsOwing > 5)
    }

    /// Expects the model's lines and shows the first difference.
    private func expect(_ lines: [String], like model: [String], _ seed: UInt64) {
        if lines == model { return }
        let index = zip(lines, model).prefix { $0 == $1 }.count
        let (line, modelled) = (lines.dropFirst(index).first, model.dropFirst(index).first)
        Issue.record("seed \(seed), line \(index): \(line ?? "nothing"), but in the model: \(modelled ?? "nothing")")
    }
}

/// Runs a random program with the library.
final class ProgramRun: Sendable {
    struct Result: Sendable {
        var log: [String] = []
        /// The reports of the two buses.
        var reports: [[String]] = []
        var statistics: [RetryBudget.Statistics] = []
        var states: [CircuitChanged.State] = []
    }

    /// A clock whose sleeps end immediately and might cancel the sleeping task.
    private final class ProgramClock: Clock, Sendable {
        typealias Instant = ImmediateClock.Instant

        private let clock = ImmediateClock()
        let fate: Locked<RandomProgram.Fate>

        init(_ program: RandomProgram) { fate = Locked(.init(program)) }

        var now: Instant { clock.now }
        var minimumResolution: Duration { .zero }

        func advance(by duration: Duration) { clock.advance(by: duration) }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await clock.sleep(until: deadline, tolerance: tolerance)
            if fate.withLock({ $0.next("delay", below: 12).fate }) == 0 { cancelThisTask() }
        }
    }

    private let clock: ProgramClock
    private let policies: [RetryPolicy]
    private let attemptTargets: [Int?]
    private let circuits: [CircuitBreaker]
    private let buses: [ErrorBus]
    private let posters: [any ErrorPosting]
    private let log = Locked<[String]>([])

    /// Runs a program with two buses and its other objects.
    static func run(_ program: RandomProgram) async -> Result {
        let clock = ProgramClock(program)
        let budgets = program.budgets.map { RetryBudget(ratio: Double($0.eighths) / 8, reserve: $0.reserve) }
        var result = Result()
        var second: RecordedErrors?
        let first = await withRecordedErrors { busA in
            func circuit(_ number: Int, errors: any ErrorPosting = .ambient) -> CircuitBreaker {
                let circuit = program.circuits[number]
                return CircuitBreaker(
                    "\(number)", counting: .anywhere(.type(Timeout.self) || .type(URLError.self) || .type(Busy.self)),
                    failureRatio: Double(circuit.tenths) / 10, minimumCalls: circuit.minimum,
                    window: .minutes(circuit.window), openPeriod: .minutes(circuit.openPeriod), jitter: 0, clock: clock,
                    errors: errors)
            }
            // This circuit posts to the bus that is bound here.
            let third = circuit(2)
            second = await withRecordedErrors { busB in
                let circuits = [circuit(0, errors: busA), circuit(1), third]
                let run = ProgramRun(program, clock, budgets, circuits, [busA, busB])
                for step in program.steps { try? await run.run(step) }
                result.log = run.log.withLock { $0 }
                result.states = circuits.map(\.state)
            }
        }
        result.reports = [first, second].map { $0?.reports.map(describe) ?? [] }
        result.statistics = budgets.map(\.statistics)
        return result
    }

    private init(
        _ program: RandomProgram, _ clock: ProgramClock, _ budgets: [RetryBudget], _ circuits: [CircuitBreaker],
        _ buses: [ErrorBus]
    ) {
        self.clock = clock
        self.circuits = circuits
        self.buses = buses
        let scope = buses[0].scope("a")
        posters = [buses[0], scope, scope.scope("b"), buses[1], buses[1].scope("c")]
        attemptTargets = program.policies.map(\.target)
        policies = program.policies.map { policy in
            RetryPolicy(
                maxAttempts: policy.maxAttempts, backoff: .constant(.minutes(policy.delay), jitter: .none),
                decisions: ErrorMap(default: .fail), budget: policy.budget.map { budgets[$0] },
                maxRetryAfter: .minutes(60),
                deadline: policy.deadline.map { .minutes($0) }
            )
            .retrying(matching: .anywhere(.type(Timeout.self) || .type(Busy.self) || .nsError(domain: "app")))
            .retrying(matching: .anywhere(.type(URLError.self)), cost: 2)
            .deciding(policy.retriesRefusals, .anywhere(.type(CircuitOpen.self)))
        }
    }

    private func run(_ step: RandomProgram.Step) async throws {
        switch step {
        case .call(let number):
            let (fate, count) = clock.fate.withLock { $0.next("call \(number)", below: PlainError.fates) }
            write("call \(number) #\(count)")
            guard let (error, isBoxed) = PlainError.thrown(fate) else { return }
            if !isBoxed { throw error.error }
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                continuation.resume(throwing: error.error)
            }
        case .retry(let policy, let inner):
            let poster = attemptTargets[policy].map { posters[$0] }
            try await retry(
                policies[policy], clock: clock, errors: poster,
                onStep: { write("attempt \($0.attempt) of \($0.maxAttempts): \(PlainError($0.error)), \($0)") }
            ) { attempt in
                if attempt > 1 { await settle() }
                try await run(inner)
            }
        case .circuit(let circuit, let inner):
            try await circuits[circuit].run { try await run(inner) }
        case .sequence(let steps):
            for step in steps { try await run(step) }
        case .wrap(let inner):
            do { try await run(inner) } catch { throw PlainError.Wrapped(cause: error) }
        case .swallow(let inner, let poster):
            do {
                try await run(inner)
            } catch {
                // Use a detached task: this task might be cancelled, and then it wouldn't wait.
                await Task.detached { [poster = posters[poster]] in _ = await poster.deliver(error) }.value
            }
        case .task(let number, let inner):
            let isCancelled = clock.fate.withLock { $0.next("task \(number)", below: 8).fate } == 0
            try await Task {
                if isCancelled { cancelThisTask() }
                try await self.run(inner)
            }.value
        case .jump(let minutes):
            clock.advance(by: .minutes(minutes))
        case .set(let circuit, let isIsolated):
            if isIsolated { circuits[circuit].isolate() } else { circuits[circuit].close() }
        }
    }

    /// Waits until every posted error is delivered.
    private func settle() async {
        await Task.detached { [buses] in for bus in buses { _ = await bus.flush(within: .seconds(600)) } }.value
    }

    private func write(_ line: String) { log.withLock { $0.append(line) } }

    private static func describe(_ report: ErrorReport) -> String {
        if let change = report.error as? CircuitChanged {
            return "circuit \(change.name) \(change.state) \(change.cause != nil) \(report.role) \(report.scope)"
        }
        return "\(PlainError(report.error)) \(report.role) \(report.scope)"
    }
}

private func cancelThisTask() { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }

extension RetryPolicy {
    fileprivate func deciding(_ isRetried: Bool, _ matcher: ErrorMatcher<CircuitOpen>) -> RetryPolicy {
        isRetried ? retrying(matching: matcher) : notRetrying(matching: matcher)
    }
}
