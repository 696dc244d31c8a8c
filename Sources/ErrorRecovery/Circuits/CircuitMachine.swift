import ErrorRouting

/// The state machine of a circuit: a plain value.
///
/// Each event is a method that returns what the caller must do.
///
/// It has no clock and no lock. Callers pass the current time, measured from the circuit's creation. If a time is
/// earlier than a previous one, the clock was set back: events in the future count as if they happened now. The machine
/// runs no user code: it returns discarded errors to the caller, because releasing an error can run a `deinit`.
struct CircuitMachine {
    /// A failure that counts.
    struct Failure {
        let error: any Error
        /// The error's hint; nil if it has none.
        let retryAfter: Duration?
    }

    /// How a call ends.
    enum End {
        case success
        /// An error that counts as a failure.
        case failure(Failure)
        /// An error that doesn't count as a failure.
        case otherError
        /// A circuit's refusal or change, which shows nothing about the dependency.
        case refusal
        /// The call's task was cancelled, or the error is a cancellation.
        case cancellation
    }

    /// Whether a call is made.
    enum Admission {
        /// The call is made in a closed circuit. Pass the era to `end` when the call ends.
        case passes(era: Int)
        /// The call is made as a trial call. Pass its number to `endTrial` when it ends.
        case tries(UInt64)
        /// The call is made within a trial call. Only the trial call counts.
        case isPartOfTrial
        /// The call isn't made.
        case refused(retryAfter: Duration?, cause: any Error)
    }

    /// The change that an event made.
    struct Change {
        /// The new state; nil if the state didn't change.
        var state: CircuitChanged.State?
        /// The failure that opened the circuit; nil if something else changed its state.
        var cause: (any Error)?
        /// A discarded error, returned so that it is released after unlocking.
        var released: (any Error)?
    }

    private enum Phase {
        /// `latest` is the last counted failure.
        case closed(latest: Failure?)
        case open(Opening)
        /// `trial` is the number of the trial call under way; nil after a trial call whose error didn't count.
        case halfOpen(trial: UInt64?, Opening)
        /// Isolated by hand; the error is the cause of all refusals.
        case isolated(because: any Error)
    }

    /// When and why the circuit opened last.
    private struct Opening {
        let failure: Failure
        var since: Duration
        /// How long the circuit refuses calls.
        let period: Duration

        /// Returns the rest of a wait that began at the opening; nil if it is over.
        mutating func rest(of wait: Duration, at now: Duration) -> Duration? {
            since = min(since, now)
            let rest = wait - (now - since)
            return rest > .zero ? rest : nil
        }

        /// Returns the rest of the open period; nil if it is over.
        mutating func restOfPeriod(at now: Duration) -> Duration? { rest(of: period, at: now) }

        /// Returns the rest of the failure's hint; nil if it is over or there is none.
        mutating func restOfHint(at now: Duration) -> Duration? { failure.retryAfter.flatMap { rest(of: $0, at: now) } }
    }

    private let failureRatio: Double
    private let minimumCalls: Int
    /// The possible lengths of an open period in attoseconds.
    private let periods: ClosedRange<Int128>
    private var window: CallWindow
    private var phase = Phase.closed(latest: nil)
    private var lastTrial: UInt64 = 0
    /// The number of the last closed period.
    private var era = 1
    /// How many calls were refused since the machine was created.
    private var refused = 0

    /// - Parameters:
    ///   - failureRatio: The share of failed calls at which the circuit opens; above 0 and at most 1.
    ///   - minimumCalls: How many calls must have ended before the circuit can open; at least 1.
    ///   - window: How long a call counts after it ended; positive.
    ///   - openPeriod: How long an open circuit refuses calls before it admits a trial call; not negative.
    ///   - jitter: The largest share of the open period by which it is longer or shorter; from 0 to 1.
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
    /// After the open period it stays `.open` until the next call.
    var state: CircuitChanged.State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        case .isolated: .isolated
        }
    }

    /// Returns the counts of the calls that ended within the window before a time.
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

    /// Decides whether a call is made.
    ///
    /// - Parameters:
    ///   - enclosing: The number of the trial call around this call, which might be over; nil for none.
    ///   - now: The current time.
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
    /// Only a closed circuit counts calls. In a half-open circuit only the trial call decides, because another failing
    /// call might have begun long ago. For the same reason, a call that began before the circuit closed doesn't count.
    ///
    /// - Parameters:
    ///   - end: How the call ended.
    ///   - callEra: The era in which the call was admitted.
    ///   - now: The time of the end.
    ///   - generator: The source of randomness for the length of an open period.
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
        // Use a quotient: rounding can make the product larger than a whole number of calls.
        guard let latest, window.calls >= minimumCalls, Double(window.failures) / Double(window.calls) >= failureRatio
        else {
            return Change(released: released)
        }
        return open(latest, at: now, using: &generator, releasing: released)
    }

    /// Ends a trial call.
    ///
    /// - Parameters:
    ///   - trial: The trial call's number. If the circuit was isolated or closed by hand, the trial call is over
    ///     and nothing happens.
    ///   - end: How the trial call ended.
    ///   - now: When the trial call ended.
    ///   - generator: The source of randomness for the length of an open period.
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
            // Open again: the next trial call might be cancelled too, and each would reach a dependency that might be
            // down.
            let failure = Failure(error: opening.failure.error, retryAfter: opening.restOfHint(at: now))
            phase = .open(Opening(failure: failure, since: now, period: period(using: &generator)))
            // Leave out the cause: the change that opened the circuit before already has it.
            return Change(state: .open)
        case .otherError, .refusal:
            phase = .halfOpen(trial: nil, opening)
            return Change()
        }
    }

    /// Refuses all calls until `close`.
    ///
    /// - Parameter reason: The cause of the refusals.
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

    /// The error of the failure that the machine retains.
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
