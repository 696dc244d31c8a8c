import Contenders
import Foundation

/// What every contender took in every round, in nanoseconds for one time.
///
/// The rounds are interleaved, each contender once in each, so that a machine whose speed drifts does so for all;
/// ratios are taken round by round.
struct Measurement {
    private var samples: [Key: [Double]] = [:]

    private struct Key: Hashable {
        let name: String
        let rules: Int
    }

    /// - Parameters:
    ///   - rounds: How often each contender is measured.
    ///   - report: Called before each round with its number.
    @concurrent
    static func take(_ contenders: [Contender], rounds: Int, report: (Int) -> Void) async -> Measurement {
        var measurement = Measurement()
        let clock = ContinuousClock()
        for contender in contenders { await contender.run(contender.iterations) }
        for round in 1...rounds {
            report(round)
            for contender in contenders {
                let duration = await clock.measure { await contender.run(contender.iterations) }
                let each = duration / .nanoseconds(1) / Double(contender.iterations)
                measurement.samples[Key(name: contender.name, rules: contender.rules), default: []].append(each)
            }
        }
        return measurement
    }

    /// A contender's cost: the median and the quartiles of its rounds.
    func cost(_ name: String, _ rules: Int) -> Spread? {
        samples[Key(name: name, rules: rules)].map(Spread.init)
    }

    /// How many times as much one costs as another: the median and the quartiles of the rounds' ratios.
    func ratio(_ first: (String, Int), to second: (String, Int)) -> Spread? {
        guard let ones = samples[Key(name: first.0, rules: first.1)],
            let others = samples[Key(name: second.0, rules: second.1)]
        else { return nil }
        return Spread(zip(ones, others).map { $0 / $1 })
    }
}

/// The median of some numbers, with the quartiles around it.
struct Spread {
    let median: Double
    let lower: Double
    let upper: Double

    init(_ numbers: [Double]) {
        let sorted = numbers.sorted()
        func quantile(_ fraction: Double) -> Double {
            let position = fraction * Double(sorted.count - 1)
            let below = Int(position)
            let above = min(below + 1, sorted.count - 1)
            return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
        }
        median = quantile(0.5)
        lower = quantile(0.25)
        upper = quantile(0.75)
    }
}
