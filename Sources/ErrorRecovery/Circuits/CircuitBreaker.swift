public import ErrorRouting
import Synchronization

/// A circuit breaker: refuses calls to a dependency that keeps failing, until a trial call succeeds.
///
/// ```swift
/// let payments = CircuitBreaker("payments", counting: .type(Timeout.self) || .type(ConnectionLost.self))
/// let receipt = try await payments.run { try await client.charge(order) }
/// ```
///
/// The circuit opens when `failures` counted failures lie within the window; successes in between do not reset the
/// count. An open circuit refuses every attempt with ``CircuitOpen`` until the pause is over. The first attempt after
/// the pause is a trial, and all other attempts are refused until the trial ends. If the trial succeeds, the circuit
/// closes; if it fails, the circuit opens for another pause. If the trial is cancelled, or throws an error that does
/// not count, the next attempt is the trial. A trial without a time limit can block all other callers without end. An
/// attempt that began before the circuit closed does not open it again.
///
/// Failures are counted in one place: where ``run(_:)`` throws them, or, of a circuit that is made with
/// `from: .reports`, where a bus reports them to its ``handler``. Of what `run` throws, only the failure of a trial
/// counts then.
///
/// What the operation of a trial runs through the same circuit, such as the refresh of a token, is part of the trial:
/// it is not refused, and the end of the trial alone counts. In a closed circuit a run within a run counts its failure,
/// and the run around it the same failure once more.
///
/// Each change of state is posted once as ``CircuitChanged``, with the role `.notice`, in order, and always to the same
/// place: where the circuit was told to report. It is in no scope of a caller's.
public final class CircuitBreaker: Sendable {
    /// Where a circuit counts failures.
    public enum Source: Sendable {
        /// What ``CircuitBreaker/run(_:)`` throws.
        case calls
        /// What a bus reports to ``CircuitBreaker/handler``.
        case reports
    }

    /// The breaker's name, as errors and descriptions show it.
    public let name: String

    /// The state under the lock; no user code runs while the lock is held.
    private struct Storage {
        var machine: CircuitMachine
        /// Changes that are not posted yet, in order.
        var changes: [CircuitMachine.Change] = []
        /// Whether a caller is posting the changes.
        var isAnnouncing = false
    }

    /// A trial of this circuit, as the tasks within it see it; it may be over.
    ///
    /// It retains the circuit, since the circuit's address identifies the task-local value.
    private struct Trial: Sendable {
        let number: UInt64
        let circuit: CircuitBreaker
    }

    private let storage: Locked<Storage>
    /// The machine's `closedEra`, 0 while it is not closed; written under the lock, read by every attempt without it.
    private let closedEra = Atomic<Int>(1)
    private let trial = TaskLocal<Trial?>(wrappedValue: nil)

    private let matches: @Sendable (any Error) -> Bool
    private let source: Source
    private let now: @Sendable () -> Duration
    private let notices: CircuitNotices

    /// Makes a closed circuit.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - failures: How many failures open the circuit; at least 1.
    ///   - window: The time within which the failures have to lie; positive. A failure as old as the window does not
    ///     count.
    ///   - pause: How long the open circuit refuses attempts before a trial; not negative.
    ///   - counting: The errors that count as failures. These never count: a cancellation, an error thrown in a
    ///     cancelled task, and ``CircuitOpen`` or ``CircuitChanged``, also as an underlying error.
    ///   - source: Where they are counted.
    ///   - clock: The clock that measures window and pause; a test clock in tests.
    ///   - errors: Where changes are posted. `.ambient` is the bus that is bound where the circuit is made, for as long
    ///     as that bus lives; if there is none, it is the process's root bus at the time of the change, and if there is
    ///     none either, the last resort. It is never a scope, or a bus that a caller of ``run(_:)`` has bound.
    ///   - fileID: The file that posted changes name as their source.
    ///   - line: The line that posted changes name as their source.
    public init<Output, C: Clock>(
        _ name: String,
        opensAt failures: Int = 5,
        within window: Duration = .seconds(10),
        openFor pause: Duration = .seconds(5),
        counting: ErrorMatcher<Output>,
        from source: Source = .calls,
        clock: C = ContinuousClock(),
        errors: any ErrorPosting = .ambient,
        fileID: String = #fileID,
        line: UInt = #line
    ) where C.Duration == Duration {
        if failures < 1 { fatalError("CircuitBreaker(\(name)): opensAt must be at least 1, not \(failures)") }
        if window <= .zero { fatalError("CircuitBreaker(\(name)): within must be positive, but is \(window)") }
        if pause < .zero { fatalError("CircuitBreaker(\(name)): openFor must not be negative, but is \(pause)") }
        self.name = name
        self.source = source
        let machine = CircuitMachine(
            opensAt: failures, within: window, openFor: pause, countsReports: source == .reports)
        storage = Locked(Storage(machine: machine))
        matches = { counting.match($0) != nil }
        let start = clock.now
        now = { start.duration(to: clock.now) }
        notices = CircuitNotices(errors, source: .init(fileID: fileID, line: line))
    }

