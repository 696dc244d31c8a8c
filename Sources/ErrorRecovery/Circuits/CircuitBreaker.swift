public import ErrorRouting
import Synchronization

/// A circuit breaker: refuses calls to a dependency that keeps failing, until a trial call succeeds.
///
/// ```swift
/// let payments = CircuitBreaker("payments", counting: .type(Timeout.self) || .type(ConnectionLost.self))
/// let receipt = try await payments.run { try await client.charge(order) }
/// ```
///
/// The circuit counts the calls of ``run(_:)`` that have ended within the window. It opens when they are enough calls,
/// and enough of them have failed. An open circuit refuses every call with ``CircuitOpen`` until the open period is
/// over. The first call after the open period is a trial call, and all other calls are refused until the trial call
/// ends. If it succeeds, the circuit closes; if it fails or is cancelled, another open period begins. If it throws an
/// error that does not count, the next call is the trial call. A trial call without a time limit can block all other
/// callers without end. A call that began before the circuit closed does not open it again.
///
/// The time limit of a call belongs inside the circuit. A limit around it cancels the call, and what a cancelled task
/// throws says nothing of the dependency, so it does not count.
///
/// What the operation of a trial call runs through the same circuit, such as the refresh of a token, is part of the
/// trial: it is not refused, and only the end of the trial counts. In a closed circuit, a call within a call counts as
/// a call of its own.
///
/// Each change of state is posted once as ``CircuitChanged``, with the role `.notice`, in order, and always to the same
/// place: where the circuit was told to report. It is in no scope of a caller's.
public final class CircuitBreaker: Sendable {
    /// The breaker's name, as errors and descriptions show it.
    public let name: String

    /// The state under the lock; no user code runs while the lock is held.
    private struct Storage {
        var machine: CircuitMachine
        /// Changes that are not posted yet, in order.
        var changes: [CircuitChanged] = []
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
    /// The machine's `closedEra`, 0 while it is not closed; written under the lock, read by every call without it.
    private let closedEra = Atomic<Int>(1)
    /// The machine's `healthySlot`, `Int.min` if it is nil; written under the lock, read by every success without it.
    private let healthySlot = Atomic<Int>(0)
    /// The successes of that slot that the machine has not counted yet.
    private let successes = Atomic<Int>(0)
    private let trial = TaskLocal<Trial?>(wrappedValue: nil)

    private let matches: @Sendable (any Error) -> Bool
    private let division: CallWindow.Division
    private let now: @Sendable () -> Duration
    private let notices: CircuitNotices

    /// Makes a closed circuit.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - ratio: Which part of the calls must have failed for the circuit to open; above 0, and at most 1.
    ///   - minimumCalls: How many calls must have ended for the circuit to open; at least 1. Of fewer calls, a ratio
    ///     says too little.
    ///   - window: The time within which these calls must have ended; positive. It moves in steps of a tenth, so a call
    ///     counts for at least nine tenths of it.
    ///   - openPeriod: How long the open circuit refuses calls before a trial call; not negative.
    ///   - counting: The errors that count as failures. A call that throws another error counts as one that has not
    ///     failed. These calls do not count at all: one that ends with a cancellation, one that throws in a cancelled
    ///     task, and one whose error is ``CircuitOpen`` or ``CircuitChanged`` or wraps one of them.
    ///   - clock: The clock that measures the window and the open period; a test clock in tests.
    ///   - errors: Where changes are posted. `.ambient` is the bus that is bound where the circuit is made, for as long
    ///     as that bus lives; if there is none, it is the process's root bus at the time of the change, and if there is
    ///     none either, the last resort. It is never a scope, or a bus that a caller of ``run(_:)`` has bound.
    ///   - fileID: The file that posted changes name as their source.
    ///   - line: The line that posted changes name as their source.
    public init<Output, C: Clock>(
        _ name: String, opensAt ratio: Double = 0.5, of minimumCalls: Int = 10,
        within window: Duration = .seconds(10), openFor openPeriod: Duration = .seconds(5),
        counting: ErrorMatcher<Output>, clock: C = ContinuousClock(), errors: any ErrorPosting = .ambient,
        fileID: String = #fileID, line: UInt = #line
    ) where C.Duration == Duration {
        func refuse(_ message: String) -> Never { fatalError("CircuitBreaker(\(name)): \(message)") }
        if !(ratio > 0 && ratio <= 1) { refuse("opensAt must be a ratio above 0, at most 1, not \(ratio)") }
        if minimumCalls < 1 { refuse("of must be at least 1, not \(minimumCalls)") }
        if window <= .zero { refuse("within must be positive, but is \(window)") }
        if openPeriod < .zero { refuse("openFor must not be negative, but is \(openPeriod)") }
        self.name = name
        let machine = CircuitMachine(opensAt: ratio, of: minimumCalls, within: window, openFor: openPeriod)
        storage = Locked(Storage(machine: machine))
        division = CallWindow.Division(of: window)
        matches = { counting.match($0) != nil }
        let start = clock.now
        now = { start.duration(to: clock.now) }
        notices = CircuitNotices(errors, source: .init(fileID: fileID, line: line))
    }

    /// The circuit's state.
    ///
    /// After the open period the state stays `.open` until the next call.
    public var state: CircuitChanged.State { storage.withLock { $0.machine.state } }

