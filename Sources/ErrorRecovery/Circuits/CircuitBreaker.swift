import BoundedDescriptions
public import ErrorRouting
import Synchronization

/// A circuit breaker, which refuses calls to a failing dependency until a trial call succeeds.
///
/// ```swift
/// let payments = CircuitBreaker("payments", counting: .type(Timeout.self) || .type(ConnectionLost.self))
/// let receipt = try await payments.run { try await client.charge(order) }
/// ```
///
/// The circuit counts the calls of ``run(_:)`` that ended within the window. It opens when there are enough calls and
/// enough of them failed. An open circuit refuses every call with ``CircuitOpen`` until the open period is over. The
/// first call after the open period is a trial call, and all other calls are refused until it ends. If the trial call
/// succeeds, the circuit closes. If it fails or is cancelled, another open period begins. If it throws an error that
/// doesn't count as a failure, the next call is the trial call. A trial call without a time limit can block all other
/// callers forever. A call that began before the circuit closed doesn't open it again.
///
/// Set a call's time limit inside the circuit. A limit around the circuit cancels the call, and an error in a cancelled
/// task doesn't count, because it doesn't show anything about the dependency.
///
/// A call that a trial call makes through the same circuit, such as a token refresh, is part of the trial call: it
/// isn't refused, and only the outcome of the trial call counts. In a closed circuit, a call within another call counts
/// separately.
///
/// The circuit posts each state change once, in order, as ``CircuitChanged`` with the role `.notice`. It always posts
/// to the `errors` that it was created with, never to a caller's scope.
public final class CircuitBreaker: Sendable {
    /// The circuit's name, which errors and descriptions show.
    public let name: String

    /// The state under the lock.
    ///
    /// No user code runs while the lock is held.
    private struct Storage {
        var machine: CircuitMachine
        /// Changes that haven't been posted yet, in order.
        var changes: [CircuitChanged] = []
        /// Whether a caller is posting the changes.
        var isAnnouncing = false
    }

    /// The trial call that a task belongs to, which might have ended.
    ///
    /// The value retains the circuit because a task-local is identified by its address, and another circuit must not
    /// reuse that address.
    private struct Trial: Sendable {
        let number: UInt64
        let circuit: CircuitBreaker
    }

    private let storage: Locked<Storage>
    /// The machine's `closedEra`, or 0 while the circuit isn't closed.
    ///
    /// Written under the lock, but read by every call without the lock.
    private let closedEra = Atomic<Int>(1)
    /// The machine's `healthySlot`, or `Int.min` for nil.
    ///
    /// Written under the lock, but read by every successful call without the lock.
    private let healthySlot = Atomic<Int>(0)
    /// The successes in the healthy slot that the machine hasn't counted yet.
    private let successes = Atomic<Int>(0)
    private let trial = TaskLocal<Trial?>(wrappedValue: nil)

    private let matches: @Sendable (any Error) -> Bool
    private let division: CallWindow.Division
    private let now: @Sendable () -> Duration
    private let notices: CircuitNotices

