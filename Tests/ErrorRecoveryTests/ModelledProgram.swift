import ErrorRecovery

/// A model of a random program, as plain as possible, with the promised behavior.
struct ModelledProgram {
    /// The kind of the innermost attempt on a budget.
    private enum Mark {
        case first
        case retry
    }

    /// The context of a step.
    private struct Context {
        var task: Int
        var marks: [Int: Mark] = [:]
        var trials: [Int: UInt64] = [:]
    }

    private let program: RandomProgram
    private var fate: RandomProgram.Fate
    private(set) var log: [String] = []
    /// The reports of the two buses.
    private(set) var reports: [[String]] = [[], []]
    private(set) var tokens: [Double]
    private(set) var granted: [Int]
    private(set) var refused: [Int]
    private(set) var circuits: [NaiveCircuit]
    private var cancelled: [Bool] = []
    /// The time in minutes.
    private var now = 0

    init(_ program: RandomProgram) {
        self.program = program
        fate = .init(program)
        tokens = program.budgets.map { Double($0.reserve) }
        granted = program.budgets.map { _ in 0 }
        refused = granted
        circuits = program.circuits.map { circuit in
            NaiveCircuit(
                ratio: Double(circuit.tenths) / 10, minimum: circuit.minimum, window: circuit.window,
                openPeriod: circuit.openPeriod)
        }
        for step in program.steps { _ = run(step, Context(task: -1)) }
    }

    /// Runs a step and returns its error.
    private mutating func run(_ step: RandomProgram.Step, _ context: Context) -> PlainError? {
        switch step {
        case .call(let number):
            let (fate, count) = fate.next("call \(number)", below: PlainError.fates)
            log.append("call \(number) #\(count)")
            return PlainError.thrown(fate)?.error
        case .retry(let policy, let inner):
            return retry(program.policies[policy], inner, context)
        case .circuit(let circuit, let inner):
            return attempt(circuit, inner, context)
        case .sequence(let steps):
            for step in steps { if let error = run(step, context) { return error } }
            return nil
        case .wrap(let inner):
            return run(inner, context).map { .wrapped($0) }
        case .swallow(let inner, let target):
            if let error = run(inner, context) { post(error, "failure", at: target) }
            return nil
        case .task(let number, let inner):
            var context = context
            context.task = cancelled.count
            cancelled.append(fate.next("task \(number)", below: 8).fate == 0)
            return run(inner, context)
        case .jump(let minutes):
            now += minutes
            return nil
        case .set(let circuit, let isIsolated):
            change(circuit) { machine, _ in isIsolated ? machine.isolate() : machine.close() }
            return nil
        }
    }

    private mutating func retry(
        _ policy: RandomProgram.Policy, _ step: RandomProgram.Step, _ context: Context
    ) -> PlainError? {
        var (context, paid) = (context, 0)
        if let budget = policy.budget {
            switch context.marks[budget] {
            case nil:
                let (eighths, reserve) = (program.budgets[budget].eighths, program.budgets[budget].reserve)
                if tokens[budget] < Double(reserve) {
                    tokens[budget] = min(tokens[budget] + Double(eighths) / 8, Double(reserve))
                }
                context.marks[budget] = .first
            case .first: break
            case .retry: (tokens[budget], granted[budget], paid) = (tokens[budget] - 1, granted[budget] + 1, 1)
            }
        }
        let start = now
        var attempt = 1
        while let error = run(step, context) {
            if !error.isRefusal { paid = 0 }
            let verdict = verdict(policy, error, attempt, start, context, &paid)
            log.append("attempt \(attempt) of \(policy.maxAttempts): \(error), \(verdict.text)")
            if let delay = verdict.delay {
                now += delay
                if fate.next("delay", below: 12).fate == 0 { cancelled[context.task] = true }
                let isLate = policy.deadline.map { now - start >= $0 } ?? false
                if !cancelled[context.task], !isLate {
                    if let target = policy.target { post(error, "attempt", at: target) }
                    attempt += 1
                    if let budget = policy.budget { context.marks[budget] = .retry }
                    continue
                }
                let text = cancelled[context.task] ? "cancelled" : "the deadline would pass"
                log.append("attempt \(attempt) of \(policy.maxAttempts): \(error), not retried: \(text)")
            }
            if let budget = policy.budget, paid > 0 {
                tokens[budget] = min(tokens[budget] + Double(paid), Double(program.budgets[budget].reserve))
                granted[budget] -= 1
            }
            return error
        }
        return nil
    }

