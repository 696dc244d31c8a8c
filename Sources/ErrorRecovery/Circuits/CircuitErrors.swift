public import ErrorRouting

/// The notice that a ``CircuitBreaker`` posts for rules and observers when its state changes.
///
/// It never counts as a failure, in this circuit or in another circuit.
public struct CircuitChanged: Error, UnderlyingErrorsProviding, CustomStringConvertible {
    /// The states of a circuit.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The circuit admits all calls.
        case closed
        /// The circuit refuses all calls.
        case open
        /// The circuit admits one trial call and refuses the others.
        case halfOpen
        /// The circuit refuses all calls until ``CircuitBreaker/close()``.
        case isolated
    }

    /// The breaker's name.
    public let name: String
    /// The new state.
    public let state: State
    /// The failure that opened the circuit; nil for other changes.
    ///
    /// Other changes leave it out, so that rules for underlying errors run only once per failure.
    public let cause: (any Error)?

    /// Creates a change, for tests and fakes.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - state: The new state.
    ///   - cause: The failure that opened the circuit.
    public init(name: String, state: State, cause: (any Error)? = nil) {
        (self.name, self.state, self.cause) = (name, state, cause)
    }

    /// The cause, which lets `anywhere` and reports find it.
    public var underlyingErrors: [any Error] { cause.map { [$0] } ?? [] }

    /// `circuit payments is open`.
    public var description: String {
        switch state {
        case .closed: "circuit \(name) is closed"
        case .open: "circuit \(name) is open"
        case .halfOpen: "circuit \(name) is half open"
        case .isolated: "circuit \(name) is isolated"
        }
    }
}

/// The error of a call that a ``CircuitBreaker`` refused without running the operation.
///
/// It never counts as a failure, in this circuit or in another circuit. A ``RetryPolicy`` doesn't retry it unless a
/// rule matches it.
public struct CircuitOpen: Error, RetryAfterProviding, RetryClassified, UnderlyingErrorsProviding,
    CustomStringConvertible
{
    /// The breaker's name.
    public let name: String
    /// How long to wait: the rest of the open period or the rest of the cause's hint (``RetryAfterProviding``),
    /// whichever is longer.
    ///
    /// While a trial call is in progress, its end is unknown, so this is the rest of the hint, or nil if there is none.
    /// It is also nil if the circuit is isolated.
    public let retryAfter: Duration?
    /// The failure that last opened the circuit; a ``CircuitChanged`` if the circuit is isolated.
    public let cause: any Error

    /// Creates a refusal, for tests and fakes.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - retryAfter: How long to wait; nil if that is unknown.
    ///   - cause: The failure that last opened the circuit.
    public init(name: String, retryAfter: Duration?, cause: any Error) {
        (self.name, self.retryAfter, self.cause) = (name, retryAfter, cause)
    }

    /// The cause, which lets `anywhere` and reports find it.
    public var underlyingErrors: [any Error] { [cause] }

    /// `.fail`, because the circuit makes its own trial call after the open period.
    public var retryDecision: RetryDecision { .fail }

    /// `circuit payments is open: retry after 4.5 seconds`.
    public var description: String {
        if isIsolated { return "circuit \(name) is isolated" }
        guard let retryAfter else { return "circuit \(name) is open while a trial is under way" }
        return "circuit \(name) is open: retry after \(retryAfter.bounded)"
    }
}
