import ErrorRouting

/// The state machine of a circuit: a plain value.
///
/// Each event is a method that returns what the caller must do.
///
/// The machine has no clock and no lock. Callers pass the current time, measured from the circuit's creation. If that
/// time is earlier than a previous time, the clock was set back: events recorded at later times count as if they
/// happened now. The machine doesn't run user code. It returns discarded errors to the caller, because releasing an
/// error can run a `deinit`.
struct CircuitMachine {
    /// A failure that counts.
    struct Failure {
        let error: any Error
        /// The error's hint; nil if it has none.
        let retryAfter: Duration?
    }

    /// How a call ended.
    enum End {
        case success
        /// An error that counts as a failure.
        case failure(Failure)
        /// An error that doesn't count as a failure.
        case otherError
        /// A circuit's refusal or state change, which doesn't show anything about the dependency.
        case refusal
        /// The call's task was cancelled, or the error is a cancellation.
        case cancellation
    }

    /// Whether a call is admitted.
    enum Admission {
        /// Admitted in a closed circuit. Pass the era to `end` when the call ends.
        case passes(era: Int)
        /// Admitted as a trial call. Pass its number to `endTrial` when it ends.
        case tries(UInt64)
        /// Admitted within a trial call. Only the trial call counts.
        case isPartOfTrial
        /// Not admitted.
        case refused(retryAfter: Duration?, cause: any Error)
    }

    /// What an event changed, for the caller to post and to release.
    struct Change {
        /// The new state; nil if the state didn't change.
        var state: CircuitChanged.State?
        /// The failure that opened the circuit; nil if something else changed its state.
        var cause: (any Error)?
        /// A discarded error, which the caller releases after unlocking.
        var released: (any Error)?
    }

    private enum Phase {
        /// `latest` is the last failure that counted.
        case closed(latest: Failure?)
        case open(Opening)
        /// `trial` is the number of the trial call in progress. It is nil after a trial call whose error didn't count.
        case halfOpen(trial: UInt64?, Opening)
        /// Isolated by hand; the error is the cause of all refusals.
        case isolated(because: any Error)
    }

    /// When and why the circuit last opened.
    private struct Opening {
        let failure: Failure
        var since: Duration
        /// How long the circuit refuses calls.
        let period: Duration

        /// Returns the rest of a wait that began when the circuit opened; nil if the wait is over.
        mutating func rest(of wait: Duration, at now: Duration) -> Duration? {
            since = min(since, now)
            let rest = wait - (now - since)
            return rest > .zero ? rest : nil
        }

        /// Returns the rest of the open period; nil if it is over.
        mutating func restOfPeriod(at now: Duration) -> Duration? { rest(of: period, at: now) }

        /// Returns the rest of the failure's hint; nil if it is over or the failure has no hint.
        mutating func restOfHint(at now: Duration) -> Duration? { failure.retryAfter.flatMap { rest(of: $0, at: now) } }
    }

    private let failureRatio: Double
    private let minimumCalls: Int
    /// The possible lengths of an open period in attoseconds.
    private let periods: ClosedRange<Int128>
    private var window: CallWindow
    private var phase = Phase.closed(latest: nil)
    private var lastTrial: UInt64 = 0
    /// The number of the current closed period, or of the last closed period if the circuit isn't closed.
    private var era = 1
    /// How many calls were refused since the machine was created.
    private var refused = 0

    /// The arguments must meet the conditions that `CircuitBreaker.init` checks.
    init(
        failureRatio: Double, minimumCalls: Int, window: Duration, openPeriod: Duration, jitter: Double
    ) {
        self.failureRatio = failureRatio
        self.minimumCalls = minimumCalls
        let period = openPeriod.bounded.attoseconds
        let spread = min(Int128(Double(period) * jitter), period)
        periods = period - spread...period + spread
        self.window = CallWindow(length: window)
    }

