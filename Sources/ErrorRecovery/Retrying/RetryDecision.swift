/// Whether an operation is tried again after an error: what the rules of a ``RetryPolicy`` return.
public enum RetryDecision: Sendable, Hashable {
    /// It is not tried again.
    case fail
    /// It is tried again after the delay that the error asks for by ``RetryAfterProviding``, else after the policy's.
    ///
    /// `cost` is what the retry takes from a ``RetryBudget``; at least 1.
    case retry(cost: Int = 1)
    /// It is tried again after this delay, whatever the error asks for and the policy's backoff says.
    ///
    /// The delay is a hint as a server's is: no jitter is taken off it, a negative one is zero, and one beyond
    /// ``RetryPolicy/longestHint`` ends the attempts. `cost` is what the retry takes from a ``RetryBudget``; at least
    /// 1.
    case retryAfter(Duration, cost: Int = 1)
}

/// An error that knows by itself whether trying again may help.
///
/// ``RetryPolicy/default`` and ``RetryPolicy/aggressive`` ask it; a policy of one's own does with the rule
/// `.on(matching: .conforming(to: (any RetryClassified).self)) { $0.retryDecision }`.
public protocol RetryClassified: Error {
    /// What the error advises. Asked once for each attempt that failed; it should be cheap and change nothing.
    var retryDecision: RetryDecision { get }
}

/// An error that says when trying again makes sense, as a server does with `Retry-After`.
///
/// It does not make the error one that is retried: that is for the rules to say. If they do, the hint takes the place
/// of the computed delay.
public protocol RetryAfterProviding: Error {
    /// How long to wait; nil where the error does not say. A negative hint is taken for zero.
    var retryAfter: Duration? { get }
}
