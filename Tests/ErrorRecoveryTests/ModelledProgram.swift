import ErrorRecovery

/// What a random program does, as the documentation promises it: a model that is as plain as can be.
struct ModelledProgram {
    /// What the innermost attempt on a budget is.
    private enum Mark {
        case first
        case retry
    }

    /// Where a step runs.
    private struct Place {
        var task: Int
        var marks: [Int: Mark] = [:]
        var trials: [Int: UInt64] = [:]
    }

    /// Moments of the model are in millionths of a minute; each event takes one of them by the clock of reports.
    private static let minute = 1_000_000

    private let program: RandomProgram
    private var fate: RandomProgram.Fate
    private(set) var log: [String] = []
    /// What each of the two buses reports.
    private(set) var reports: [[String]] = [[], []]
    private(set) var tokens: [Double]
    private(set) var granted: [Int]
    private(set) var refused: [Int]
    private(set) var circuits: [NaiveCircuit]
    private var cancelled: [Bool] = []
    private var now = 0
    private var real = 0
    private var late: [(count: Int, posted: Int)] = []

    init(_ program: RandomProgram) {
        self.program = program
        fate = .init(program)
        tokens = program.budgets.map { Double($0.reserve) }
        granted = program.budgets.map { _ in 0 }
        refused = granted
        circuits = program.circuits.map { circuit in
            NaiveCircuit(
                limit: circuit.failures, window: circuit.window * Self.minute, pause: circuit.pause * Self.minute)
        }
        for listening in 1..<circuits.count { circuits[listening].listens = true }
        for step in program.steps { _ = run(step, Place(task: -1)) }
    }

    /// Runs a step, and returns what it throws.
    private mutating func run(_ step: RandomProgram.Step, _ place: Place) -> PlainError? {
        real += 1
        switch step {
        case .call(let number):
            let (fate, count) = fate.next("call \(number)", below: PlainError.fates)
            log.append("call \(number) #\(count)")
            return PlainError.thrown(fate)?.error
        case .retry(let policy, let inner):
            return retry(program.policies[policy], inner, place)
        case .circuit(let circuit, let inner):
            return attempt(circuit, inner, place)
        case .sequence(let steps):
            for step in steps { if let error = run(step, place) { return error } }
            return nil
        case .wrap(let inner):
            return run(inner, place).map { .wrapped($0) }
        case .swallow(let inner, let target):
            if let error = run(inner, place) { post(error, "failure", at: target) }
            return nil
        case .task(let number, let inner):
            var place = place
            place.task = cancelled.count
            cancelled.append(fate.next("task \(number)", below: 8).fate == 0)
            return run(inner, place)
        case .jump(let minutes):
            now += minutes * Self.minute
            return nil
        case .report(let count):
            late.append((count, real))
            return nil
        case .hear(let circuit):
            // Heard in no time, by the clock of reports; but perhaps the circuit has closed since they were made.
            for (count, posted) in late where posted > circuits[circuit].closed {
                let real = real
                change(circuit) { $0.hear(count, 0, nil, real, real, at: $1, real) }
            }
            late = []
            return nil
        }
    }