    /// Opens the circuit by hand: the open period begins now, and a trial call follows it as usual.
    ///
    /// Refusals have a ``CircuitChanged`` as their cause, and the posted change has none. In an open circuit the open
    /// period begins again, and nothing is posted. The end of a trial call that is under way does not count.
    public func open() {
        let (reason, now) = (CircuitChanged(name: name, state: .open), now())
        change { ((), $0.open(because: reason, at: now)) }
    }

    /// Closes the circuit by hand, and forgets the calls that it has counted.
    ///
    /// In a closed circuit nothing is posted. The ends of calls that are under way do not count.
    public func close() {
        change { ((), $0.close()) }
    }

    /// Runs an operation, or throws ``CircuitOpen`` if the circuit refuses.
    ///
    /// - Parameter operation: The operation. It keeps the caller's isolation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, unchanged; ``CircuitOpen`` if the operation was not run.
    /// - Complexity: In a closed circuit, while no call in the window has failed, an operation that succeeds costs one
    ///   read of the clock and a few atomic operations more, and no allocation.
    @inlinable
    public func run<T>(_ operation: () async throws -> T) async throws -> T {
        guard let era = currentEra else { return try await runUnlessRefused(operation) }
        return try await run(operation, in: era)
    }
}

extension CircuitBreaker {
    /// The number of this time for which the circuit is closed; nil while it is not.
    ///
    /// A call that races with the opening of the circuit passes, as if it had begun before.
    @usableFromInline
    var currentEra: Int? {
        let era = closedEra.load(ordering: .acquiring)
        return era == 0 ? nil : era
    }

    /// Runs an operation in a closed circuit.
    @inlinable
    func run<T>(_ operation: () async throws -> T, in era: Int) async throws -> T {
        let result: T
        do {
            result = try await operation()
        } catch {
            failed(error, in: era)
            throw error
        }
        succeeded(in: era)
        return result
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
            return try await run(operation, in: era)
        case .tries(let number):
            return try await run(operation, asTrial: number)
        }
    }

    private func run<T>(_ operation: () async throws -> T, asTrial number: UInt64) async throws -> T {
        var end = CircuitMachine.End.success
        defer {
            let now = now()
            change { ((), $0.endTrial(number, end, at: now)) }
        }
        do {
            return try await trial.binding(Trial(number: number, circuit: self), isolation: #isolation, operation)
        } catch {
            end = self.end(error)
            throw error
        }
    }

    @usableFromInline
    func succeeded(in era: Int) {
        // An earlier era's success does not count. One that races with a change may: it is one call of many.
        guard currentEra == era else { return }
        let now = now()
        if division.slot(at: now) == healthySlot.load(ordering: .acquiring) {
            successes.add(1, ordering: .relaxed)
        } else {
            change { ((), $0.end(.success, in: era, at: now)) }
        }
    }

    @usableFromInline
    func failed(_ error: any Error, in era: Int) {
        let (end, now) = (end(error), now())
        change { ((), $0.end(end, in: era, at: now)) }
    }

    /// Returns how a call of this task has ended that threw an error.
    ///
    /// It calls the error's own code, so it must not be called under the lock.
    private func end(_ error: any Error) -> CircuitMachine.End {
        // What a cancelled call throws says nothing of what it called.
        if Task.isCancelled || isCancellation(error) { return .cancellation }
        if Self.ofCircuits.match(error) != nil { return .refusal }
        guard matches(error) else { return .otherError }
        // An error that came through a continuation may be boxed: unbox it.
        let unboxed = ErrorMatcher.any.match(error) ?? error
        return .failure(CircuitMachine.Failure(error: unboxed, retryAfter: serverHint(of: error)))
    }

    /// Matches underlying errors too: a wrapped refusal is not a failure of the dependency either.
    private static let ofCircuits = ErrorMatcher<any Error>.anywhere(
        .type(CircuitOpen.self) || .type(CircuitChanged.self))

    /// Changes the machine under the lock, and announces the change of state, if there is one, after unlocking.
    private func change<Result>(_ body: (inout CircuitMachine) -> (Result, CircuitMachine.Change)) -> Result {
        // The change is returned too, so that the error that it releases is released here.
        let (result, change, isToAnnounce) = storage.withLock { storage in
            storage.machine.countSuccesses(successes.exchange(0, ordering: .relaxed))
            let (result, change) = body(&storage.machine)
            healthySlot.store(storage.machine.healthySlot ?? .min, ordering: .releasing)
            closedEra.store(storage.machine.closedEra ?? 0, ordering: .releasing)
            guard let state = change.state else { return (result, change, false) }
            storage.changes.append(CircuitChanged(name: name, state: state, cause: change.cause))
            defer { storage.isAnnouncing = true }
            return (result, change, !storage.isAnnouncing)
        }
        withExtendedLifetime(change) { if isToAnnounce { announce() } }
        return result
    }

    /// Posts the changes in order, without the lock, also the changes that arrive meanwhile.
    private func announce() {
        while let change = storage.withLock({ storage -> CircuitChanged? in
            storage.isAnnouncing = !storage.changes.isEmpty
            return storage.isAnnouncing ? storage.changes.removeFirst() : nil
        }) {
            notices.post(change)
        }
    }
}