    /// The circuit's state.
    ///
    /// After the pause the state stays `.open` until the next attempt.
    public var state: CircuitChanged.State { storage.withLock { $0.machine.state } }

    /// Runs an operation, or throws ``CircuitOpen`` if the circuit refuses.
    ///
    /// - Parameter operation: The operation. It keeps the caller's isolation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, unchanged; ``CircuitOpen`` if the operation was not run.
    /// - Complexity: In a closed circuit, an operation that succeeds costs one atomic read more, and no allocation.
    @inlinable
    public func run<T>(_ operation: () async throws -> T) async throws -> T {
        guard let era = currentEra else { return try await runUnlessRefused(operation) }
        do {
            return try await operation()
        } catch {
            failed(error, in: era)
            throw error
        }
    }

    /// The handler that counts the failures posted to a bus, for a circuit that is made with `from: .reports`; overlay
    /// it on the bus's own handler.
    ///
    /// ```swift
    /// let payments = CircuitBreaker("payments", counting: .type(Timeout.self), from: .reports)
    /// try await withErrorBus(handler: .default.overlaid(with: payments.handler)) { bus in … }
    /// ```
    ///
    /// An error counts once, however it is wrapped, and whether or not it came through the circuit; one that nobody
    /// posts does not count. To ask a circuit that counts calls for its handler is a programming error.
    ///
    /// A report counts once, even if the handler is overlaid on a scope and on its bus, and as often as the errors that
    /// it stands for (`occurrences`). It counts for the moment at which it was posted, however late it is delivered;
    /// its age is measured by the continuous clock, whatever the circuit's clock is. The errors that a flood limit
    /// merged into a report count as spread evenly between its `firstInstant` and its `instant`. What was posted before
    /// the circuit closed does not count.
    ///
    /// An error that is posted to two buses counts twice: overlay the handler on one. A report does not say whether the
    /// poster's task was cancelled: `run` counts nothing that a cancelled task throws, but what such a task posts
    /// counts, unless it is a cancellation.
    ///
    /// The handler changes no outcome. It is an `always` action, so an `always` that runs before it, in a scope or in a
    /// handler that is overlaid later, must return `.next`.
    public var handler: ErrorHandler {
        if source == .calls {
            fatalError("CircuitBreaker(\(name)).handler: this circuit counts calls; make it with from: .reports")
        }
        // `always` instead of a rule: a rule that matches would turn an unmatched error into a handled one.
        return ErrorHandler().always(fileID: notices.source.fileID, line: notices.source.line) { [self] error, report in
            if counts(error) { heard(report) }
            return .next
        }
    }
}

extension CircuitBreaker {
    /// The number of this time for which the circuit is closed; nil while it is not.
    ///
    /// An attempt that races with the opening of the circuit passes, as if it had begun before.
    @usableFromInline
    var currentEra: Int? {
        let era = closedEra.load(ordering: .acquiring)
        return era == 0 ? nil : era
    }

