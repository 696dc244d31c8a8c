/// What every subject took in every round, in nanoseconds for one time.
///
/// The rounds are interleaved, each subject once in each, so that a machine whose speed drifts does so for all;
/// ratios are taken round by round.
struct Measurement {
    private var samples: [Key: [Double]] = [:]

    private struct Key: Hashable {
        let name: String
        let number: Int
    }

    /// - Parameters:
    ///   - rounds: How often each subject is measured.
    ///   - report: Called before each round with its number.
    @concurrent
    static func take(_ subjects: [Subject], rounds: Int, report: (Int) -> Void) async -> Measurement {
        var measurement = Measurement()
        for subject in subjects { _ = await subject.sample() }
        let heap = Heap()
        for round in 1...rounds {
            report(round)
            for subject in subjects {
                let key = Key(name: subject.name, number: subject.number)
                // None pays for what the one before it has freed.
                heap.tidyUp()
                measurement.samples[key, default: []].append(await subject.sample())
            }
        }
        return measurement
    }

    /// A subject's cost: the median and the quartiles of its rounds.
    func cost(_ name: String, _ number: Int) -> Spread? {
        samples[Key(name: name, number: number)].map(Spread.init)
    }

    /// How many times as much one costs as another: the median and the quartiles of the rounds' ratios.
    func ratio(_ first: (String, Int), to second: (String, Int)) -> Spread? {
        guard let ones = samples[Key(name: first.0, number: first.1)],
            let others = samples[Key(name: second.0, number: second.1)]
        else { return nil }
        return Spread(zip(ones, others).map { $0 / $1 })
    }
}
