import Contenders

/// The cost of every subject in every round, in nanoseconds per run.
///
/// Each round measures each subject once, so a drift of the machine's speed affects all subjects. Ratios are computed
/// within each round.
struct Measurement {
    private var samples: [Key: [Double]] = [:]

    private struct Key: Hashable {
        let name: String
        let number: Int
    }

    /// Measures the subjects in a number of rounds and calls `report` with each round's number before the round.
    @concurrent
    static func measure(_ subjects: [Subject], rounds: Int, report: (Int) -> Void) async -> Measurement {
        var measurement = Measurement()
        for subject in subjects { _ = await subject.sample() }
        let heap = Heap()
        for round in 1...rounds {
            report(round)
            for subject in subjects {
                let key = Key(name: subject.name, number: subject.number)
                // Merge freed blocks, so that a subject doesn't pay for the blocks that the previous subject freed.
                heap.tidyUp()
                measurement.samples[key, default: []].append(await subject.sample())
            }
        }
        return measurement
    }

    /// Returns the median and quartiles of a subject's costs; nil if the subject wasn't measured.
    func cost(_ name: String, _ number: Int) -> Spread? {
        samples[Key(name: name, number: number)].map(Spread.init)
    }

    /// Returns the median and quartiles of the rounds' ratios of two costs; nil if a subject wasn't measured.
    func ratio(_ first: (String, Int), to second: (String, Int)) -> Spread? {
        guard let ones = samples[Key(name: first.0, number: first.1)],
            let others = samples[Key(name: second.0, number: second.1)]
        else { return nil }
        return Spread(zip(ones, others).map { $0 / $1 })
    }
}

/// The median and the quartiles of some numbers.
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

/// A subject of a measurement, which is one point of a line.
struct Subject: Sendable {
    /// The line's name.
    let name: String
    /// The subject's position on the line, which is the number of rules or posting tasks.
    let number: Int
    /// Measures once and returns the nanoseconds per run.
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
