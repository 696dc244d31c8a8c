/// The state machine of a circuit: a plain value, whose events return what to do.
///
/// It has no clock and no lock. Callers pass the current moment, as the time since the circuit was made. No user code
/// runs in it: an error that it discards is returned to the caller, since an error that is an object may run a
/// `deinit`.
struct CircuitMachine {
    private enum Phase {
        case closed
        case open(since: Duration, cause: any Error)
        /// `trial` is the number of the trial under way; nil after a trial that ended with `.neither`.
        case halfOpen(trial: UInt64?, cause: any Error)
    }

    /// Whether an attempt is made.
    enum Admission {
        /// The attempt is made, in a closed circuit.
        case passes
        /// The attempt is made as a trial; its number is passed to `end` when the trial ends.
        case tries(UInt64)
        /// The attempt is not made.
        case refused(retryAfter: Duration?, cause: any Error)
    }

    /// How a trial ends.
    enum TrialEnd {
        case success
        /// An error that counts.
        case failure(any Error)
        /// A cancellation, or an error that does not count.
        case neither
    }

    /// A change to a new state.
    struct Change {
        let state: CircuitChanged.State
        let cause: any Error
        /// The previous cause, returned so that it is released after unlocking.
        var replaced: (any Error)?
    }

    private let pause: Duration
    private var failures: FailureWindow
    private var phase = Phase.closed
    private var lastTrial: UInt64 = 0

    /// - Parameters:
    ///   - failures: How many failures open the circuit.
    ///   - window: The time within which the failures have to lie.
    ///   - pause: How long an open circuit refuses attempts before a trial.
    init(opensAt failures: Int, within window: Duration, for pause: Duration) {
        self.failures = FailureWindow(limit: failures, length: window)
        self.pause = pause
    }

    /// The state after the last event; after the pause it stays `.open` until the next attempt.
    var state: CircuitChanged.State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// Decides whether an attempt is made.
    mutating func admit(at now: Duration) -> (Admission, Change?) {
        switch phase {
        case .closed:
            return (.passes, nil)
        case .open(let since, let cause):
            if now - since < pause { return (.refused(retryAfter: pause - (now - since), cause: cause), nil) }
            return (.tries(beginTrial(cause)), Change(state: .halfOpen, cause: cause))
        case .halfOpen(nil, let cause):
            return (.tries(beginTrial(cause)), nil)
        case .halfOpen(.some, let cause):
            return (.refused(retryAfter: nil, cause: cause), nil)
        }
    }

    /// Records a failure that counts, of an attempt that was not a trial, or from outside of the circuit.
    ///
    /// Only a closed circuit records failures. In a half-open one only the trial decides, since another attempt that
    /// fails then may have begun long ago.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - count: How many failures it stands for.
    ///   - now: The moment of the failure.
    mutating func fail(_ error: any Error, count: Int = 1, at now: Duration) -> Change? {
        guard case .closed = phase else { return nil }
        // Failures beyond the limit make no difference.
        for _ in 0..<min(count, failures.limit) where failures.record(at: now) {
            return open(error, at: now)
        }
        return nil
    }

    /// Ends a trial.
    ///
    /// - Parameters:
    ///   - trial: The trial's number. No other trial begins before this one ends.
    ///   - end: How the trial ended.
    ///   - now: When the trial ended.
    mutating func end(_ trial: UInt64, _ end: TrialEnd, at now: Duration) -> Change? {
        guard case .halfOpen(trial, let cause) = phase else {
            assertionFailure("trial \(trial) ends, but is not under way")
            return nil
        }
        switch end {
        case .success:
            assert(failures.isEmpty, "failures were recorded while the circuit was not closed")
            phase = .closed
            return Change(state: .closed, cause: cause)
        case .failure(let error):
            var change = open(error, at: now)
            change.replaced = cause
            return change
        case .neither:
            phase = .halfOpen(trial: nil, cause: cause)
            return nil
        }
    }

    private mutating func beginTrial(_ cause: any Error) -> UInt64 {
        lastTrial += 1
        phase = .halfOpen(trial: lastTrial, cause: cause)
        return lastTrial
    }

    private mutating func open(_ error: any Error, at now: Duration) -> Change {
        failures.removeAll()
        phase = .open(since: now, cause: error)
        return Change(state: .open, cause: error)
    }
}

/// The moments of the last failures, to tell whether `limit` of them lie within `length`: a plain value.
struct FailureWindow {
    /// How many failures fill the window.
    let limit: Int
    /// The age from which on a failure does not count any more.
    let length: Duration

    /// The moments of the last failures, at most `limit`, in a ring.
    private var moments: [Duration] = []
    /// The index of the oldest moment, once the ring is full.
    private var oldest = 0

    init(limit: Int, length: Duration) {
        self.limit = limit
        self.length = length
    }

    /// Whether no failure has been recorded since the last `removeAll`.
    var isEmpty: Bool { moments.isEmpty }

    /// Records a failure.
    ///
    /// - Parameter now: The moment of the failure.
    /// - Returns: Whether this failure and the `limit - 1` before it lie within `length`.
    /// - Complexity: O(1).
    mutating func record(at now: Duration) -> Bool {
        if moments.count < limit {
            moments.append(now)
        } else {
            moments[oldest] = now
            oldest = (oldest + 1) % limit
        }
        return moments.count == limit && now - moments[oldest] < length
    }

    /// Forgets all failures.
    mutating func removeAll() {
        moments.removeAll(keepingCapacity: true)
        oldest = 0
    }
}
