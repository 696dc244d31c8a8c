import Contenders

/// The cost of every subject in every round, in nanoseconds for one run.
///
/// Each round measures each subject once, so a drift of the machine's speed affects all of them. Ratios are computed
/// within each round.
struct Measurement {
    private var samples: [Key: [Double]] = [:]

    private struct Key: Hashable {
        let name: String
        let number: Int
    }

    /// - Parameters:
    ///   - rounds: The number of measurements of each subject.
    ///   - report: Called before each round with its number.
    @concurrent
    static func measure(_ subjects: [Subject], rounds: Int, report: (Int) -> Void) async -> Measurement {
        var measurement = Measurement()
        for subject in subjects { _ = await subject.sample() }
        let heap = Heap()
        for round in 1...rounds {
            report(round)
            for subject in subjects {
                let key = Key(name: subject.name, number: subject.number)
                // Merge freed blocks, so that no subject pays for the blocks that the previous one freed.
                heap.tidyUp()
                measurement.samples[key, default: []].append(await subject.sample())
            }
        }
        return measurement
    }

    /// Returns a subject's cost: the median and the quartiles of its rounds.
    func cost(_ name: String, _ number: Int) -> Spread? {
        samples[Key(name: name, number: number)].map(Spread.init)
    }

    /// Returns the ratio of two subjects' costs: the median and the quartiles of the rounds' ratios.
    func ratio(_ first: (String, Int), to second: (String, Int)) -> Spread? {
        guard let ones = samples[Key(name: first.0, number: first.1)],
            let others = samples[Key(name: second.0, number: second.1)]
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

/// A subject of a measurement: one point of a line.
struct Subject: Sendable {
    /// The line's name.
    let name: String
    /// The point on the line: the number of rules or posting tasks.
    let number: Int
    /// Measures once, in nanoseconds for one run.
    let sample: @Sendable () async -> Double

    init(_ contender: Contender) {
        name = contender.name
        number = contender.rules
        sample = {
            let duration = await ContinuousClock().measure { await contender.run(contender.iterations) }
            return duration / .nanoseconds(1) / Double(contender.iterations)
        }
    }

    init(_ contender: PostingContender) {
        name = contender.name
        number = contender.callers
        sample = { await contender.sample() }
    }

    init(_ contender: IdleContender) {
        name = contender.name
        number = 1
        sample = { await contender.sample() }
    }
}