    /// Creates a closed circuit.
    ///
    /// - Parameters:
    ///   - name: The circuit's name.
    ///   - counting: The errors that count as failures. A call that throws another error counts as a call that didn't
    ///     fail. Three kinds of calls don't count at all: calls that end with a cancellation, calls that throw in a
    ///     cancelled task, and calls that throw ``CircuitOpen``, ``CircuitChanged``, or an error that wraps one of
    ///     them.
    ///   - failureRatio: The share of failed calls at which the circuit opens; above 0 and at most 1.
    ///   - minimumCalls: How many calls must have ended before the circuit can open; at least 1. With fewer calls, the
    ///     ratio isn't significant.
    ///   - window: How long a call counts after it ended; positive. The window moves in tenths of its length, so a call
    ///     counts for at least nine tenths of it.
    ///   - openPeriod: How long the open circuit refuses calls before it admits a trial call; not negative.
    ///   - jitter: The largest share of the open period by which it is randomly longer or shorter; from 0 to 1. Jitter
    ///     keeps clients that lost the dependency at the same time from making their trial calls at the same time.
    ///   - clock: The clock that measures the window and the open period; a test clock in tests.
    ///   - errors: Where to post state changes. With `.ambient`, the circuit posts to the first of these that exists at
    ///     the time of the change: the bus that was bound when the circuit was created, the root bus, the last resort.
    ///     It never posts to a scope, or to a bus that a caller of ``run(_:)`` bound.
    ///   - fileID: The source file in the reports of state changes.
    ///   - line: The source line in the reports of state changes.
    public init<Output, C: Clock>(
        _ name: String, counting: ErrorMatcher<Output>, failureRatio: Double = 0.5, minimumCalls: Int = 10,
        window: Duration = .seconds(10), openPeriod: Duration = .seconds(5), jitter: Double = 0.1,
        clock: C = ContinuousClock(), errors: any ErrorPosting = .ambient,
        fileID: String = #fileID, line: UInt = #line
    ) where C.Duration == Duration {
        func refuse(_ message: String) -> Never { fatalError("CircuitBreaker(\(name)): \(message)") }
        if !(failureRatio > 0 && failureRatio <= 1) {
            refuse("failureRatio must be above 0 and at most 1, not \(failureRatio)")
        }
        if minimumCalls < 1 { refuse("minimumCalls must be at least 1, not \(minimumCalls)") }
        if window <= .zero { refuse("window must be positive, but is \(window)") }
        if openPeriod < .zero { refuse("openPeriod must not be negative, but is \(openPeriod)") }
        if !(0...1).contains(jitter) { refuse("jitter must be 0 to 1, not \(jitter)") }
        self.name = name
        let machine = CircuitMachine(
            failureRatio: failureRatio, minimumCalls: minimumCalls, window: window, openPeriod: openPeriod,
            jitter: jitter)
        storage = Locked(Storage(machine: machine))
        division = CallWindow.Division(of: window)
        matches = { counting.match($0) != nil }
        let start = clock.now
        now = { start.duration(to: clock.now).bounded }
        notices = CircuitNotices(errors, source: .init(fileID: fileID, line: line))
    }

    /// The circuit's state.
    ///
    /// After the open period, the state stays `.open` until the next call.
    public var state: CircuitChanged.State { storage.withLock { $0.machine.state } }

    /// Refuses all calls until ``close()``, such as during maintenance of the dependency.
    ///
    /// There is no trial call. Refusals have a ``CircuitChanged`` as their cause, but the posted change doesn't have a
    /// cause. Calls in progress don't count when they end. Isolating an isolated circuit has no effect.
    public func isolate() {
        let reason = CircuitChanged(name: name, state: .isolated)
        change { machine, _ in ((), machine.isolate(because: reason)) }
    }

    /// Closes the circuit by hand and discards the counted calls, even if the circuit is isolated.
    ///
    /// A closed circuit posts nothing. Calls in progress don't count when they end.
    public func close() {
        change { machine, _ in ((), machine.close()) }
    }

    /// Runs an operation, or throws ``CircuitOpen`` if the circuit refuses the call.
    ///
    /// - Parameter operation: Runs in the caller's isolation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, unchanged; ``CircuitOpen`` if the circuit refused the call.
    /// - Complexity: In a closed circuit without failures in the window, a successful call adds one read of the clock
    ///   and a few atomic operations, and no allocation.
    @inlinable
    public func run<T>(_ operation: () async throws -> T) async throws -> T {
        guard let era = currentEra else { return try await runUnlessRefused(operation) }
        return try await run(operation, in: era)
    }
}

extension CircuitBreaker {
    /// The counts of a circuit's calls.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// How many calls ended within the window; 0 unless the circuit is closed.
        public let calls: Int
        /// How many calls in the window failed.
        public let failures: Int
        /// How many calls the circuit refused since it was created.
        public let refused: Int

        /// The share of the calls in the window that failed; 0 if there are no calls.
        public var ratio: Double { calls == 0 ? 0 : Double(failures) / Double(calls) }

        /// `40 calls in the window, 2 failed, 0 refused`.
        public var description: String { "\(calls) calls in the window, \(failures) failed, \(refused) refused" }
    }

    /// The counts of this circuit's calls, as of now.
    public var statistics: Statistics {
        let now = now()
        let counts = change { machine, _ in (machine.counts(at: now), CircuitMachine.Change()) }
        return Statistics(calls: counts.calls, failures: counts.failures, refused: counts.refused)
    }

    /// Unavailable: use ``isolate()``.
    @available(
        *, unavailable, renamed: "isolate()", message: "an open circuit makes a trial call after its open period"
    )
    public func open() {}
}

