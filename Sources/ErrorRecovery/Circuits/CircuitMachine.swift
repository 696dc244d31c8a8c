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

    /// Whether an attempt is made.
    enum Admission {
        /// The attempt is made, in a closed circuit; the era is passed to `fail` if the attempt fails.
        case passes(era: Int)
        /// The attempt is made as a trial; its number is passed to `end` when the trial ends.
        case tries(UInt64)
        /// The attempt is made within a trial, which alone counts.
        case isPartOfTrial
        /// The attempt is not made.
        case refused(retryAfter: Duration?, cause: any Error)
    }

    /// How a trial ends.
    enum TrialEnd {
        case success
        /// An error that counts.
        case failure(Failure)
        /// A cancellation, or an error that does not count.
        case neither
    }

    /// A change to a new state.
    struct Change {
        let state: CircuitChanged.State
        /// The failure that opened the circuit; nil if it changed to another state.
        var cause: (any Error)?
        /// The previous cause, returned so that it is released after unlocking.
        var replaced: (any Error)?
    }

    private enum Phase {
        case closed
        case open(Opening)
        /// `trial` is the number of the trial under way; nil after a trial that ended with `.neither`.
        case halfOpen(trial: UInt64?, Opening)
    }

    /// When and why the circuit opened last.
    private struct Opening {
        let failure: Failure
        private var since: Duration

        init(_ failure: Failure, at now: Duration) {
            self.failure = failure
            since = now
        }

        /// The time that is left of a wait since the opening; nil if it is over.
        mutating func rest(of wait: Duration, at now: Duration) -> Duration? {
            since = min(since, now)
            let rest = wait - (now - since)
            return rest > .zero ? rest : nil
        }
    }

    private let pause: Duration
    private var failures: FailureWindow
    private var phase = Phase.closed
    private var lastTrial: UInt64 = 0
    /// The number of the last time for which the circuit was closed.
    private var era = 1
    /// When the circuit closed last; nil if it has never been open.
    private var closed: ContinuousClock.Instant?
    private let countsReports: Bool

    /// - Parameters:
    ///   - failures: How many failures open the circuit.
    ///   - window: The time within which the failures have to lie.
    ///   - pause: How long an open circuit refuses attempts before a trial.
    ///   - countsReports: Whether failures are counted where they are reported, in place of where they are thrown.
    init(opensAt failures: Int, within window: Duration, openFor pause: Duration, countsReports: Bool = false) {
        self.countsReports = countsReports
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

    /// The number of this time for which the circuit is closed; nil while it is not.
    var closedEra: Int? { if case .closed = phase { era } else { nil } }

    /// Decides whether an attempt is made.
    ///
    /// - Parameters:
    ///   - enclosing: The number of the trial within which the attempt is made, which may be over; nil for none.
    ///   - now: The current moment.
    mutating func admit(within enclosing: UInt64? = nil, at now: Duration) -> (Admission, Change?) {
        switch phase {
        case .closed:
            return (.passes(era: era), nil)
        case .open(var opening):
            let failure = opening.failure
            if opening.rest(of: pause, at: now) != nil {
                let rest = opening.rest(of: max(pause, failure.retryAfter ?? .zero), at: now)
                phase = .open(opening)
                return (.refused(retryAfter: rest, cause: failure.error), nil)
            }
            return (.tries(beginTrial(opening)), Change(state: .halfOpen))
        case .halfOpen(nil, let opening):
            return (.tries(beginTrial(opening)), nil)
        case .halfOpen(let trial?, var opening):
            if trial == enclosing { return (.isPartOfTrial, nil) }
            let rest = opening.failure.retryAfter.flatMap { opening.rest(of: $0, at: now) }
            phase = .halfOpen(trial: trial, opening)
            return (.refused(retryAfter: rest, cause: opening.failure.error), nil)
        }
    }

    /// Counts a failure that an attempt threw which was not a trial, unless reports are counted.
    ///
    /// Only a closed circuit counts. In a half-open one only the trial decides, since another attempt that fails then
    /// may have begun long ago; for the same reason an attempt from before the circuit closed does not count.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - attemptEra: The era in which the attempt was admitted.
    ///   - now: The moment of the failure.
    mutating func fail(_ failure: Failure, in attemptEra: Int, at now: Duration) -> Change? {
        if countsReports || attemptEra != closedEra { return nil }
        return failures.record(now: now) ? open(failure, at: now) : nil
    }

    /// Counts a failure that was reported.
    ///
    /// It counts for the moment at which it was posted. What was posted before the circuit closed does not count. If it
    /// stands for several failures, their moments are taken as evenly spread.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - count: How many failures it stands for.
    ///   - posted: When the oldest and the newest of them were posted.
    ///   - report: The report; nil if it is not known from another one.
    ///   - now: The current moment.
    ///   - instantNow: The same moment by the clock of `posted`.
    mutating func hear(
        _ failure: Failure,
        count: Int,
        posted: ClosedRange<ContinuousClock.Instant>,
        _ report: FailureWindow.Report?,
        at now: Duration,
        _ instantNow: ContinuousClock.Instant
    ) -> Change? {
        guard case .closed = phase else { return nil }
        let ages = posted.upperBound.duration(to: instantNow)...posted.lowerBound.duration(to: instantNow)
        let isFull = failures.record(
            count, aged: ages, youngerThan: closed?.duration(to: instantNow), from: report, now: now)
        return isFull ? open(failure, at: now) : nil
    }

    /// Ends a trial.
    ///
    /// - Parameters:
    ///   - trial: The trial's number. No other trial begins before this one ends.
    ///   - end: How the trial ended.
    ///   - now: When the trial ended.
    ///   - instantNow: The same moment by the clock by which reports say when they were posted.
    mutating func end(
        _ trial: UInt64, _ end: TrialEnd, at now: Duration, _ instantNow: ContinuousClock.Instant
    ) -> Change? {
        guard case .halfOpen(trial, let opening) = phase else {
            assertionFailure("trial \(trial) ends, but is not under way")
            return nil
        }
        let cause = opening.failure.error
        switch end {
        case .success:
            assert(failures.isEmpty, "failures were recorded while the circuit was not closed")
            phase = .closed
            era += 1
            closed = instantNow
            return Change(state: .closed, replaced: cause)
        case .failure(let failure):
            var change = open(failure, at: now)
            change.replaced = cause
            return change
        case .neither:
            phase = .halfOpen(trial: nil, opening)
            return nil
        }
    }

    private mutating func beginTrial(_ opening: Opening) -> UInt64 {
        lastTrial += 1
        phase = .halfOpen(trial: lastTrial, opening)
        return lastTrial
    }

    private mutating func open(_ failure: Failure, at now: Duration) -> Change {
        failures.removeAll()
        phase = .open(Opening(failure, at: now))
        return Change(state: .open, cause: failure.error)
    }
}
