import Synchronization

/// What retries may cost in all, so that an outage is not multiplied by everybody's attempts.
///
/// A bucket of tokens that callers share: every call deposits a part of a token, every retry withdraws its cost, a
/// whole token by default. While most calls succeed the bucket is full and retries are free; where most fail it
/// empties, and only a part of the calls is tried again:
///
///     attempts ≤ (1 + ratio) × calls + reserve
///
/// however many callers there are. Give one budget to all policies for one dependency:
///
/// ```swift
/// let payments = RetryPolicy(budget: RetryBudget())
/// ```
///
/// The idea is that of Finagle's retry budget and of gRPC's retry throttling. The bucket is one atomic word: calls that
/// find it full change nothing, and share no cache line that is written.
public final class RetryBudget: Sendable {
    /// The parts that a token has: a ratio of 0.1 is exact in them.
    private static let token: Int64 = 1_000_000_000

    /// What every call deposits, in tokens.
    public let ratio: Double
    /// How many tokens the bucket starts with; it never holds more.
    public let reserve: Int

    private let deposited: Int64
    private let capacity: Int64
    private let bucket: Atomic<Int64>

    // What happened, for `statistics`; they decide nothing, and are written only after failures.
    private let granted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - ratio: What every call deposits, in tokens: 0 to 1. Counted in billionths, rounded down.
    ///   - reserve: How many tokens the bucket starts with and can hold: 0 to 1,000,000,000. Of zero, nothing is ever
    ///     retried.
    public init(ratio: Double = 0.1, reserve: Int = 10) {
        if !(0...1).contains(ratio) { fatalError("RetryBudget(ratio:reserve:): ratio must be 0 to 1, not \(ratio)") }
        if !(0...1_000_000_000).contains(reserve) {
            fatalError("RetryBudget(ratio:reserve:): reserve must be 0 to 1,000,000,000, not \(reserve)")
        }
        self.ratio = ratio
        self.reserve = reserve
        let nearest = Int64((ratio * Double(Self.token)).rounded())
        // Never more than the ratio, or the bound would not hold; 0.1 itself is what the nearest of it is.
        deposited = Double(nearest) / Double(Self.token) > ratio ? nearest - 1 : nearest
        capacity = Int64(reserve) * Self.token
        bucket = Atomic(capacity)
    }

    /// Adds what a call deposits.
    @usableFromInline
    func deposit() { add(deposited) }

    /// Takes the cost of a retry, if that much is there.
    ///
    /// - Parameter cost: In tokens; at least 1.
    /// - Returns: Whether it was there.
    func withdraw(_ cost: Int) -> Bool {
        if cost < 1 { fatalError("RetryBudget: the cost of a retry must be at least 1, not \(cost)") }
        let (parts, overflows) = Int64(cost).multipliedReportingOverflow(by: Self.token)
        var held = bucket.load(ordering: .relaxed)
        while !overflows, held >= parts {
            let (exchanged, original) = bucket.weakCompareExchange(
                expected: held, desired: held - parts, ordering: .relaxed)
            if exchanged {
                granted.add(1, ordering: .relaxed)
                return true
            }
            held = original
        }
        refused.add(1, ordering: .relaxed)
        return false
    }

    /// Gives back what was withdrawn for a retry that is not made after all.
    func giveBack(_ cost: Int) {
        // It was withdrawn, so it does not overflow.
        add(Int64(cost) * Self.token)
        granted.subtract(1, ordering: .relaxed)
    }

    private func add(_ parts: Int64) {
        var held = bucket.load(ordering: .relaxed)
        while held < capacity {
            // No overflow: no more than a bucket is ever added to less than a bucket.
            let (exchanged, original) = bucket.weakCompareExchange(
                expected: held, desired: min(held + parts, capacity), ordering: .relaxed)
            if exchanged { return }
            held = original
        }
    }
}

extension RetryBudget {
    /// What a budget holds, and what it has done.
    public struct Statistics: Sendable, Hashable {
        /// The tokens in the bucket.
        public let available: Double
        /// How many retries were granted.
        public let granted: Int
        /// How many were refused, each with its error thrown at once.
        public let refused: Int

        /// Describes a budget, for tests and fakes.
        ///
        /// - Parameters:
        ///   - available: The tokens in the bucket.
        ///   - granted: How many retries were granted.
        ///   - refused: How many were refused.
        public init(available: Double, granted: Int, refused: Int) {
            self.available = available
            self.granted = granted
            self.refused = refused
        }
    }

    /// What the budget holds and has done; while callers retry, the three numbers may be of different moments.
    public var statistics: Statistics {
        Statistics(
            available: Double(bucket.load(ordering: .relaxed)) / Double(Self.token),
            granted: granted.load(ordering: .relaxed),
            refused: refused.load(ordering: .relaxed))
    }
}
