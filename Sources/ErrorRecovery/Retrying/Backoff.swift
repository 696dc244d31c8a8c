/// How long to wait before each retry.
///
/// ```swift
/// .exponential(from: .milliseconds(200), by: 2, upTo: .seconds(20))   // full jitter
/// .constant(.seconds(1), jitter: .none)
/// ```
///
/// The formulas come from Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. A backoff is a
/// stateless value: the caller passes the number of the retry and the previous delay.
public struct Backoff: Sendable, Hashable {
    /// How delays are randomized so that callers that failed together don't retry together.
    public enum Jitter: Sendable, Hashable, CaseIterable {
        /// No randomness: the delay is the ceiling.
        case none
        /// Uniform between zero and the ceiling: the widest spread and the default.
        case full
        /// Uniform between half of the ceiling and the ceiling.
        case equal
        /// Uniform between the initial delay and three times the last delay, capped at the maximum.
        ///
        /// The multiplier is ignored. The ceiling is the maximum.
        case decorrelated
    }

    /// The ceiling before the first retry.
    let initial: Duration
    /// The factor by which the ceiling grows from one retry to the next.
    let multiplier: Double
    /// The longest delay.
    let maximum: Duration
    /// How delays are randomized.
    let jitter: Jitter

    /// Returns a backoff with the same ceiling before every retry.
    ///
    /// - Parameters:
    ///   - delay: The delay without jitter; not negative.
    ///   - jitter: How the delay is randomized. Decorrelated jitter never changes it.
    /// - Returns: The backoff.
    public static func constant(_ delay: Duration, jitter: Jitter = .full) -> Backoff {
        if delay < .zero { fatalError("Backoff.constant(_:jitter:): the delay must not be negative, but is \(delay)") }
        return Backoff(initial: delay, multiplier: 1, maximum: delay, jitter: jitter)
    }

    /// Returns a backoff with the ceiling `min(maximum, initial × multiplier^(n-1))` before the n-th retry.
    ///
    /// - Parameters:
    ///   - initial: The ceiling before the first retry; not negative. If it is zero, every delay is zero.
    ///   - multiplier: The factor; positive and finite.
    ///   - maximum: The longest delay; not negative.
    ///   - jitter: How the delays are randomized.
    /// - Returns: The backoff.
    public static func exponential(
        from initial: Duration = .seconds(1),
        by multiplier: Double = 2,
        upTo maximum: Duration = .seconds(30),
        jitter: Jitter = .full
    ) -> Backoff {
        func refuse(_ message: String) -> Never { fatalError("Backoff.exponential(from:by:upTo:jitter:): \(message)") }
        if initial < .zero { refuse("the initial delay must not be negative, but is \(initial)") }
        if !(multiplier > 0 && multiplier.isFinite) {
            refuse("the multiplier must be positive and finite, but is \(multiplier)")
        }
        if maximum < .zero { refuse("the maximum must not be negative, but is \(maximum)") }
        return Backoff(initial: initial, multiplier: multiplier, maximum: maximum, jitter: jitter)
    }

    /// Returns the longest possible delay before a retry.
    ///
    /// For decorrelated jitter, the ceiling is the maximum, or zero if the initial delay is zero. Otherwise it is
    /// `min(maximum, initial × multiplier^(n-1))`.
    ///
    /// - Parameter n: The number of the retry; 1 for the first, which is the second attempt.
    /// - Returns: The ceiling. It doesn't overflow, even for `Int.max`.
    /// - Complexity: O(log n).
    public func ceiling(beforeRetry n: Int) -> Duration {
        if n < 1 { fatalError("Backoff: the number of a retry must be at least 1, not \(n)") }
        // Return zero first: the power might be infinite.
        if initial == .zero { return .zero }
        return jitter == .decorrelated ? maximum : min(maximum, scaledInitial(by: power(n - 1)))
    }

    /// Returns how long to wait before a retry.
    ///
    /// - Parameters:
    ///   - n: The number of the retry; 1 for the first, which is the second attempt.
    ///   - last: The delay before the previous retry, which decorrelated jitter uses; nil if there was none.
    ///   - generator: The source of randomness.
    /// - Returns: The delay, from zero to ``ceiling(beforeRetry:)``.
    /// - Complexity: O(log n).
    public func delay(
        beforeRetry n: Int, after last: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let ceiling = ceiling(beforeRetry: n).attoseconds
        let range: ClosedRange<Int128>
        switch jitter {
        case .none: return Duration(attoseconds: ceiling)
        case .full: range = 0...ceiling
        case .equal: range = ceiling / 2...ceiling
        case .decorrelated:
            if initial == .zero { return .zero }
            let (tripled, overflows) = (last ?? initial).attoseconds.multipliedReportingOverflow(by: 3)
            let lowest = initial.attoseconds
            // Raise the upper bound to the initial delay: three times the short delay of a rule can be less than the
            // initial delay.
            range = lowest...(overflows ? Int128.max : max(tripled, lowest))
        }
        return Duration(attoseconds: min(ceiling, .random(in: range, using: &generator)))
    }

    /// Returns a server's hint plus up to a quarter of it as jitter, or the hint itself if the backoff has no jitter.
    ///
    /// The jitter is needed because a restarting server sends the same hint to all its clients.
    func spread(_ hint: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
        if jitter == .none { return hint }
        let (spread, overflows) = hint.attoseconds.addingReportingOverflow(
            .random(in: 0...hint.attoseconds / 4, using: &generator))
        return overflows ? hint : Duration(attoseconds: spread)
    }

    /// Returns a power of the multiplier, computed by squaring; infinity if the result is too large.
    private func power(_ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, multiplier, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }

    /// Returns the product of the initial delay and a factor, or the maximum if the product overflows.
    private func scaledInitial(by factor: Double) -> Duration {
        // Use integers for whole factors: a `Double` represents attoseconds exactly only up to 9 ms.
        if let factor = Int128(exactly: factor) {
            let (product, overflows) = initial.attoseconds.multipliedReportingOverflow(by: factor)
            return overflows ? maximum : Duration(attoseconds: product)
        }
        let product = (Double(initial.attoseconds) * factor).rounded()
        return product < Double(maximum.attoseconds) ? Duration(attoseconds: Int128(product)) : maximum
    }
}