    /// The state after the last event.
    ///
    /// After the open period, it stays `.open` until the next call.
    var state: CircuitChanged.State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        case .isolated: .isolated
        }
    }

    /// Returns how many calls ended within the window before `now`, how many of them failed, and how many were refused.
    mutating func counts(at now: Duration) -> (calls: Int, failures: Int, refused: Int) {
        window.move(to: now)
        return (window.calls, window.failures, refused)
    }

    /// The number of the current closed period; nil while the circuit isn't closed.
    var closedEra: Int? { if case .closed = phase { era } else { nil } }

    /// The number of the slot in which successes may be counted later, with `countSuccesses`.
    ///
    /// It is nil while the window contains failures, because a success could then open the circuit.
    var healthySlot: Int? {
        guard case .closed = phase, window.failures == 0 else { return nil }
        return window.number
    }

    /// Counts successes in the slot that was the last `healthySlot`.
    mutating func countSuccesses(_ count: Int) {
        if case .closed = phase { window.add(calls: count) }
    }

    /// Decides whether to admit a call at the time `now`.
    ///
    /// `enclosing` is the number of the trial call that made this call, or nil if there is none. That trial call might
    /// be over.
    mutating func admit(within enclosing: UInt64? = nil, at now: Duration) -> (Admission, Change) {
        let (admission, change) = admission(within: enclosing, at: now)
        if case .refused = admission { refused += 1 }
        return (admission, change)
    }

    private mutating func admission(within enclosing: UInt64?, at now: Duration) -> (Admission, Change) {
        switch phase {
        case .closed:
            return (.passes(era: era), Change())
        case .open(var opening):
            guard let rest = opening.restOfPeriod(at: now) else {
                return (.tries(beginTrial(opening)), Change(state: .halfOpen))
            }
            let hinted = opening.restOfHint(at: now)
            phase = .open(opening)
            return (.refused(retryAfter: max(rest, hinted ?? .zero), cause: opening.failure.error), Change())
        case .halfOpen(nil, let opening):
            return (.tries(beginTrial(opening)), Change())
        case .halfOpen(let trial?, var opening):
            if trial == enclosing { return (.isPartOfTrial, Change()) }
            let hinted = opening.restOfHint(at: now)
            phase = .halfOpen(trial: trial, opening)
            return (.refused(retryAfter: hinted, cause: opening.failure.error), Change())
        case .isolated(let reason):
            return (.refused(retryAfter: nil, cause: reason), Change())
        }
    }

    /// Counts a call that wasn't a trial call, and opens the circuit if enough calls ended and enough of them failed.
    ///
    /// Only a closed circuit counts calls, and only if the call was admitted in the current closed period, `callEra`.
    /// In a half-open circuit, only the trial call decides, because another failing call might have begun long ago.
    mutating func end(
        _ end: End, in callEra: Int, at now: Duration, using generator: inout some RandomNumberGenerator
    ) -> Change {
        guard callEra == era, case .closed(var latest) = phase else { return Change() }
        var released: (any Error)?
        switch end {
        case .refusal, .cancellation:
            return Change()
        case .success, .otherError:
            window.move(to: now)
            window.add(calls: 1)
        case .failure(let failure):
            window.move(to: now)
            window.add(calls: 1, failures: 1)
            (released, latest) = (latest?.error, failure)
            phase = .closed(latest: latest)
        }
        // Compare the quotient: because of rounding, the product could be larger than a whole number of calls.
        guard let latest, window.calls >= minimumCalls, Double(window.failures) / Double(window.calls) >= failureRatio
        else {
            return Change(released: released)
        }
        return open(latest, at: now, using: &generator, releasing: released)
    }

    /// Ends a trial call with the given number.
    ///
    /// If the circuit was isolated or closed by hand, the trial call is already over and this event has no effect.
    mutating func endTrial(
        _ trial: UInt64, _ end: End, at now: Duration, using generator: inout some RandomNumberGenerator
    ) -> Change {
        guard case .halfOpen(trial, var opening) = phase else { return Change() }
        switch end {
        case .success:
            return close()
        case .failure(let failure):
            return open(failure, at: now, using: &generator, releasing: opening.failure.error)
        case .cancellation:
            // Open the circuit again instead of admitting another trial call: that call might be cancelled too, and
            // each of these calls would reach a dependency that might be down.
            let failure = Failure(error: opening.failure.error, retryAfter: opening.restOfHint(at: now))
            phase = .open(Opening(failure: failure, since: now, period: period(using: &generator)))
            // Leave the cause out: the earlier change that opened the circuit already contains it.
            return Change(state: .open)
        case .otherError, .refusal:
            phase = .halfOpen(trial: nil, opening)
            return Change()
        }
    }

    /// Refuses all calls until `close`, with `reason` as the cause of each refusal.
    mutating func isolate(because reason: any Error) -> Change {
        let change = Change(state: state == .isolated ? nil : .isolated, released: cause)
        window.removeAll()
        phase = .isolated(because: reason)
        return change
    }

    /// Closes the circuit and discards all counted calls.
    mutating func close() -> Change {
        let change = Change(state: state == .closed ? nil : .closed, released: cause)
        window.removeAll()
        phase = .closed(latest: nil)
        era += 1
        return change
    }

    /// The error that the machine retains.
    private var cause: (any Error)? {
        switch phase {
        case .closed(let latest): latest?.error
        case .open(let opening), .halfOpen(_, let opening): opening.failure.error
        case .isolated(let reason): reason
        }
    }

    private mutating func beginTrial(_ opening: Opening) -> UInt64 {
        lastTrial += 1
        phase = .halfOpen(trial: lastTrial, opening)
        return lastTrial
    }

    private mutating func open(
        _ failure: Failure, at now: Duration, using generator: inout some RandomNumberGenerator,
        releasing released: (any Error)?
    ) -> Change {
        window.removeAll()
        phase = .open(Opening(failure: failure, since: now, period: period(using: &generator)))
        return Change(state: .open, cause: failure.error, released: released)
    }

    private func period(using generator: inout some RandomNumberGenerator) -> Duration {
        Duration(attoseconds: .random(in: periods, using: &generator))
    }
}
