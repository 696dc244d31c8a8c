import ErrorRouting
import Synchronization

/// A limit on the combined retries of all callers, so that retries don't multiply the load during an outage.
///
/// The budget is a bucket of tokens that callers share. Every call deposits a fraction of a token, and every retry
/// withdraws its cost, by default one token. While most calls succeed, the bucket is full and every retry is granted.
/// When most calls fail, the bucket empties and only a fraction of the calls is retried. With any number of callers:
///
///     attempts ≤ (1 + ratio) × calls + reserve
///
/// Give one budget to all policies for one dependency:
///
/// ```swift
/// let payments = RetryPolicy(budget: RetryBudget())
/// ```
///
/// If a call runs within an attempt of another call on the same budget, it is part of that attempt. This applies to the
/// attempt's task and to all tasks that inherit its task-local values. So if each of three attempts makes three
/// attempts, nine requests are sent only if the bucket contains enough tokens for eight retries. An inner call differs
/// from an outer call:
///
/// - It doesn't deposit tokens. Only the outermost call deposits, and only it counts as a call in the bound above.
/// - Within a first attempt, its own first attempt is free, like the first attempt of an outermost call.
/// - Within a retry, its first attempt repeats an earlier request, so it withdraws a token as a retry does. The attempt
///   is made even if the bucket is empty, because there is no error to throw instead. The bucket's balance then becomes
///   negative, and no retry is granted until calls have deposited the missing tokens.
///
/// An attempt that a ``CircuitBreaker`` refuses doesn't send a request, so its tokens pay for the next attempt. If
/// there is no next attempt, they return to the bucket.
///
/// The idea comes from Finagle's retry budget and gRPC's retry throttling. The bucket is one atomic word. A call that
/// finds the bucket full only reads that word, so concurrent calls don't contend for its cache line.
public final class RetryBudget: Sendable {
    /// How many parts a token has.
    ///
    /// This number makes a ratio of 0.1 a whole number of parts.
    private static let token: Int64 = 1_000_000_000

    /// How many tokens each call deposits.
    let ratio: Double
    /// How many tokens the bucket starts with and can hold.
    let reserve: Int

    private let deposited: Int64
    private let capacity: Int64
    private let bucket: Atomic<Int64>

    // These counters are only for `statistics`, and are written only after failures.
    private let granted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - ratio: How many tokens every call deposits, from 0 to 1. It is rounded down to billionths.
    ///   - reserve: How many tokens the bucket starts with and can hold, from 0 to 1,000,000,000. With zero, no call is
    ///     ever retried.
    public init(ratio: Double = 0.1, reserve: Int = 10) {
        if !(0...1).contains(ratio) { fatalError("RetryBudget(ratio:reserve:): ratio must be 0 to 1, not \(ratio)") }
        if !(0...1_000_000_000).contains(reserve) {
            fatalError("RetryBudget(ratio:reserve:): reserve must be 0 to 1,000,000,000, not \(reserve)")
        }
        self.ratio = ratio
        self.reserve = reserve
        let nearest = Int64((ratio * Double(Self.token)).rounded())
        // Round down: with a larger deposit, the bound wouldn't hold. For 0.1, the nearest value is exact.
        deposited = Double(nearest) / Double(Self.token) > ratio ? nearest - 1 : nearest
        capacity = Int64(reserve) * Self.token
        bucket = Atomic(capacity)
    }

    /// The attempt that a task belongs to, with the attempt's budget.
    ///
    /// The value retains the budget because a task-local is identified by its address, and another budget must not
    /// reuse that address.
    @usableFromInline
    struct Attempt: Sendable {
        let budget: RetryBudget
        /// The retry that the task belongs to; nil in a first attempt.
        let retry: Retry?
    }

    /// A retry on a budget.
    final class Retry: Sendable {
        /// Whether the retry has ended.
        ///
        /// After that, a task that is still running no longer belongs to the retry.
        let isOver = Atomic<Bool>(false)
    }

