/// How long to wait before each retry.
///
/// ```swift
/// .exponential(from: .milliseconds(200), by: 2, upTo: .seconds(20))   // full jitter
/// .constant(.seconds(1), jitter: .none)
/// ```
///
/// The formulas are those of Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. A backoff is
/// a value without state: the caller passes the number of the retry and the previous delay.
public struct Backoff: Sendable, Hashable {
    /// How delays are randomised, so that callers who failed together do not retry together.
    public enum Jitter: Sendable, Hashable, CaseIterable {
        /// No randomness: the delay is the ceiling.
        case none
        /// Uniform between zero and the ceiling: the widest spread, and the default.
        case full
        /// Uniform between half of the ceiling and the ceiling.
        case equal
        /// Uniform between the initial delay and three times the last one, at most the maximum.
        ///
        /// The multiplier is ignored, and the ceiling is the maximum.
        case decorrelated
    }

    /// The ceiling before the first retry.
    let initial: Duration
    /// The factor by which the ceiling grows from one retry to the next.
    let multiplier: Double
    /// The longest delay.
    let maximum: Duration
    /// How delays are randomised.
    let jitter: Jitter

    /// Returns a backoff with the same ceiling before every retry.
    ///
    /// - Parameters:
    ///   - delay: The delay without jitter; not negative.
    ///   - jitter: How the delay is randomised. Decorrelated jitter leaves the delay as it is.
    /// - Returns: The backoff.
    public static func constant(_ delay: Duration, jitter: Jitter = .full) -> Backoff {
        if delay < .zero { fatalError("Backoff.constant(_:jitter:): the delay must not be negative, but is \(delay)") }
        return Backoff(initial: delay, multiplier: 1, maximum: delay, jitter: jitter)
    }

    /// Returns a backoff whose ceiling before the n-th retry is `min(maximum, initial × multiplier^(n-1))`.
    ///
    /// - Parameters:
    ///   - initial: The ceiling before the first retry; not negative. With zero, every delay is zero.
    ///   - multiplier: The factor; positive and finite.
    ///   - maximum: The longest delay; not negative.
    ///   - jitter: How the delays are randomised.
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
    /// For decorrelated jitter the ceiling is the maximum, or zero if the initial delay is zero. Otherwise it is
    /// `min(maximum, initial × multiplier^(n-1))`.
    ///
    /// - Parameter n: The number of the retry; 1 for the first, which is the second attempt.
    /// - Returns: The ceiling. Nothing overflows, even for `Int.max`.
    /// - Complexity: O(log n).
    public func ceiling(beforeRetry n: Int) -> Duration {
        if n < 1 { fatalError("Backoff: the number of a retry must be at least 1, not \(n)") }
        // Zero stays zero, even if the power is infinite.
        if initial == .zero { return .zero }
        return jitter == .decorrelated ? maximum : min(maximum, scaledInitial(by: power(n - 1)))
    }

    /// Returns how long to wait before a retry.
    ///
    /// - Parameters:
    ///   - n: The number of the retry; 1 for the first, which is the second attempt.
    ///   - last: The delay before the previous retry, from which decorrelated jitter grows; nil if there was none.
    ///   - generator: The source of randomness.
    /// - Returns: The delay: between zero and ``ceiling(beforeRetry:)``.
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
            // After a rule's short delay, three times the last delay may be less than the initial delay.
            range = lowest...(overflows ? Int128.max : max(tripled, lowest))
        }
        return Duration(attoseconds: min(ceiling, .random(in: range, using: &generator)))
    }

    /// Returns a server's hint with up to a quarter of jitter on top; without, if the backoff has no jitter.
    ///
    /// A server that restarts gives all its clients the same hint.
    func spread(_ hint: Duration, using generator: inout some RandomNumberGenerator) -> Duration {
        if jitter == .none { return hint }
        let (spread, overflows) = hint.attoseconds.addingReportingOverflow(
            .random(in: 0...hint.attoseconds / 4, using: &generator))
        return overflows ? hint : Duration(attoseconds: spread)
    }

    /// Returns the multiplier to a power, by squaring; infinity if the result is too large.
    private func power(_ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, multiplier, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }

    /// Returns the initial delay times a factor; the maximum if the product is not less, or overflows.
    private func scaledInitial(by factor: Double) -> Duration {
        // Integers keep whole factors exact: a `Double` holds exact attoseconds only up to 9 ms.
        if let factor = Int128(exactly: factor) {
            let (product, overflows) = initial.attoseconds.multipliedReportingOverflow(by: factor)
            return overflows ? maximum : Duration(attoseconds: product)
        }
        let product = (Double(initial.attoseconds) * factor).rounded()
        return product < Double(maximum.attoseconds) ? Duration(attoseconds: Int128(product)) : maximum
    }
}
