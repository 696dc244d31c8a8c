import ErrorRouting

/// The state machine of a circuit: a plain value, whose events return what to do.
///
/// It has no clock and no lock. Callers pass the current moment, as the time since the circuit was made. A moment
/// before one that was passed earlier means that the clock was put back: what would be in the future counts as if it
/// happened now. No user code runs in it: an error that it discards is returned to the caller, since an error that is
/// an object may run a `deinit`.
struct CircuitMachine {
    /// A failure that counts.
    struct Failure {
        let error: any Error
        /// How long it asks to wait; nil if it does not say.
        let retryAfter: Duration?
    }

    /// How a call ends.
    enum End {
        case success
        /// An error that counts as a failure.
        case failure(Failure)
        /// An error that does not count as a failure.
        case otherError
        /// A circuit's refusal or change, which says nothing of what was called.
        case refusal
        /// The call's task was cancelled, or the error is a cancellation.
        case cancellation
    }

    /// Whether an attempt is made.
    enum Admission {
        /// The attempt is made, in a closed circuit; the era is passed to `end` when the attempt ends.
        case passes(era: Int)
        /// The attempt is made as a trial; its number is passed to `endTrial` when the trial ends.
        case tries(UInt64)
        /// The attempt is made within a trial, which alone counts.
        case isPartOfTrial
        /// The attempt is not made.
        case refused(retryAfter: Duration?, cause: any Error)
    }

    /// What an event has changed.
    struct Change {
        /// The new state; nil if the state is as before.
        var state: CircuitChanged.State?
        /// The failure that opened the circuit; nil if something else changed its state.
        var cause: (any Error)?
        /// An error that is not needed any more, returned so that it is released after unlocking.
        var released: (any Error)?
    }

    private enum Phase {
        /// `latest` is the failure that was counted last.
        case closed(latest: Failure?)
        case open(Opening)
        /// `trial` is the number of the trial under way; nil after a trial that made room for the next.
        case halfOpen(trial: UInt64?, Opening)
    }

    /// When and why the circuit opened last.
    private struct Opening {
        let failure: Failure
        var since: Duration

        /// Returns the time that is left of a wait since the opening; nil if it is over.
        mutating func rest(of wait: Duration, at now: Duration) -> Duration? {
            since = min(since, now)
            let rest = wait - (now - since)
            return rest > .zero ? rest : nil
        }

        /// Returns the time that is left of the wait that the failure asks for; nil if it is over or there is none.
        mutating func restOfHint(at now: Duration) -> Duration? { failure.retryAfter.flatMap { rest(of: $0, at: now) } }
    }

    private let ratio: Double
    private let minimumCalls: Int
    private let openPeriod: Duration
    private var window: CallWindow
    private var phase = Phase.closed(latest: nil)
    private var lastTrial: UInt64 = 0
    /// The number of the last time for which the circuit was closed.
    private var era = 1

    /// - Parameters:
    ///   - ratio: The part of the calls that must have failed for the circuit to open; above 0, at most 1.
    ///   - minimumCalls: How many calls must have ended for the circuit to open; at least 1.
    ///   - window: The time within which they must have ended; positive.
    ///   - openPeriod: How long an open circuit refuses attempts before a trial; not negative.
    init(opensAt ratio: Double, of minimumCalls: Int, within window: Duration, openFor openPeriod: Duration) {
        self.ratio = ratio
        self.minimumCalls = minimumCalls
        self.openPeriod = openPeriod
        self.window = CallWindow(length: window)
    }

