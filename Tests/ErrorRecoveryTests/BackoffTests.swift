import TestSupport
import Testing

@testable import ErrorRecovery

@Suite("R2: delays follow their formulas for all numbers", .tags(.recovery2), .hangLimit)
struct BackoffTests {}

extension BackoffTests {
    @Test("an exponential ceiling doubles until the maximum; full jitter is the default")
    func exponential() {
        let backoff = Backoff.exponential(from: .seconds(1), by: 2, upTo: .seconds(30), jitter: .none)
        let ceilings = (1...7).map { backoff.ceiling(beforeRetry: $0) }
        expect(ceilings, equals: [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        var generator = SplitMix64(seed: 1)
        let delays = (1...7).map { backoff.delay(beforeRetry: $0, after: nil, using: &generator) }
        expect(delays, equals: ceilings)
        // Test a multiplier below 1, and an initial delay above the maximum.
        let falling = Backoff.exponential(from: .seconds(8), by: 0.5, upTo: .seconds(30), jitter: .none)
        expect([1, 3, .max].map { falling.ceiling(beforeRetry: $0) }, equals: [.seconds(8), .seconds(2), .zero])
        expect(Backoff.exponential(from: .seconds(8), upTo: .seconds(3)).ceiling(beforeRetry: 1), equals: .seconds(3))
        expect(Backoff.exponential(), equals: .exponential(from: .seconds(1), by: 2, upTo: .seconds(30), jitter: .full))
        expect(Backoff.constant(.seconds(3)), equals: .constant(.seconds(3), jitter: .full))
        expect(Backoff.constant(.seconds(3)).ceiling(beforeRetry: 9), equals: .seconds(3))
    }

    @Test("late retries and durations near their limits don't overflow", arguments: Backoff.Jitter.allCases)
    func longDurations(_ jitter: Backoff.Jitter) {
        let longest = Duration(attoseconds: .max)
        var generator = SplitMix64(seed: 3)
        for (multiplier, n) in [(2.0, 1_000), (1.5, 1_000), (2, .max), (1.0000001, .max), (1e300, 3), (.pi, .max)] {
            let backoff = Backoff.exponential(
                from: .milliseconds(1), by: multiplier, upTo: .seconds(30), jitter: jitter)
            expect(backoff.ceiling(beforeRetry: n), equals: .seconds(30))
            #expect(backoff.delay(beforeRetry: n, after: .seconds(30), using: &generator) <= .seconds(30))
        }
        for initial in [longest, .seconds(Int64.max), .nanoseconds(1)] {
            for multiplier in [1, 1.5, 2, 1e9] {
                let backoff = Backoff.exponential(from: initial, by: multiplier, upTo: longest, jitter: jitter)
                for n in [1, 2, 3, 1_000, Int.max] {
                    let ceiling = backoff.ceiling(beforeRetry: n)
                    #expect(ceiling >= initial)
                    for last in [nil, initial, longest] {
                        let delay = backoff.delay(beforeRetry: n, after: last, using: &generator)
                        #expect((.zero...ceiling).contains(delay))
                    }
                }
            }
        }
        // An initial delay of zero stays zero with any multiplier.
        let none = Backoff.exponential(from: .zero, by: 1e300, upTo: .seconds(30), jitter: jitter)
        for n in [1, 2, 1_000, Int.max] {
            expect(none.ceiling(beforeRetry: n), equals: .zero)
            expect(none.delay(beforeRetry: n, after: .seconds(5), using: &generator), equals: .zero)
        }
    }

    @Test("whole multiples are exact to the attosecond")
    func exactness() {
        let initial = Duration(attoseconds: 1_234_567_890_123_456_789)
        let backoff = Backoff.exponential(from: initial, by: 3, upTo: .seconds(1_000_000), jitter: .none)
        expect(backoff.ceiling(beforeRetry: 8), equals: initial * 2_187)
    }

    @Test("every delay of a random policy is in the range of its formula, and the delays cover the range")
    func randomPolicies() {
        var generator = SplitMix64(seed: 5)
        for round in 0..<400 {
            let model = BackoffModel(using: &generator)
            for jitter in Backoff.Jitter.allCases {
                let backoff = Backoff.exponential(
                    from: .seconds(model.initial), by: model.multiplier, upTo: .seconds(model.maximum), jitter: jitter)
                let n = Int.random(in: 1...40, using: &generator)
                let last = Bool.random(using: &generator) ? Double.random(in: 0...100, using: &generator) : nil
                let range = model.range(jitter, n, last)
                #expect(close(backoff.ceiling(beforeRetry: n), jitter == .decorrelated ? model.maximum : range.ceiling))
                var delays: [Double] = []
                for _ in 0..<64 {
                    delays.append(
                        backoff.delay(beforeRetry: n, after: last.map { .seconds($0) }, using: &generator)
                            / .seconds(1))
                }
                let slack = range.highest * 1e-9 + 1e-12
                let lowest = delays.min() ?? 0
                let highest = delays.max() ?? 0
                #expect(lowest >= range.lowest - slack && highest <= range.highest + slack, "round \(round) \(jitter)")
                // With 64 uniform draws, a fifth at one end of the range stays empty about once in a million times.
                let free = (range.highest - range.lowest) / 5 + slack
                if jitter != .decorrelated {
                    #expect(lowest <= range.lowest + free && highest >= range.highest - free)
                }
            }
        }
    }

    private func close(_ duration: Duration, _ seconds: Double) -> Bool {
        abs(duration / .seconds(1) - seconds) <= seconds * 1e-9 + 1e-12
    }
}

/// The formulas of R2, computed with doubles.
private struct BackoffModel {
    let initial: Double
    let multiplier: Double
    let maximum: Double

    init(using generator: inout SplitMix64) {
        initial = .random(in: 0.001...10, using: &generator)
        multiplier = .random(in: 1...4, using: &generator)
        maximum = .random(in: 0.001...100, using: &generator)
    }

    func range(_ jitter: Backoff.Jitter, _ n: Int, _ last: Double?) -> (
        lowest: Double, highest: Double, ceiling: Double
    ) {
        var ceiling = initial
        for _ in 1..<max(n, 1) { ceiling *= multiplier }
        ceiling = min(maximum, ceiling)
        switch jitter {
        case .none: return (ceiling, ceiling, ceiling)
        case .full: return (0, ceiling, ceiling)
        case .equal: return (ceiling / 2, ceiling, ceiling)
        case .decorrelated:
            let upper = max(initial, 3 * (last ?? initial))
            return (min(maximum, initial), min(maximum, upper), maximum)
        }
    }
}