    /// Runs an operation in a circuit that was not closed, as a trial or within one, or refuses by throwing.
    @usableFromInline
    func runUnlessRefused<T>(_ operation: () async throws -> T) async throws -> T {
        let (now, enclosing) = (now(), trial.get()?.number)
        switch change({ $0.admit(within: enclosing, at: now) }) {
        case .refused(let retryAfter, let cause):
            throw CircuitOpen(name: name, retryAfter: retryAfter, cause: cause)
        case .isPartOfTrial:
            return try await operation()
        case .passes(let era):
            do {
                return try await operation()
            } catch {
                failed(error, in: era)
                throw error
            }
        case .tries(let number):
            return try await run(operation, asTrial: number)
        }
    }

    private func run<T>(_ operation: () async throws -> T, asTrial number: UInt64) async throws -> T {
        let result: T
        do {
            result = try await trial.binding(Trial(number: number, circuit: self), isolation: #isolation, operation)
        } catch {
            end(number, failure(error).map { .failure($0) } ?? .neither)
            throw error
        }
        end(number, .success)
        return result
    }

    @usableFromInline
    func failed(_ error: any Error, in era: Int) {
        guard let failure = failure(error) else { return }
        let now = now()
        change { ((), $0.fail(failure, in: era, at: now)) }
    }

    private func end(_ trial: UInt64, _ end: CircuitMachine.TrialEnd) {
        let now = now()
        // The second moment is read under the lock, so that all that was posted before the circuit closes is older.
        change { ((), $0.end(trial, end, at: now, .now)) }
    }

    private func heard(_ report: ErrorReport) {
        let failure = CircuitMachine.Failure(report.error)
        // Only a bus numbers its reports, and it is the current one in its actions.
        let id =
            report.sequence == 0
            ? nil
            : FailureWindow.Report(
                bus: ErrorBus.current.map(ObjectIdentifier.init), sequence: report.sequence, instant: report.instant)
        let now = now()
        change {
            let posted = report.firstInstant...report.instant
            return ((), $0.hear(failure, count: report.occurrences, posted: posted, id, at: now, .now))
        }
    }

    /// Returns what was thrown in this task as a failure that counts; nil if it does not count.
    private func failure(_ error: any Error) -> CircuitMachine.Failure? {
        // What a cancelled call throws says nothing of what it called.
        !Task.isCancelled && counts(error) ? CircuitMachine.Failure(error) : nil
    }

    private func counts(_ error: any Error) -> Bool {
        !isCancellation(error) && matches(error) && Self.ofCircuits.match(error) == nil
    }

    /// Matches underlying errors too: a wrapped refusal is not a failure of the dependency either.
    private static let ofCircuits = ErrorMatcher<any Error>.anywhere(
        .type(CircuitOpen.self) || .type(CircuitChanged.self))

    /// Changes the machine under the lock, and announces the change of state, if there is one, after unlocking.
    private func change<Result>(_ body: (inout CircuitMachine) -> (Result, CircuitMachine.Change?)) -> Result {
        let (result, isToAnnounce) = storage.withLock { storage in
            let (result, change) = body(&storage.machine)
            guard let change else { return (result, false) }
            closedEra.store(storage.machine.closedEra ?? 0, ordering: .releasing)
            storage.changes.append(change)
            defer { storage.isAnnouncing = true }
            return (result, !storage.isAnnouncing)
        }
        if isToAnnounce { announce() }
        return result
    }

    /// Posts the changes in order, without the lock, also the changes that arrive meanwhile.
    private func announce() {
        while let change = storage.withLock({ storage -> CircuitMachine.Change? in
            storage.isAnnouncing = !storage.changes.isEmpty
            return storage.isAnnouncing ? storage.changes.removeFirst() : nil
        }) {
            notices.post(CircuitChanged(name: name, state: change.state, cause: change.cause))
        }
    }
}

extension CircuitMachine.Failure {
    /// Asks the error for its hint, so this must not be called under a lock.
    fileprivate init(_ error: any Error) {
        // An error that came through a continuation may be boxed: unbox it.
        self.error = ErrorMatcher.any.match(error) ?? error
        retryAfter = serverHint(of: error)
    }
}