    private mutating func verdict(
        _ policy: RandomProgram.Policy, _ error: PlainError, _ attempt: Int, _ start: Int, _ context: Context,
        _ paid: inout Int
    ) -> (text: String, delay: Int?) {
        if cancelled[context.task] || error == .cancellation { return ("not retried: cancelled", nil) }
        guard let cost = error.cost(retriesRefusals: policy.retriesRefusals) else {
            return ("not retried: the error is final", nil)
        }
        if attempt >= policy.maxAttempts { return ("not retried: the attempts are spent", nil) }
        if let hint = error.hint, hint > 60 {
            return ("not retried: the error asked to wait \(Duration.minutes(hint)), which is too long", nil)
        }
        let delay = max(error.hint ?? 0, policy.delay)
        let isHinted = error.hint.map { max($0, 0) >= policy.delay } ?? false
        if let deadline = policy.deadline, delay >= deadline - (now - start) {
            return ("not retried: the deadline would pass", nil)
        }
        if let budget = policy.budget, !error.isRefusal {
            guard tokens[budget] >= Double(cost) else {
                refused[budget] += 1
                return ("not retried: the budget is spent", nil)
            }
            (tokens[budget], granted[budget], paid) = (tokens[budget] - Double(cost), granted[budget] + 1, cost)
        }
        return ("retried after \(Duration.minutes(delay))\(isHinted ? ", as the error asked" : "")", delay)
    }

    private mutating func attempt(_ circuit: Int, _ step: RandomProgram.Step, _ context: Context) -> PlainError? {
        switch circuits[circuit].admit(within: context.trials[circuit], at: now) {
        case .refused(let left):
            return .open(circuit: circuit, left: left.map { $0 })
        case .isPartOfTrial:
            return run(step, context)
        case .passes(let era):
            let error = run(step, context)
            let end = end(error, context)
            change(circuit) { $0.end(end, in: era, at: $1) }
            return error
        case .tries(let trial, let change):
            if let change { notice(circuit, change, hasCause: false) }
            var inner = context
            inner.trials[circuit] = trial
            let error = run(step, inner)
            let end = end(error, context)
            self.change(circuit) { $0.endTrial(trial, end, at: $1) }
            return error
        }
    }

    private func end(_ error: PlainError?, _ context: Context) -> NaiveCircuit.End {
        guard let error else { return .success }
        if cancelled[context.task] || error == .cancellation { return .cancellation }
        if error.isRefusal { return .refusal }
        return error.counts ? .failure(hint: error.hint) : .otherError
    }

    private mutating func post(_ error: PlainError, _ role: String, at target: Int) {
        let scope = [[], ["a"], ["a", "b"], [], ["c"]][target]
        reports[target / 3].append("\(error) \(role) \(scope)")
    }

    private mutating func change(_ circuit: Int, _ body: (inout NaiveCircuit, Int) -> CircuitChanged.State?) {
        guard let state = body(&circuits[circuit], now) else { return }
        notice(circuit, state, hasCause: state == .open && circuits[circuit].hasCause)
    }

    private mutating func notice(_ circuit: Int, _ state: CircuitChanged.State, hasCause: Bool) {
        // The second circuit posts to the second bus, and the others post to the first.
        reports[circuit % 2].append("circuit \(circuit) \(state) \(hasCause) notice []")
    }
}
