public import ErrorRouting

/// Decides whether, when, and how often an operation is retried: rules by error, a backoff, and limits.
///
/// ```swift
/// static let payments = RetryPolicy(maxAttempts: 4, budget: RetryBudget(), deadline: .seconds(10))
///     .retrying(Timeout.self, cost: 2)
///     .notRetrying(PaymentError.declined)
/// ```
///
/// Retry only operations that are safe to run twice. Writing `retry` around an operation declares that it is, so by
/// default a policy retries every error except those that ``classified`` lists as final. Rules that you add are tried
/// before the rules of ``classified``.
///
/// The rules are an `ErrorMap` and use the same matchers as error handlers. The rule registered last is tried first,
/// and ``explain(_:)`` shows which rule decides. A policy is a value: build it once and share it. `retrying` and
/// `notRetrying` return a new policy.
///
/// Some errors are never retried, regardless of the rules: a cancellation, and an error that forbids retries or wraps
/// an error that does (``RetryClassified/forbidsRetry``).
public struct RetryPolicy: Sendable {
    /// How often the operation is tried, including the first time; at least 1.
    public var maxAttempts: Int { didSet { check() } }

    /// How long to wait before each retry, unless a hint is longer or a rule has its own delay.
    public var backoff: Backoff

    /// The rules that decide which errors are retried, with a default for errors that no rule matches.
    public var decisions: ErrorMap<RetryDecision>

    /// The budget that limits the retries of all callers that share it; nil for no limit.
    public var budget: RetryBudget?

    /// The longest hint to obey, not counting the added jitter; not negative.
    ///
    /// If a hint is longer, no further attempt is made, because it would begin before the time that the server
    /// requested.
    public var maxRetryAfter: Duration { didSet { check() } }

    /// How long after the start of the call another attempt may begin, on the call's clock; nil for no limit, not
    /// negative.
    ///
    /// No retry begins at or after the deadline. The deadline doesn't interrupt a running attempt: the last attempt can
    /// take any amount of time, so give the operation its own time limit. The first attempt is always made, because
    /// otherwise there would be no error to throw.
    public var deadline: Duration? { didSet { check() } }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - maxAttempts: How often the operation is tried, including the first time; at least 1.
    ///   - backoff: How long to wait before each retry.
    ///   - decisions: Which errors are retried; by default ``classified``.
    ///   - budget: The budget that limits the retries of all callers that share it; nil for no limit.
    ///   - maxRetryAfter: The longest hint to obey; not negative.
    ///   - deadline: How long after the start of the call another attempt may begin; nil for no limit, not negative.
    public init(
        maxAttempts: Int = 3, backoff: Backoff = .exponential(),
        decisions: ErrorMap<RetryDecision> = classified, budget: RetryBudget? = nil,
        maxRetryAfter: Duration = .seconds(60), deadline: Duration? = nil
    ) {
        (self.maxAttempts, self.backoff, self.decisions) = (maxAttempts, backoff, decisions)
        (self.budget, self.maxRetryAfter, self.deadline) = (budget, maxRetryAfter, deadline)
        check()
    }

    /// A policy with 3 attempts and a backoff that begins at 1 second and doubles, up to 30 seconds.
    public static let `default` = RetryPolicy()

    /// A policy with 5 attempts and a backoff that begins at 0.5 seconds and doubles, up to 60 seconds.
    public static let aggressive = RetryPolicy(
        maxAttempts: 5, backoff: .exponential(from: .milliseconds(500), upTo: .seconds(60)))

    /// The decisions that a policy uses by default.
    ///
    /// An error that is ``RetryClassified`` makes its own decision. `DecodingError` and `EncodingError` are final,
    /// because the same value would fail again. Every other error is retried.
    public static let classified = ErrorMap(default: RetryDecision.retry())
        .on(DecodingError.self, .fail).on(EncodingError.self, .fail)
        .on(matching: .conforming(to: (any RetryClassified).self)) { $0.retryDecision }

    /// Explains which rule decides whether an error is retried.
    ///
    /// The explanation covers only rules, not the attempts, the budget, or the deadline: the decision that `retry`
    /// passes to its `onStep` considers these too. For a cancellation, or an error that forbids retries, the first
    /// entry is the built-in rule that prevents the retry.
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
        if maxRetryAfter < .zero {
            fatalError("RetryPolicy.maxRetryAfter must not be negative, but is \(maxRetryAfter)")
        }
        if let deadline, deadline < .zero {
            fatalError("RetryPolicy.deadline must not be negative, but is \(deadline)")
        }
    }
}

/// The decision of a ``RetryPolicy`` rule: whether an operation is retried after an error.
public enum RetryDecision: Sendable, Hashable {
    /// The operation isn't tried again.
    case fail
    /// The operation is tried again after the policy's backoff or the error's hint (``RetryAfterProviding``), whichever
    /// is longer.
    ///
    /// `cost` is how many tokens the retry withdraws from a ``RetryBudget``; at least 1.
    case retry(cost: Int = 1)
    /// The operation is tried again after this delay. The error's own hint and the policy's backoff are ignored.
    ///
    /// The delay has no jitter. A negative delay counts as zero. If the delay is longer than
    /// ``RetryPolicy/maxRetryAfter``, no further attempt is made. `cost` is how many tokens the retry withdraws from a
    /// ``RetryBudget``; at least 1.
    case retryAfter(Duration, cost: Int = 1)
}

/// An error that carries its own retry decision.
///
/// Every policy uses the decision unless a rule was added for the error, or the policy was created with other
/// `decisions`.
public protocol RetryClassified: Error {
    /// The error's decision. It is read at least once for each failed attempt, so make it cheap and free of side
    /// effects.
    var retryDecision: RetryDecision { get }

    /// Whether the operation must not be tried again, regardless of the policy's rules; false by default.
    ///
    /// Return true if another attempt could repeat an effect: the server might have accepted an order although the
    /// request timed out. The value also applies to errors that wrap this error, if `ErrorMatcher.anywhere` finds it
    /// there; a class that wraps an error must conform to `UnderlyingErrorsProviding`. It doesn't apply to a
    /// `CircuitOpen`, or to an error that wraps only a `CircuitOpen`: its cause is an earlier call's error.
    var forbidsRetry: Bool { get }
}

extension RetryClassified {
    /// False.
    public var forbidsRetry: Bool { false }
}

/// An error that contains a hint about when to try again, such as a server's `Retry-After`.
///
/// The hint doesn't decide whether the error is retried: the rules do. If they retry it, the hint is the minimum delay.
/// Up to a quarter of the hint is added as jitter, unless the policy's backoff has no jitter, so that the clients of a
/// restarting server don't all return at the same time. If the backoff's delay is longer, it is used instead.
public protocol RetryAfterProviding: Error {
    /// How long to wait; nil if the error has no hint. A negative hint counts as zero.
    var retryAfter: Duration? { get }
}

/// Returns whether an error means that work was cancelled.
func isCancellation(_ error: any Error) -> Bool { cancellation.match(error) != nil }

private let cancellation = ErrorMatcher.cancellation

/// Returns an error's hint; nil if it has none.
func serverHint(of error: any Error) -> Duration? { provider.match(error)?.retryAfter }

private let provider = ErrorMatcher<any RetryAfterProviding>.conforming(to: (any RetryAfterProviding).self)
