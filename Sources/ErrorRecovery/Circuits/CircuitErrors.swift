public import ErrorRouting

/// A ``CircuitBreaker`` has changed its state, and posts this for rules and observers.
///
/// It never counts as a failure, for this breaker or another one.
public struct CircuitChanged: Error, UnderlyingErrors, CustomStringConvertible {
    /// The states of a circuit, by what it does with attempts.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// All attempts are let through.
        case closed
        /// All attempts are refused.
        case open
        /// One attempt is let through as a trial; the others are refused.
        case halfOpen
    }

    /// The breaker's name.
    public let name: String
    /// The new state.
    public let state: State
    /// The failure that opened the circuit; nil for other changes, so that rules for underlying errors run once.
    public let cause: (any Error)?

    /// Makes a change, for tests and fakes.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - state: The new state.
    ///   - cause: The failure that opened the circuit.
    public init(name: String, state: State, cause: (any Error)? = nil) {
        (self.name, self.state, self.cause) = (name, state, cause)
    }

    /// The cause, so that `anywhere` and reports find it.
    public var underlyingErrors: [any Error] { cause.map { [$0] } ?? [] }

    /// `circuit payments is open`.
    public var description: String {
        switch state {
        case .closed: "circuit \(name) is closed"
        case .open: "circuit \(name) is open"
        case .halfOpen: "circuit \(name) is half open"
        }
    }
}

/// A ``CircuitBreaker`` has refused an attempt and has not run the operation.
///
/// It never counts as a failure, for this breaker or another one.
public struct CircuitOpen: Error, RetryAfterProviding, UnderlyingErrors, CustomStringConvertible {
    /// The breaker's name.
    public let name: String
    /// How much of the open period is left, or of the wait that the cause asks for (``RetryAfterProviding``), if that is
    /// longer; nil while a trial is under way, because its end is not known, unless the cause asks to wait longer
    /// still.
    public let retryAfter: Duration?
    /// The failure that opened the circuit last; a ``CircuitChanged`` if ``CircuitBreaker/open()`` did.
    public let cause: any Error

    /// Makes a refusal, for tests and fakes.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - retryAfter: How long to wait; nil while a trial is under way.
    ///   - cause: The failure that opened the circuit last.
    public init(name: String, retryAfter: Duration?, cause: any Error) {
        (self.name, self.retryAfter, self.cause) = (name, retryAfter, cause)
    }

    /// The cause, so that `anywhere` and reports find it.
    public var underlyingErrors: [any Error] { [cause] }

    /// `circuit payments is open: retry after 4.5 seconds`.
    public var description: String {
        guard let retryAfter else { return "circuit \(name) is open while a trial is under way" }
        return "circuit \(name) is open: retry after \(retryAfter)"
    }
}
