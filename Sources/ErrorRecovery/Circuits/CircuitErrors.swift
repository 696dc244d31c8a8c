public import ErrorRouting

/// A ``CircuitBreaker`` has changed its state; what it posts, so that rules and observers learn of it.
///
/// It never counts as a failure, for this breaker or another one.
public struct CircuitChanged: Error, UnderlyingErrors, CustomStringConvertible {
    /// What a circuit does with attempts.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It lets them through.
        case closed
        /// It refuses them.
        case open
        /// It lets one through as a trial, and refuses the others.
        case halfOpen
    }

    /// The breaker's name.
    public let name: String
    /// The state that it has now.
    public let state: State
    /// The failure by which the circuit opened last: where it is closed, what it has recovered from.
    public let cause: (any Error)?

    /// Describes a change, for tests and fakes.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - state: The state that it has now.
    ///   - cause: The failure by which the circuit opened last.
    public init(name: String, state: State, cause: (any Error)? = nil) {
        self.name = name
        self.state = state
        self.cause = cause
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

/// A ``CircuitBreaker`` has refused an attempt: the operation was not run.
///
/// It never counts as a failure, for this breaker or another one.
public struct CircuitOpen: Error, RetryAfterProviding, UnderlyingErrors, CustomStringConvertible {
    /// The breaker's name.
    public let name: String
    /// What is left of the pause; nil while a trial is under way, whose end nobody knows.
    public let retryAfter: Duration?
    /// The failure by which the circuit opened last.
    public let cause: any Error

    /// Describes a refusal, for tests and fakes.
    ///
    /// - Parameters:
    ///   - name: The breaker's name.
    ///   - retryAfter: What is left of the pause; nil while a trial is under way.
    ///   - cause: The failure by which the circuit opened last.
    public init(name: String, retryAfter: Duration?, cause: any Error) {
        self.name = name
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// The cause, so that `anywhere` and reports find it.
    public var underlyingErrors: [any Error] { [cause] }

    /// `circuit payments is open for another 4.5 seconds`.
    public var description: String {
        guard let retryAfter else { return "circuit \(name) is open while a trial is under way" }
        return "circuit \(name) is open for another \(retryAfter)"
    }
}
