import ErrorRecovery

/// A circuit that keeps all failures since it closed, and counts anew each time which of them lie in the window.
struct NaiveCircuit {
    enum Answer: Equatable {
        case passes(era: Int)
        case tries(UInt64, CircuitChanged.State?)
        case isPartOfTrial
        case refused(left: Int?)
    }

    enum End {
        case success
        case failure(hint: Int?)
        case neither
    }

    let limit: Int
    let window: Int
    let pause: Int
    var listens = false
    private(set) var state = CircuitChanged.State.closed
    private(set) var era = 1
    private(set) var trial: UInt64?
    private var failures: [(moment: Int, sequence: Int, posted: Int)] = []
    private var (opened, hint) = (0, 0)
    private(set) var closed = Int.min
    private var trials: UInt64 = 0

    init(limit: Int, window: Int, pause: Int) {
        self.limit = limit
        self.window = window
        self.pause = pause
    }

    mutating func admit(within enclosing: UInt64?, at now: Int) -> Answer {
        if state == .closed { return .passes(era: era) }
        if let trial, trial == enclosing { return .isPartOfTrial }
        if state == .open || trial != nil {
            opened = min(opened, now)
            let left = opened + max(state == .open ? pause : 0, hint) - now
            if trial != nil { return .refused(left: left > 0 ? left : nil) }
            if now < opened + pause { return .refused(left: left) }
        }
        let change: CircuitChanged.State? = state == .open ? .halfOpen : nil
        state = .halfOpen
        trials += 1
        trial = trials
        return .tries(trials, change)
    }

    mutating func fail(_ hint: Int?, in attemptEra: Int, at now: Int) -> CircuitChanged.State? {
        listens || attemptEra != era ? nil : count(1, (now, 0, 0), hint, at: now)
    }

    mutating func hear(
        _ times: Int, _ sequence: Int, _ hint: Int?, _ posted: Int, at now: Int, _ real: Int
    ) -> CircuitChanged.State? {
        posted < closed ? nil : count(times, (now - (real - posted), sequence, posted), hint, at: now)
    }

    private mutating func count(
        _ times: Int, _ failure: (moment: Int, sequence: Int, posted: Int), _ hint: Int?, at now: Int
    ) -> CircuitChanged.State? {
        guard state == .closed else { return nil }
        failures = failures.map { (min($0, now), $1, $2) }.filter { now - $0.moment < window }
        let isKnown = failures.contains { ($0.sequence, $0.posted) == (failure.sequence, failure.posted) }
        if failure.sequence > 0 && isKnown || now - failure.moment >= window { return nil }
        for _ in 0..<times { failures.append(failure) }
        return failures.count >= limit ? open(hint, at: now) : nil
    }

    mutating func end(_ end: End, at now: Int, _ real: Int) -> CircuitChanged.State? {
        trial = nil
        switch end {
        case .success:
            (state, era, closed) = (.closed, era + 1, real)
            return .closed
        case .failure(let hint):
            return open(hint, at: now)
        case .neither:
            return nil
        }
    }

    private mutating func open(_ hint: Int?, at now: Int) -> CircuitChanged.State? {
        (state, opened, self.hint, failures) = (.open, now, hint ?? 0, [])
        return .open
    }
}
