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
    private var failures: [(moment: Double, sequence: Int, posted: Int)] = []
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
        listens || attemptEra != era ? nil : count([Double(now)], 0, 0, hint, at: now)
    }

    /// Counts a report whose failures were posted from `first` to `posted`, evenly spread.
    mutating func hear(
        _ times: Int, _ sequence: Int, _ hint: Int?, _ first: Int, _ posted: Int, at now: Int, _ real: Int
    ) -> CircuitChanged.State? {
        let moments = (0..<times).map { index in
            times == 1 ? Double(posted) : Double(first) + Double((posted - first) * index) / Double(times - 1)
        }
        // Those from before the circuit closed do not count. The circuit's clock may differ by any offset.
        let counted = moments.filter { $0 > Double(closed) }.map { $0 + Double(now - real) }
        return count(counted, sequence, posted, hint, at: now)
    }

    private mutating func count(
        _ moments: [Double], _ sequence: Int, _ posted: Int, _ hint: Int?, at now: Int
    ) -> CircuitChanged.State? {
        guard state == .closed else { return nil }
        let oldest = Double(now - window)
        failures = failures.map { (min($0, Double(now)), $1, $2) }.filter { $0.moment > oldest }
        let isKnown = failures.contains { ($0.sequence, $0.posted) == (sequence, posted) }
        if sequence == 0 || !isKnown { failures += moments.filter { $0 > oldest }.map { ($0, sequence, posted) } }
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
