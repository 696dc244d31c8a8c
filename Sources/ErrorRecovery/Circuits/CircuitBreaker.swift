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
/// not count, the next attempt is the trial. A trial without a time limit can block all other callers for ever.
///
/// Each change of state is posted once as ``CircuitChanged``, in order. With ``listening``, failures that other code
/// posts count too.
///
/// Do not call ``run(_:)`` inside an operation that the same circuit runs: a failure would count twice, and a trial
/// would refuse the inner attempt.
public final class CircuitBreaker: Sendable {
    /// The breaker's name, as errors and descriptions show it.
    public let name: String

    /// The state under the lock; no user code runs while the lock is held.
    private struct Storage {
        var machine: CircuitMachine
        var thrown: ThrownErrors
        /// Changes that are not posted yet, in order.
        var changes: [CircuitMachine.Change] = []
        /// Whether a caller is posting the changes.
        var isAnnouncing = false
    }

    private let storage: Locked<Storage>
    /// Whether the machine's state is closed; written under the lock, and read by every attempt without the lock.
    private let isClosed = Atomic<Bool>(true)
    /// Whether ``listening`` has been called, since only then thrown errors are remembered.
    private let isListening = Atomic<Bool>(false)

    private let matches: @Sendable (any Error) -> Bool
    private let now: @Sendable () -> Duration
    private let errors: any ErrorPosting
    private let source: ErrorReport.Source

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
    ///   - clock: The clock that measures window and pause; a test clock in tests.
    ///   - errors: Where changes are posted.
    ///   - fileID: The file that posted changes name as their source.
    ///   - line: The line that posted changes name as their source.
    public init<Output, C: Clock>(
        _ name: String,
        opensAt failures: Int = 5,
        within window: Duration = .seconds(10),
        for pause: Duration = .seconds(5),
        counting: ErrorMatcher<Output>,
        clock: C = ContinuousClock(),
        reportingTo errors: any ErrorPosting = .ambient,
        fileID: String = #fileID,
        line: UInt = #line
    ) where C.Duration == Duration {
        if failures < 1 { fatalError("CircuitBreaker(\(name)): opensAt must be at least 1, not \(failures)") }
        if window <= .zero { fatalError("CircuitBreaker(\(name)): within must be positive, but is \(window)") }
        if pause < .zero { fatalError("CircuitBreaker(\(name)): for must not be negative, but is \(pause)") }
        self.name = name
        storage = Locked(
            Storage(
                machine: CircuitMachine(opensAt: failures, within: window, for: pause),
                thrown: ThrownErrors(lifetime: window)))
        matches = { counting.match($0) != nil }
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.errors = errors
        source = .init(fileID: fileID, line: line)
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
        let trial = try admit()
        let result: T
        do {
            result = try await operation()
        } catch {
            failed(error, trial)
            throw error
        }
        if let trial { succeeded(trial) }
        return result
    }

    /// A handler that counts the failures posted to a bus; overlay it on the bus's own handler.
    ///
    /// ```swift
    /// try await withErrorBus(handler: .default.overlaid(with: payments.listening)) { bus in … }
    /// ```
    ///
    /// The handler looks at every report and changes no outcome. A report that stands for several errors counts that
    /// many times. An error that ``run(_:)`` threw has been counted, and does not count again when it is posted within
    /// the window. It is recognised by its type, its text and its underlying errors.
    public var listening: ErrorHandler {
        isListening.store(true, ordering: .relaxed)
        // `always` instead of a rule: a rule that matches would turn an unmatched error into a handled one.
        return ErrorHandler().always(fileID: source.fileID, line: source.line) { [self] error, report in
            if counts(error) { heard(error, count: report.occurrences) }
            return .next
        }
    }
}

extension CircuitBreaker {
    /// Lets an attempt through, or refuses it by throwing.
    ///
    /// - Returns: The trial's number if the attempt is a trial; nil in a closed circuit.
    @usableFromInline
    func admit() throws(CircuitOpen) -> UInt64? {
        // An attempt that races with the opening of the circuit passes, as if it had begun before.
        if isClosed.load(ordering: .acquiring) { return nil }
        let now = now()
        switch change({ $0.machine.admit(at: now) }) {
        case .passes: return nil
        case .tries(let trial): return trial
        case .refused(let retryAfter, let cause):
            throw CircuitOpen(name: name, retryAfter: retryAfter, cause: cause)
        }
    }

    @usableFromInline
    func succeeded(_ trial: UInt64) { end(trial, .success, thrown: nil) }

    @usableFromInline
    func failed(_ error: any Error, _ trial: UInt64?) {
        let counts = !Task.isCancelled && counts(error)
        let key = counts && isListening.load(ordering: .relaxed) ? ThrownErrors.Key(error) : nil
        if let trial {
            end(trial, counts ? .failure(error) : .neither, thrown: key)
        } else if counts {
            let now = now()
            change { storage in
                if let key { storage.thrown.add(key, at: now) }
                return ((), storage.machine.fail(error, at: now))
            }
        }
    }

    private func end(_ trial: UInt64, _ end: CircuitMachine.TrialEnd, thrown key: ThrownErrors.Key?) {
        let now = now()
        change { storage in
            if let key { storage.thrown.add(key, at: now) }
            return ((), storage.machine.end(trial, end, at: now))
        }
    }

    private func heard(_ error: any Error, count: Int) {
        let key = ThrownErrors.Key(error)
        let now = now()
        change { storage in
            let own = storage.thrown.take(key, upTo: count, at: now)
            return ((), own < count ? storage.machine.fail(error, count: count - own, at: now) : nil)
        }
    }

    private func counts(_ error: any Error) -> Bool {
        !isCancellation(error) && matches(error) && Self.ofCircuits.match(error) == nil
    }

    /// Matches underlying errors too: a wrapped refusal is not a failure of the dependency either.
    private static let ofCircuits = ErrorMatcher<any Error>.anywhere(
        .type(CircuitOpen.self) || .type(CircuitChanged.self))

    /// Changes the storage under the lock, and announces the change of state, if there is one, after unlocking.
    private func change<Result>(_ body: (inout Storage) -> (Result, CircuitMachine.Change?)) -> Result {
        let (result, isToAnnounce) = storage.withLock { storage in
            let (result, change) = body(&storage)
            guard let change else { return (result, false) }
            isClosed.store(change.state == .closed, ordering: .releasing)
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
            let changed = CircuitChanged(name: name, state: change.state, cause: change.cause)
            errors.post(
                changed,
                metadata: ["circuit.name": name, "circuit.state": change.state.rawValue],
                source: source)
        }
    }
}
