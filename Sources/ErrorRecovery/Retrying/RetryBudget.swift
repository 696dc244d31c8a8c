import ErrorRouting
import Synchronization

/// A limit on the retries of all callers together, so that retries do not multiply the load during an outage.
///
/// The budget is a bucket of tokens that callers share. Every call deposits a fraction of a token; every retry
/// withdraws its cost, one token by default. While most calls succeed, the bucket is full and every retry is granted.
/// When most calls fail, the bucket empties and only a fraction of them is retried. With any number of callers:
///
///     attempts ≤ (1 + ratio) × calls + reserve
///
/// Give one budget to all policies for one dependency:
///
/// ```swift
/// let payments = RetryPolicy(budget: RetryBudget())
/// ```
///
/// A call within an attempt of another call on the same budget is part of that attempt, in the attempt's own task and
/// in all tasks that inherit its task-locals. So three attempts of three attempts each make nine requests only if the
/// bucket holds enough for eight retries:
///
/// - It deposits nothing: only the outermost call does, and only that is a call in the bound above.
/// - Within a first attempt its own first attempt costs nothing, as without the call around it.
/// - Within a retry its first attempt repeats what was sent before, and so withdraws a token like a retry. It is made
///   even if the bucket is empty, because there is no error to throw in its place; then the bucket owes that token, and
///   grants nothing until calls have deposited it.
///
/// An attempt that a ``CircuitBreaker`` refuses sends nothing. What was withdrawn for it serves the next attempt, or is
/// given back if there is none.
///
/// The idea is that of Finagle's retry budget and of gRPC's retry throttling. The bucket is one atomic word: a call
/// that finds the bucket full only reads it, so concurrent calls do not contend for a written cache line.
public final class RetryBudget: Sendable {
    /// How many parts a token has; a ratio of 0.1 is a whole number of them.
    private static let token: Int64 = 1_000_000_000

    /// How many tokens every call deposits.
    let ratio: Double
    /// How many tokens the bucket starts with; it never holds more.
    let reserve: Int

    private let deposited: Int64
    private let capacity: Int64
    private let bucket: Atomic<Int64>

    // Counts for `statistics`; they decide nothing, and are written only after failures.
    private let granted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - ratio: How many tokens every call deposits: 0 to 1. Counted in billionths, rounded down.
    ///   - reserve: How many tokens the bucket starts with and can hold: 0 to 1,000,000,000. With zero, nothing is ever
    ///     retried.
    public init(ratio: Double = 0.1, reserve: Int = 10) {
        if !(0...1).contains(ratio) { fatalError("RetryBudget(ratio:reserve:): ratio must be 0 to 1, not \(ratio)") }
        if !(0...1_000_000_000).contains(reserve) {
            fatalError("RetryBudget(ratio:reserve:): reserve must be 0 to 1,000,000,000, not \(reserve)")
        }
        self.ratio = ratio
        self.reserve = reserve
        let nearest = Int64((ratio * Double(Self.token)).rounded())
        // Never more than the ratio, or the bound would not hold. For 0.1 the nearest value is exact.
        deposited = Double(nearest) / Double(Self.token) > ratio ? nearest - 1 : nearest
        capacity = Int64(reserve) * Self.token
        bucket = Atomic(capacity)
    }

    /// What a task knows of the attempt on a budget within which it runs.
    ///
    /// It retains the budget, since the address of the budget's task-local identifies the value.
    @usableFromInline
    struct Attempt: Sendable {
        let budget: RetryBudget
        /// The retry within which the task runs; nil in a first attempt.
        let retry: Retry?
    }

    /// A retry on a budget.
    final class Retry: Sendable {
        /// Whether it has ended: what a task does that outlives it is not part of it.
        let isOver = Atomic<Bool>(false)
    }

    /// How a call begins.
    @usableFromInline
    struct Beginning {
        /// Whether the call is within no other on this budget.
        @usableFromInline let isOutermost: Bool
        /// What its first attempt has cost.
        let paid: Int
    }

    /// The innermost attempt on this budget.
    @usableFromInline let attempt = TaskLocal<Attempt?>(wrappedValue: nil)

    /// The value of `attempt` in the first attempt of an outermost call.
    @usableFromInline var firstAttempt: Attempt { Attempt(budget: self, retry: nil) }

    /// Adds a call's deposit, or, within a retry on this budget, withdraws the cost of its first attempt.
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

    /// Withdraws the cost of a retry, if the bucket holds that much.
    ///
    /// - Parameter cost: The cost in tokens; at least 1.
    /// - Returns: Whether the cost was withdrawn.
    func withdraw(_ cost: Int) -> Bool {
        if cost < 1 { fatalError("RetryBudget: the cost of a retry must be at least 1, not \(cost)") }
        let (parts, overflows) = Int64(cost).multipliedReportingOverflow(by: Self.token)
        let isGranted = !overflows && change { held in held >= parts ? held - parts : nil }
        if isGranted { granted.add(1, ordering: .relaxed) } else { refused.add(1, ordering: .relaxed) }
        return isGranted
    }

    /// Gives back the cost of a retry that is not made after all.
    func giveBack(_ cost: Int) {
        // No overflow: the same cost was withdrawn.
        add(Int64(cost) * Self.token)
        granted.subtract(1, ordering: .relaxed)
    }

    private func add(_ parts: Int64) {
        // No overflow: both `held` and `parts` are at most `capacity`.
        _ = change { held in held < capacity ? min(held + parts, capacity) : nil }
    }

    /// Changes what the bucket holds, unless `body` returns nil for it; returns whether it was changed.
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
    public struct Statistics: Sendable, Hashable {
        /// The tokens in the bucket; negative if calls within retries withdrew more than it held.
        public let available: Double
        /// How many retries were granted, and how many calls within retries withdrew a token.
        public let granted: Int
        /// How many retries were refused; the error was thrown at once.
        public let refused: Int
    }

    /// The budget's counts; while callers retry, the three numbers may be of different moments.
    public var statistics: Statistics {
        Statistics(
            available: Double(bucket.load(ordering: .relaxed)) / Double(Self.token),
            granted: granted.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed))
    }
}
