/// The states of a circuit: a plain value, whose events return what to do.
///
/// It has no clock and no lock: moments are given to it, as times since the circuit was made. Nothing in it runs code
/// of the user's; errors that it lets go of it hands out, since an error that is an object may run a `deinit`.
struct CircuitMachine {
    private enum Phase {
        case closed
        case open(since: Duration, cause: any Error)
        /// The trial under way; nil if the last one has ended without saying anything.
        case halfOpen(trial: UInt64?, cause: any Error)
    }

    /// What becomes of an attempt.
    enum Admission {
        /// It is made, in a closed circuit.
        case passes
        /// It is made as a trial, whose number is to be given back at its end.
        case tries(UInt64)
        /// It is not made.
        case refused(retryAfter: Duration?, cause: any Error)
    }

    /// How a trial ends.
    enum TrialEnd {
        case success
        /// An error that counts.
        case failure(any Error)
        /// A cancellation, or an error that does not count: it says nothing of what is behind the circuit.
        case neither
    }

    /// A state that has been left for another.
    struct Change {
        let state: CircuitChanged.State
        let cause: any Error
        /// What was the cause until now, to be let go of outside of any lock.
        var replaced: (any Error)?
    }

    private let pause: Duration
    private var failures: FailureWindow
    private var phase = Phase.closed
    private var lastTrial: UInt64 = 0

    /// - Parameters:
    ///   - failures: How many of them open the circuit.
    ///   - window: The time within which they have to lie.
    ///   - pause: How long it refuses before a trial.
    init(opensAt failures: Int, within window: Duration, for pause: Duration) {
        self.failures = FailureWindow(limit: failures, length: window)
        self.pause = pause
    }

    /// The state as the last event has left it: after the pause it is open until somebody tries.
    var state: CircuitChanged.State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// An attempt is about to be made.
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

    /// Something that counts has failed, in an attempt that was no trial, or outside of the circuit.
    ///
    /// In an open circuit it says nothing new, and a half-open one is for its trial alone to judge: what fails then may
    /// have begun long ago.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - count: For how many it stands.
    ///   - now: Its moment.
    mutating func fail(_ error: any Error, count: Int = 1, at now: Duration) -> Change? {
        guard case .closed = phase else { return nil }
        // More than fill the window make no difference.
        for _ in 0..<min(count, failures.limit) where failures.record(at: now) {
            return open(error, at: now)
        }
        return nil
    }

    /// A trial has ended.
    ///
    /// - Parameters:
    ///   - trial: Its number. No other trial can have begun before its end.
    ///   - end: How it ended.
    ///   - now: When.
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

/// Whether the last so many failures lie within a time: a plain value that keeps no more than their moments.
struct FailureWindow {
    /// How many failures fill it.
    let limit: Int
    /// How old a failure has to be not to count any more.
    let length: Duration

    /// The moments of the last failures, at most `limit`, in a ring.
    private var moments: [Duration] = []
    /// Where the oldest is, once the ring is full.
    private var oldest = 0

    init(limit: Int, length: Duration) {
        self.limit = limit
        self.length = length
    }

    /// Whether nothing has been recorded since the beginning.
    var isEmpty: Bool { moments.isEmpty }

    /// Records a failure.
    ///
    /// - Parameter now: Its moment.
    /// - Returns: Whether it and the `limit - 1` before it lie within the time.
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
