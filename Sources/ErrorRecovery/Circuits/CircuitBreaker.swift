public import ErrorRouting
import Synchronization

/// Keeps callers from a dependency that fails, until a trial shows that it works again.
///
/// ```swift
/// let payments = CircuitBreaker("payments", counting: .type(Timeout.self) || .type(ConnectionLost.self))
/// let receipt = try await payments.run { try await client.charge(order) }
/// ```
///
/// The circuit opens when so many failures that count lie within the window; successes in between change nothing. For
/// the pause it then refuses every attempt with ``CircuitOpen``. The first attempt after the pause is a trial, beside
/// which all others are refused: its success closes the circuit, its failure opens it for another pause. A trial that
/// is cancelled, or throws what does not count, says nothing, and the next attempt is a trial in its place. While a
/// trial takes, everybody waits for it: give operations a time limit.
///
/// Each change of state is posted once as ``CircuitChanged``, in order. With ``listening`` the failures count that
/// anyone posts.
///
/// Do not run an operation through a circuit within another one of the same circuit: its failure would count twice, and
/// a trial would be refused by itself.
public final class CircuitBreaker: Sendable {
    /// What the breaker is called, in errors and descriptions.
    public let name: String

    /// What the lock guards; nothing that is called under it is code of the user's.
    private struct Storage {
        var machine: CircuitMachine
        var thrown: ThrownErrors
        /// Changes that are yet to be posted, in order.
        var changes: [CircuitMachine.Change] = []
        /// Whether somebody is posting them.
        var isAnnouncing = false
    }

    private let storage: Locked<Storage>
    /// Whether the machine's state is closed: written under the lock, read by every attempt without it.
    private let isClosed = Atomic<Bool>(true)
    /// Whether somebody has asked for ``listening``: otherwise nobody needs to know again what was thrown.
    private let isListening = Atomic<Bool>(false)

    private let matches: @Sendable (any Error) -> Bool
    private let now: @Sendable () -> Duration
    private let errors: any ErrorPosting
    private let source: ErrorReport.Source

    /// Makes a closed circuit.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - failures: How many failures open it; at least 1.
    ///   - window: The time within which they have to lie; positive. A failure as old as the window does not count.
    ///   - pause: How long it refuses before a trial; not negative.
    ///   - counting: The errors that count as failures. A cancellation never does, nor what is thrown in a task that is
    ///     cancelled, nor ``CircuitOpen`` and ``CircuitChanged``, nor an error that has one of these under it.
    ///   - clock: Measures window and pause; a test clock in tests.
    ///   - errors: Where changes are posted.
    ///   - fileID: Where changes are said to be posted.
    ///   - line: Where changes are said to be posted.
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

    /// What the circuit does with attempts.
    ///
    /// After the pause it is open until somebody tries.
    public var state: CircuitChanged.State { storage.withLock { $0.machine.state } }

    /// Runs an operation, unless the circuit refuses.
    ///
    /// - Parameter operation: What to run. It keeps the caller's isolation.
    /// - Returns: What the operation returned.
    /// - Throws: What the operation threw, as it was; ``CircuitOpen`` where it was not run.
    /// - Complexity: In a closed circuit one atomic read, beside an operation that succeeds. Nothing is allocated.
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

    /// What, overlaid on a bus's handler, makes the failures count that anyone posts.
    ///
    /// ```swift
    /// try await withErrorBus(handler: .default.overlaid(with: payments.listening)) { bus in … }
    /// ```
    ///
    /// It looks at every report and changes no outcome. A report that stands for several errors counts for as many. An
    /// error that ``run(_:)`` threw has counted already, and does not again where it is posted within the window: known
    /// by its type, what it says, and the errors under it.
    public var listening: ErrorHandler {
        isListening.store(true, ordering: .relaxed)
        // `always` and no rule: a rule that matches would make of an unmatched error a handled one.
        return ErrorHandler().always(fileID: source.fileID, line: source.line) { [self] error, report in
            if counts(error) { heard(error, count: report.occurrences) }
            return .next
        }
    }
}

extension CircuitBreaker {
    /// Lets an attempt through or refuses it.
    ///
    /// - Returns: The number of the trial that it is, in a circuit that is not closed.
    @usableFromInline
    func admit() throws(CircuitOpen) -> UInt64? {
        // An attempt that is let through while the circuit opens might as well have begun before.
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

    /// Under another error too: a wrapped refusal is one more refusal, and no failure of what is behind the circuit.
    private static let ofCircuits = ErrorMatcher<any Error>.anywhere(
        .type(CircuitOpen.self) || .type(CircuitChanged.self))

    /// The one place where the lock is taken to change anything.
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

    /// Posts the changes in order, outside of the lock; what changes meanwhile is posted by the same caller.
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
