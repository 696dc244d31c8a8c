import ErrorRecovery

/// A circuit that stores all calls since it closed, and each time counts the calls in the window.
struct NaiveCircuit {
    enum Admission: Equatable {
        case passes(era: Int)
        case tries(UInt64, CircuitChanged.State?)
        case isPartOfTrial
        case refused(left: Int?)
    }

    enum End {
        case success
        case failure(hint: Int?)
        case otherError
        case refusal
        case cancellation
    }

    let ratio: Double
    let minimum: Int
    let window: Int
    let openPeriod: Int
    private(set) var state = CircuitChanged.State.closed
    private(set) var era = 1
    private(set) var trial: UInt64?
    /// Whether a failure opened it most recently, instead of a call of `isolate()`.
    private(set) var hasCause = false
    private var calls: [(slot: Int, hasFailed: Bool)] = []
    private var newest = 0
    private var (opened, hint) = (0, 0)
    private var trials: UInt64 = 0

    init(ratio: Double, minimum: Int, window: Int, openPeriod: Int) {
        self.ratio = ratio
        self.minimum = minimum
        self.window = window
        self.openPeriod = openPeriod
    }

    mutating func admit(within enclosing: UInt64?, at now: Int) -> Admission {
        if state == .closed { return .passes(era: era) }
        if state == .isolated { return .refused(left: nil) }
        if let trial, trial == enclosing { return .isPartOfTrial }
        if state == .open || hint > 0 && trial != nil { opened = min(opened, now) }
        if trial != nil || state == .open && now < opened + openPeriod {
            let left = opened + max(state == .open ? openPeriod : 0, hint) - now
            return .refused(left: left > 0 && (state == .open || hint > 0) ? left : nil)
        }
        let change: CircuitChanged.State? = state == .open ? .halfOpen : nil
        state = .halfOpen
        trials += 1
        trial = trials
        return .tries(trials, change)
    }

    mutating func end(_ end: End, in callEra: Int, at now: Int) -> CircuitChanged.State? {
        guard state == .closed, callEra == era else { return nil }
        if case .refusal = end { return nil }
        if case .cancellation = end { return nil }
        let slot = now * 10 / window
        // Setting the clock back doesn't change a call's age.
        if slot < newest { calls = calls.map { ($0.slot - newest + slot, $0.hasFailed) } }
        newest = slot
        calls.removeAll { $0.slot <= slot - 10 }
        var hasFailed = false
        if case .failure(let hint) = end { (hasFailed, self.hint) = (true, hint ?? 0) }
        hasCause = true
        calls.append((slot, hasFailed))
        let failures = calls.count { $0.hasFailed }
        guard calls.count >= minimum, Double(failures) / Double(calls.count) >= ratio else { return nil }
        return open(at: now)
    }

    mutating func endTrial(_ number: UInt64, _ end: End, at now: Int) -> CircuitChanged.State? {
        guard number == trial else { return nil }
        trial = nil
        switch end {
        case .success:
            return close()
        case .failure(let hint):
            (self.hint, hasCause) = (hint ?? 0, true)
            return open(at: now)
        case .cancellation:
            // The open period begins again, and the hint continues.
            hint = max(min(opened, now) + hint - now, 0)
            (state, opened, hasCause) = (.open, now, false)
            return .open
        case .otherError, .refusal:
            return nil
        }
    }

    mutating func isolate() -> CircuitChanged.State? {
        let wasIsolated = state == .isolated
        (state, trial, calls, hint, hasCause) = (.isolated, nil, [], 0, false)
        return wasIsolated ? nil : .isolated
    }

    mutating func close() -> CircuitChanged.State? {
        let wasClosed = state == .closed
        (state, trial, calls, era) = (.closed, nil, [], era + 1)
        return wasClosed ? nil : .closed
    }

    private mutating func open(at now: Int) -> CircuitChanged.State? {
        (state, trial, opened, calls) = (.open, nil, now, [])
        return .open
    }
}