extension CircuitBreaker: CustomStringConvertible {
    /// The name and the state, as in `circuit payments is open`; the name is escaped and truncated.
    public var description: String { CircuitChanged(name: OneLine.escaped(name), state: state).description }
}

extension CircuitBreaker {
    /// The number of the current closed period; nil while the circuit isn't closed.
    ///
    /// A call that races with the opening of the circuit is admitted, as if it had begun earlier.
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

    /// Runs an operation as a trial call or within one, or throws a refusal; called if the circuit wasn't closed.
    @usableFromInline
    func runUnlessRefused<T>(_ operation: () async throws -> T) async throws -> T {
        let (now, enclosing) = (now(), trial.get()?.number)
        switch change({ machine, _ in machine.admit(within: enclosing, at: now) }) {
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
            change { ((), $0.endTrial(number, end, at: now, using: &$1)) }
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
        // Ignore a success of an earlier closed period. A success that races with a state change might still count,
        // which is harmless because one success among many changes little.
        guard currentEra == era else { return }
        let now = now()
        if division.slot(at: now) == healthySlot.load(ordering: .acquiring) {
            successes.add(1, ordering: .relaxed)
        } else {
            change { ((), $0.end(.success, in: era, at: now, using: &$1)) }
        }
    }

    @usableFromInline
    func failed(_ error: any Error, in era: Int) {
        let (end, now) = (end(error), now())
        change { ((), $0.end(end, in: era, at: now, using: &$1)) }
    }

    /// Returns how a call in the current task ended, given the error that it threw.
    ///
    /// Don't call this method under the lock, because it runs the error's own code.
    private func end(_ error: any Error) -> CircuitMachine.End {
        // Don't count the error of a cancelled call: it doesn't show anything about the dependency.
        if Task.isCancelled || isCancellation(error) { return .cancellation }
        if Self.ofCircuits.match(error) != nil { return .refusal }
        guard matches(error) else { return .otherError }
        // Unbox the error: passing through a continuation might have wrapped it in another existential box.
        let unboxed = ErrorMatcher.any.match(error) ?? error
        return .failure(CircuitMachine.Failure(error: unboxed, retryAfter: serverHint(of: error)?.bounded))
    }

    /// Matches underlying errors too: a wrapped refusal isn't a failure of the dependency either.
    private static let ofCircuits = ErrorMatcher<any Error>.anywhere(
        .type(CircuitOpen.self) || .type(CircuitChanged.self))

    /// Changes the machine under the lock, and posts any state change after unlocking.
    private func change<Result>(
        _ body: (inout CircuitMachine, inout SystemRandomNumberGenerator) -> (Result, CircuitMachine.Change)
    ) -> Result {
        var generator = SystemRandomNumberGenerator()
        // Return the change too, so that its error is released here, after unlocking.
        let (result, change, shouldAnnounce) = storage.withLock { storage in
            storage.machine.countSuccesses(successes.exchange(0, ordering: .relaxed))
            let (result, change) = body(&storage.machine, &generator)
            healthySlot.store(storage.machine.healthySlot ?? .min, ordering: .releasing)
            closedEra.store(storage.machine.closedEra ?? 0, ordering: .releasing)
            guard let state = change.state else { return (result, change, false) }
            storage.changes.append(CircuitChanged(name: name, state: state, cause: change.cause))
            defer { storage.isAnnouncing = true }
            return (result, change, !storage.isAnnouncing)
        }
        withExtendedLifetime(change) { if shouldAnnounce { announce() } }
        return result
    }

    /// Posts changes in order and without the lock, including changes that arrive during the call.
    private func announce() {
        while let change = storage.withLock({ storage -> CircuitChanged? in
            storage.isAnnouncing = !storage.changes.isEmpty
            return storage.isAnnouncing ? storage.changes.removeFirst() : nil
        }) {
            notices.post(change)
        }
    }
}