    /// The result of beginning a call.
    @usableFromInline
    struct Beginning {
        /// Whether the call isn't within another call on this budget.
        @usableFromInline let isOutermost: Bool
        /// The cost of the call's first attempt, in tokens.
        let paid: Int
    }

    /// The innermost attempt on this budget.
    @usableFromInline let attempt = TaskLocal<Attempt?>(wrappedValue: nil)

    /// The value of `attempt` during the first attempt of an outermost call.
    @usableFromInline var firstAttempt: Attempt { Attempt(budget: self, retry: nil) }

    /// Adds a call's deposit or, for a call within a retry on this budget, withdraws the cost of its first attempt.
    @usableFromInline
    func begin() -> Beginning {
        guard let enclosing = attempt.get(), enclosing.retry?.isOver.load(ordering: .relaxed) != true else {
            add(deposited)
            return .init(isOutermost: true, paid: 0)
        }
        if enclosing.retry == nil { return .init(isOutermost: false, paid: 0) }
        bucket.subtract(Self.token, ordering: .relaxed)
        granted.add(1, ordering: .relaxed)
        return .init(isOutermost: false, paid: 1)
    }

    /// Runs an operation as a retry on this budget.
    func retry<T, F: Error>(_ number: Int, _ operation: (_ attempt: Int) async throws(F) -> T) async throws(F) -> T {
        let retry = Retry()
        defer { retry.isOver.store(true, ordering: .relaxed) }
        return try await attempt.binding(Attempt(budget: self, retry: retry), isolation: #isolation) {
            () async throws(F) -> T in try await operation(number)
        }
    }

    /// Withdraws the cost of a retry in tokens, at least 1, and returns whether the bucket contained enough.
    func withdraw(_ cost: Int) -> Bool {
        if cost < 1 { fatalError("RetryBudget: the cost of a retry must be at least 1, not \(cost)") }
        let (parts, overflows) = Int64(cost).multipliedReportingOverflow(by: Self.token)
        let isGranted = !overflows && change { held in held >= parts ? held - parts : nil }
        if isGranted { granted.add(1, ordering: .relaxed) } else { refused.add(1, ordering: .relaxed) }
        return isGranted
    }

    /// Returns the cost of a retry to the bucket if the retry isn't made after all.
    func refund(_ cost: Int) {
        // This can't overflow: the same cost was withdrawn.
        add(Int64(cost) * Self.token)
        granted.subtract(1, ordering: .relaxed)
    }

    private func add(_ parts: Int64) {
        // This can't overflow: both `held` and `parts` are at most `capacity`.
        _ = change { held in held < capacity ? min(held + parts, capacity) : nil }
    }

    /// Changes the bucket's content unless `body` returns nil, and returns whether it changed.
    private func change(_ body: (Int64) -> Int64?) -> Bool {
        var held = bucket.load(ordering: .relaxed)
        while let desired = body(held) {
            let (exchanged, original) = bucket.weakCompareExchange(
                expected: held, desired: desired, ordering: .relaxed)
            if exchanged { return true }
            held = original
        }
        return false
    }
}

extension RetryBudget {
    /// The counts of a budget.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// The tokens in the bucket; negative if calls within retries withdrew more than it contained.
        public let available: Double
        /// How many retries were granted, plus how many calls within retries withdrew a token.
        public let granted: Int
        /// How many retries were refused, so that the error was thrown without another attempt.
        public let refused: Int

        /// `8.5 tokens available, 3 granted, 1 refused`.
        public var description: String { "\(available) tokens available, \(granted) granted, \(refused) refused" }
    }

    /// The budget's counts.
    ///
    /// While callers are retrying, the three numbers might come from different times.
    public var statistics: Statistics {
        Statistics(
            available: Double(bucket.load(ordering: .relaxed)) / Double(Self.token),
            granted: granted.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed))
    }
}
