/// How long to wait before each retry.
///
/// ```swift
/// .exponential(from: .milliseconds(200), by: 2, upTo: .seconds(20))   // full jitter
/// .constant(.seconds(1), jitter: .none)
/// ```
///
/// The formulas are those of Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. A backoff is
/// a value that remembers nothing: whoever retries knows which retry it is, and the delay before it.
public struct Backoff: Sendable, Hashable {
    /// What chance does to a delay, so that callers who failed together do not come back together.
    public enum Jitter: Sendable, Hashable, CaseIterable {
        /// Nothing: the delay is the ceiling.
        case none
        /// Uniform between zero and the ceiling: the widest spread, and the default.
        case full
        /// Half of the ceiling, and uniform between zero and the other half: never shorter than half.
        case equal
        /// Uniform between the initial delay and three times the last one, at most the maximum.
        ///
        /// It grows by chance, whatever the multiplier, and its ceiling is the maximum.
        case decorrelated
    }

    /// The ceiling before the first retry.
    public let initial: Duration
    /// By what the ceiling grows from one retry to the next.
    public let multiplier: Double
    /// What no delay exceeds.
    public let maximum: Duration
    /// What chance does to the delays.
    public let jitter: Jitter

    /// The same ceiling before every retry.
    ///
    /// - Parameters:
    ///   - delay: The delay without jitter; not negative.
    ///   - jitter: What chance does to it. Decorrelated jitter has nowhere to go, and leaves the delay as it is.
    /// - Returns: The backoff.
    public static func constant(_ delay: Duration, jitter: Jitter = .full) -> Backoff {
        if delay < .zero { fatalError("Backoff.constant(_:jitter:): the delay must not be negative, but is \(delay)") }
        return Backoff(initial: delay, multiplier: 1, maximum: delay, jitter: jitter)
    }

    /// A ceiling that grows by a factor from retry to retry: `min(maximum, initial × multiplier^(n-1))` before the
    /// n-th.
    ///
    /// - Parameters:
    ///   - initial: The ceiling before the first retry; not negative. Of zero, every delay is zero.
    ///   - multiplier: The factor; positive and finite.
    ///   - maximum: What no delay exceeds; not negative.
    ///   - jitter: What chance does to the delays.
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

    /// What the delay before a retry cannot exceed; there is no jitter in it.
    ///
    /// For decorrelated jitter that is the maximum (of a zero initial delay, zero), else
    /// `min(maximum, initial × multiplier^(n-1))`.
    ///
    /// - Parameter n: Which retry: 1 for the first, which is the second attempt.
    /// - Returns: The ceiling. Nothing overflows: the maximum is returned also for `Int.max`.
    /// - Complexity: O(log n).
    public func ceiling(beforeRetry n: Int) -> Duration {
        if n < 1 { fatalError("Backoff: the number of a retry must be at least 1, not \(n)") }
        // Zero stays zero, also where the power is infinite.
        if initial == .zero { return .zero }
        return jitter == .decorrelated ? maximum : min(maximum, scaledInitial(by: power(n - 1)))
    }

    /// How long to wait before a retry.
    ///
    /// - Parameters:
    ///   - n: Which retry: 1 for the first, which is the second attempt.
    ///   - last: The delay before the retry before this one, which decorrelated jitter grows from; nil if there was
    ///     none.
    ///   - generator: Where chance comes from.
    /// - Returns: The delay: between zero and ``ceiling(beforeRetry:)``.
    /// - Complexity: O(log n).
    public func delay(
        beforeRetry n: Int,
        after last: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let ceiling = ceiling(beforeRetry: n).attoseconds
        switch jitter {
        case .none:
            return Duration(attoseconds: ceiling)
        case .full:
            return Duration(attoseconds: .random(in: 0...ceiling, using: &generator))
        case .equal:
            let fixed = ceiling / 2
            return Duration(attoseconds: fixed + .random(in: 0...(ceiling - fixed), using: &generator))
        case .decorrelated:
            if initial == .zero { return .zero }
            let (tripled, overflows) = (last ?? initial).attoseconds.multipliedReportingOverflow(by: 3)
            let lowest = initial.attoseconds
            // After a short hint three times the last delay may be less than the initial one.
            let highest = overflows ? Int128.max : max(tripled, lowest)
            return Duration(attoseconds: min(ceiling, .random(in: lowest...highest, using: &generator)))
        }
    }

    /// The multiplier to a power, by squaring: what is too large is infinite.
    private func power(_ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, multiplier, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }

    /// The initial delay times a factor; the maximum where that is more, or more than a duration can be.
    private func scaledInitial(by factor: Double) -> Duration {
        // Whole factors are exact: a double holds all attoseconds of no more than 9 ms.
        if let factor = Int128(exactly: factor) {
            let (product, overflows) = initial.attoseconds.multipliedReportingOverflow(by: factor)
            return overflows ? maximum : Duration(attoseconds: product)
        }
        let product = (Double(initial.attoseconds) * factor).rounded()
        return product < Double(maximum.attoseconds) ? Duration(attoseconds: Int128(product)) : maximum
    }
}
