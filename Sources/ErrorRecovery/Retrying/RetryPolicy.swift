public import ErrorRouting

/// Whether, when and how often an operation is tried again: rules by error, a backoff, and limits.
///
/// ```swift
/// static let payments = RetryPolicy(maxAttempts: 4, budget: RetryBudget(), deadline: .seconds(10))
///     .retrying(matching: .type(Timeout.self))
///     .failing(PaymentError.declined)
/// ```
///
/// The rules are an `ErrorMap`, tried last-registered first, with the matchers that error handlers have, and
/// ``explain(_:)`` says which one decides. A policy is a value, built once and shared; every verb returns a new one.
///
/// What is a cancellation is never retried, whatever the rules say.
public struct RetryPolicy: Sendable {
    /// How often the operation is tried, the first time included; at least 1.
    public var maxAttempts: Int { didSet { checkAttempts() } }

    /// How long to wait before each retry, where no hint says it.
    public var backoff: Backoff

    /// Which errors are retried: rules as anywhere, and a default for what none of them matches.
    public var decisions: ErrorMap<RetryDecision>

    /// What the retries of all who share it may cost; nil for no limit.
    public var budget: RetryBudget?

    /// The longest hint that is waited for; not negative.
    ///
    /// A hint beyond it ends the attempts: no attempt comes earlier than a server asked for.
    public var longestHint: Duration { didSet { checkLongestHint() } }

    /// How long all attempts and delays may take together, on the clock of the call; nil for no limit, not negative.
    ///
    /// No retry starts at or after it. The first attempt is always made: without it there is no error to throw.
    public var deadline: Duration? { didSet { checkDeadline() } }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maxAttempts: How often the operation is tried, the first time included; at least 1.
    ///   - backoff: How long to wait before each retry.
    ///   - decisions: Which errors are retried; none by default.
    ///   - budget: What the retries of all who share it may cost; nil for no limit.
    ///   - longestHint: The longest hint that is waited for; not negative.
    ///   - deadline: How long all attempts and delays may take together; nil for no limit, not negative.
    public init(
        maxAttempts: Int = 3,
        backoff: Backoff = .exponential(),
        decisions: ErrorMap<RetryDecision> = ErrorMap(default: .fail),
        budget: RetryBudget? = nil,
        longestHint: Duration = .seconds(60),
        deadline: Duration? = nil
    ) {
        self.maxAttempts = maxAttempts
        self.backoff = backoff
        self.decisions = decisions
        self.budget = budget
        self.longestHint = longestHint
        self.deadline = deadline
        checkAttempts()
        checkLongestHint()
        checkDeadline()
    }

    /// 3 attempts, delays of 1 second that double up to 30; retries what classifies itself, by ``RetryClassified``.
    public static let `default` = RetryPolicy(decisions: classified)

    /// 5 attempts, delays of half a second that double up to 60; retries what classifies itself.
    public static let aggressive = RetryPolicy(
        maxAttempts: 5,
        backoff: .exponential(from: .milliseconds(500), by: 2, upTo: .seconds(60)),
        decisions: classified
    )

    private static let classified = ErrorMap(default: RetryDecision.fail)
        .on(matching: .conforming(to: (any RetryClassified).self)) { $0.retryDecision }

    /// Says which rule decides about an error, rule by rule.
    ///
    /// It speaks of the rules alone: attempts, budget and deadline depend on the call, and its `onStep` tells of them.
    /// For a cancellation it begins with the rule that nobody can overrule.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        isCancellation(error) ? decisions.overlaid(with: Self.cancellation).explain(error) : decisions.explain(error)
    }

    private static let cancellation = ErrorMap(default: RetryDecision.fail)
        .on(matching: .cancellation, .fail)

    private func checkAttempts() {
        if maxAttempts < 1 { fatalError("RetryPolicy.maxAttempts must be at least 1, not \(maxAttempts)") }
    }

    private func checkLongestHint() {
        if longestHint < .zero { fatalError("RetryPolicy.longestHint must not be negative, but is \(longestHint)") }
    }

    private func checkDeadline() {
        if let deadline, deadline < .zero {
            fatalError("RetryPolicy.deadline must not be negative, but is \(deadline)")
        }
    }
}

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

/// Whether an error says that work was cancelled, and is no failure of what was tried.
func isCancellation(_ error: any Error) -> Bool { cancellation.match(error) != nil }

private let cancellation = ErrorMatcher.cancellation