    private mutating func retry(
        _ policy: RandomProgram.Policy, _ step: RandomProgram.Step, _ place: Place
    ) -> PlainError? {
        var (place, paid) = (place, 0)
        if let budget = policy.budget {
            switch place.marks[budget] {
            case nil:
                let (eighths, reserve) = (program.budgets[budget].eighths, program.budgets[budget].reserve)
                if tokens[budget] < Double(reserve) {
                    tokens[budget] = min(tokens[budget] + Double(eighths) / 8, Double(reserve))
                }
                place.marks[budget] = .first
            case .first: break
            case .retry: (tokens[budget], granted[budget], paid) = (tokens[budget] - 1, granted[budget] + 1, 1)
            }
        }
        let start = now
        var attempt = 1
        while let error = run(step, place) {
            if !error.isRefusal { paid = 0 }
            let verdict = verdict(policy, error, attempt, start, place, &paid)
            log.append("attempt \(attempt) of \(policy.maxAttempts): \(error), \(verdict.text)")
            if let delay = verdict.delay {
                now += delay * Self.minute
                if fate.next("delay", below: 12).fate == 0 { cancelled[place.task] = true }
                let isLate = policy.deadline.map { now - start >= $0 * Self.minute } ?? false
                if !cancelled[place.task], !isLate {
                    if let target = policy.place { post(error, "attempt", at: target) }
                    attempt += 1
                    if let budget = policy.budget { place.marks[budget] = .retry }
                    continue
                }
                let text = cancelled[place.task] ? "cancelled" : "the deadline would pass"
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
        _ policy: RandomProgram.Policy, _ error: PlainError, _ attempt: Int, _ start: Int, _ place: Place,
        _ paid: inout Int
    ) -> (text: String, delay: Int?) {
        if cancelled[place.task] || error == .cancellation { return ("not retried: cancelled", nil) }
        guard let cost = error.cost(retriesRefusals: policy.retriesRefusals) else {
            return ("not retried: no rule retries this error", nil)
        }
        if attempt >= policy.maxAttempts { return ("not retried: the attempts are spent", nil) }
        if let hint = error.hint, hint > 60 {
            return ("not retried: the error asked to wait \(Duration.minutes(hint)), which is too long", nil)
        }
        let delay = error.hint.map { max($0, 0) } ?? policy.delay
        if let deadline = policy.deadline, delay * Self.minute >= deadline * Self.minute - (now - start) {
            return ("not retried: the deadline would pass", nil)
        }
        if let budget = policy.budget, !error.isRefusal {
            guard tokens[budget] >= Double(cost) else {
                refused[budget] += 1
                return ("not retried: the budget is spent", nil)
            }
            (tokens[budget], granted[budget], paid) = (tokens[budget] - Double(cost), granted[budget] + 1, cost)
        }
        return ("retried after \(Duration.minutes(delay))\(error.hint == nil ? "" : ", as the error asked")", delay)
    }

    private mutating func attempt(_ circuit: Int, _ step: RandomProgram.Step, _ place: Place) -> PlainError? {
        switch circuits[circuit].admit(within: place.trials[circuit], at: now) {
        case .refused(let left):
            return .open(circuit: circuit, left: left.map { $0 / Self.minute })
        case .isPartOfTrial:
            return run(step, place)
        case .passes(let era):
            let error = run(step, place)
            if let error, error.counts, !cancelled[place.task] {
                let hint = hint(error)
                change(circuit) { $0.fail(hint, in: era, at: $1) }
            }
            return error
        case .tries(let trial, let change):
            if let change { notice(circuit, change) }
            var inner = place
            inner.trials[circuit] = trial
            let error = run(step, inner)
            let isFailure = error?.counts == true && !cancelled[place.task]
            let end: NaiveCircuit.End =
                isFailure ? .failure(hint: error.flatMap(hint)) : error == nil ? .success : .neither
            real += 1
            let real = real
            self.change(circuit) { $0.end(end, at: $1, real) }
            return error
        }
    }

    private mutating func post(_ error: PlainError, _ role: String, at target: Int) {
        real += 1
        let scope = [[], ["a"], ["a", "b"], [], ["c"]][target]
        reports[target / 3].append("\(error) \(role) \(scope)")
        // The first bus's own rules count for no circuit, its scopes for one, and the second bus for another.
        guard target > 0, error.counts else { return }
        let (real, hint) = (real, hint(error))
        change(target < 3 ? 1 : 2) { $0.hear(1, 0, hint, real, real, at: $1, real) }
    }

    private func hint(_ error: PlainError) -> Int? { error.hint.map { $0 * Self.minute } }

    private mutating func change(_ circuit: Int, _ body: (inout NaiveCircuit, Int) -> CircuitChanged.State?) {
        if let state = body(&circuits[circuit], now) { notice(circuit, state) }
    }

    private mutating func notice(_ circuit: Int, _ state: CircuitChanged.State) {
        // The second circuit reports to the second bus, the others to the first.
        reports[circuit % 2].append("circuit \(circuit) \(state) \(state == .open) notice []")
    }
}