    /// The state after the last event; after the open period it stays `.open` until the next attempt.
    var state: CircuitChanged.State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }

    /// The number of this time for which the circuit is closed; nil while it is not.
    var closedEra: Int? { if case .closed = phase { era } else { nil } }

    /// The number of the window's slot within which successes may be counted later, with `countSuccesses`; nil while a
    /// success could open the circuit, because the window contains failures.
    var healthySlot: Int? {
        guard case .closed = phase, window.failures == 0 else { return nil }
        return window.number
    }

    /// Counts successes of the slot that was the last `healthySlot`.
    mutating func countSuccesses(_ count: Int) {
        if case .closed = phase { window.add(calls: count) }
    }

    /// Decides whether an attempt is made.
    ///
    /// - Parameters:
    ///   - enclosing: The number of the trial within which the attempt is made, which may be over; nil for none.
    ///   - now: The current moment.
    mutating func admit(within enclosing: UInt64? = nil, at now: Duration) -> (Admission, Change) {
        switch phase {
        case .closed:
            return (.passes(era: era), Change())
        case .open(var opening):
            guard let rest = opening.rest(of: openPeriod, at: now) else {
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
        }
    }

    /// Counts a call that has ended and was not a trial; opens the circuit if enough calls have ended and failed.
    ///
    /// Only a closed circuit counts. In a half-open one only the trial decides, since another attempt that fails then
    /// may have begun long ago; for the same reason an attempt from before the circuit closed does not count.
    ///
    /// - Parameters:
    ///   - end: How the call ended.
    ///   - callEra: The era in which the call was admitted.
    ///   - now: The moment of the end.
    mutating func end(_ end: End, in callEra: Int, at now: Duration) -> Change {
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
        // A quotient and not a product, which rounding can make larger than a whole number of calls.
        guard let latest, window.calls >= minimumCalls, Double(window.failures) / Double(window.calls) >= ratio else {
            return Change(released: released)
        }
        return open(latest, at: now, releasing: released)
    }

    /// Ends a trial.
    ///
    /// - Parameters:
    ///   - trial: The trial's number. If it is not under way, because the circuit was opened or closed by hand, nothing
    ///     happens.
    ///   - end: How the trial ended.
    ///   - now: When the trial ended.
    mutating func endTrial(_ trial: UInt64, _ end: End, at now: Duration) -> Change {
        guard case .halfOpen(trial, var opening) = phase else { return Change() }
        switch end {
        case .success:
            return close()
        case .failure(let failure):
            return open(failure, at: now, releasing: opening.failure.error)
        case .cancellation:
            // The next trial might be cancelled too, and each would reach what may be down.
            let failure = Failure(error: opening.failure.error, retryAfter: opening.restOfHint(at: now))
            phase = .open(Opening(failure: failure, since: now))
            // Without the cause: the change that the failure made has it.
            return Change(state: .open)
        case .otherError, .refusal:
            phase = .halfOpen(trial: nil, opening)
            return Change()
        }
    }

    /// Opens the circuit by hand.
    ///
    /// - Parameters:
    ///   - reason: The cause of refusals.
    ///   - now: The current moment, at which the open period begins.
    mutating func open(because reason: any Error, at now: Duration) -> Change {
        let state: CircuitChanged.State? = state == .open ? nil : .open
        let change = open(Failure(error: reason, retryAfter: nil), at: now, releasing: cause)
        return Change(state: state, released: change.released)
    }

    /// Closes the circuit, and forgets all calls.
    mutating func close() -> Change {
        let change = Change(state: state == .closed ? nil : .closed, released: cause)
        window.removeAll()
        phase = .closed(latest: nil)
        era += 1
        return change
    }

    /// The error of the failure that the machine retains.
    private var cause: (any Error)? {
        switch phase {
        case .closed(let latest): latest?.error
        case .open(let opening), .halfOpen(_, let opening): opening.failure.error
        }
    }

    private mutating func beginTrial(_ opening: Opening) -> UInt64 {
        lastTrial += 1
        phase = .halfOpen(trial: lastTrial, opening)
        return lastTrial
    }

    private mutating func open(_ failure: Failure, at now: Duration, releasing released: (any Error)?) -> Change {
        window.removeAll()
        phase = .open(Opening(failure: failure, since: now))
        return Change(state: .open, cause: failure.error, released: released)
    }
}
