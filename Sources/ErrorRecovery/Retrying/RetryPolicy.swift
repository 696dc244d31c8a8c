public import ErrorRouting

/// Decides whether, when and how often an operation is tried again: rules by error, a backoff, and limits.
///
/// ```swift
/// static let payments = RetryPolicy(maxAttempts: 4, budget: RetryBudget(), deadline: .seconds(10))
///     .retrying(matching: .type(Timeout.self))
///     .failing(PaymentError.declined)
/// ```
///
/// The rules are an `ErrorMap` with the same matchers as error handlers; the rule registered last is tried first, and
/// ``explain(_:)`` says which rule decides. A policy is a value, built once and shared: `retrying` and `failing` return
/// a new policy.
///
/// A cancellation is never retried, whatever the rules say, and neither is an error that forbids it, or wraps one that
/// does (``RetryClassified/forbidsRetry``).
public struct RetryPolicy: Sendable {
    /// How often the operation is tried, the first time included; at least 1.
    public var maxAttempts: Int { didSet { check() } }

    /// How long to wait before each retry, unless a hint asks for more or a rule has a delay of its own.
    public var backoff: Backoff

    /// Which errors are retried: rules, and a default for errors that no rule matches.
    public var decisions: ErrorMap<RetryDecision>

    /// The budget that limits the retries of all callers who share it; nil for no limit.
    public var budget: RetryBudget?

    /// The longest hint that is obeyed, without the jitter that is added to it; not negative.
    ///
    /// A longer hint ends the attempts, so that no attempt begins earlier than the server asked for.
    public var longestHint: Duration { didSet { check() } }

    /// How long after the beginning of the call another attempt may begin, on the clock of the call; nil for no limit,
    /// not negative.
    ///
    /// No retry begins at or after the deadline. An attempt that runs isn't ended by it: the last attempt can take any
    /// time, so give the operation its own time limit. The first attempt is always made, because without it there is no
    /// error to throw.
    public var deadline: Duration? { didSet { check() } }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maxAttempts: How often the operation is tried, the first time included; at least 1.
    ///   - backoff: How long to wait before each retry.
    ///   - decisions: Which errors are retried; none by default.
    ///   - budget: The budget that limits the retries of all callers who share it; nil for no limit.
    ///   - longestHint: The longest hint that is obeyed; not negative.
    ///   - deadline: How long after the beginning of the call another attempt may begin; nil for no limit, not negative.
    public init(
        maxAttempts: Int = 3, backoff: Backoff = .exponential(),
        decisions: ErrorMap<RetryDecision> = ErrorMap(default: .fail), budget: RetryBudget? = nil,
        longestHint: Duration = .seconds(60), deadline: Duration? = nil
    ) {
        (self.maxAttempts, self.backoff, self.decisions) = (maxAttempts, backoff, decisions)
        (self.budget, self.longestHint, self.deadline) = (budget, longestHint, deadline)
        check()
    }

    /// A policy of 3 attempts with delays from 1 second, doubled up to 30; retries errors by their ``RetryClassified``.
    public static let `default` = RetryPolicy(decisions: classified)

    /// A policy of 5 attempts with delays from 0.5 seconds, doubled up to 60; retries errors by their
    /// ``RetryClassified``.
    public static let aggressive = RetryPolicy(
        maxAttempts: 5, backoff: .exponential(from: .milliseconds(500), upTo: .seconds(60)), decisions: classified)

    private static let classified = ErrorMap(default: RetryDecision.fail)
        .on(matching: .conforming(to: (any RetryClassified).self)) { $0.retryDecision }

    /// Returns an explanation of which rule decides about an error.
    ///
    /// Only rules are explained. Attempts, budget and deadline depend on the call, and are reported to its `onStep`.
    /// For a cancellation, and an error that forbids it, the first entry is the built-in rule that these fail.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        guard let never = [cancellation, forbidding].first(where: { $0.match(error) != nil }) else {
            return decisions.explain(error)
        }
        return decisions.on(matching: never, .fail).explain(error)
    }

    private func check() {
        if maxAttempts < 1 { fatalError("RetryPolicy.maxAttempts must be at least 1, not \(maxAttempts)") }
        if longestHint < .zero { fatalError("RetryPolicy.longestHint must not be negative, but is \(longestHint)") }
        if let deadline, deadline < .zero {
            fatalError("RetryPolicy.deadline must not be negative, but is \(deadline)")
        }
    }
}

/// Whether an operation is tried again after an error: the value of a ``RetryPolicy``'s rules.
public enum RetryDecision: Sendable, Hashable {
    /// The operation is not tried again.
    case fail
    /// The operation is tried again after the policy's backoff or, if that is longer, after the delay that the error
    /// provides (``RetryAfterProviding``).
    ///
    /// `cost` is how many tokens the retry costs in a ``RetryBudget``; at least 1.
    case retry(cost: Int = 1)
    /// The operation is tried again after this delay; the error's own hint and the policy's backoff are ignored.
    ///
    /// It has no jitter. A negative delay is zero, and a delay longer than ``RetryPolicy/longestHint`` ends the attempts.
    /// `cost` is how many tokens the retry costs in a ``RetryBudget``; at least 1.
    case retryAfter(Duration, cost: Int = 1)
}

/// An error that knows by itself whether trying again may help.
///
/// ``RetryPolicy/default`` and ``RetryPolicy/aggressive`` use its decision. Another policy uses it with the rule
/// `.on(matching: .conforming(to: (any RetryClassified).self)) { $0.retryDecision }` in its `decisions`.
public protocol RetryClassified: Error {
    /// The error's advice. Read once for each failed attempt; it should be cheap and have no side effects.
    var retryDecision: RetryDecision { get }

    /// Whether the operation must not be tried again, whatever a policy's rules say; false by default.
    ///
    /// True where another attempt could repeat an effect: an order that timed out may have been taken. It holds for an
    /// error that wraps this one too, as far as `ErrorMatcher.anywhere` looks: a class that wraps an error conforms to
    /// `UnderlyingErrors`. It does not hold for a circuit's refusal that is an error's only content, since its cause is
    /// another attempt's error.
    var forbidsRetry: Bool { get }
}

extension RetryClassified {
    /// False.
    public var forbidsRetry: Bool { false }
}

/// An error that says when trying again makes sense, as a server does with `Retry-After`.
///
/// The hint does not decide whether the error is retried: the rules do. If they retry it, the hint is a lower bound of
/// the delay. A quarter of it at most is added as jitter, unless the policy's backoff has none, so that the clients of a
/// server that restarts do not come back in one instant. The backoff's delay is used if it is longer.
public protocol RetryAfterProviding: Error {
    /// How long to wait; nil if the error does not say. A negative hint counts as zero.
    var retryAfter: Duration? { get }
}

/// Whether an error says that work was cancelled.
func isCancellation(_ error: any Error) -> Bool { cancellation.match(error) != nil }

private let cancellation = ErrorMatcher.cancellation

/// How long an error asks to wait; nil if it does not say.
func serverHint(of error: any Error) -> Duration? { provider.match(error)?.retryAfter }

private let provider = ErrorMatcher<any RetryAfterProviding>.conforming(to: (any RetryAfterProviding).self)
