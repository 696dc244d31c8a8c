import Foundation

/// A part of what is compared: what it measures, and what it makes of the figures.
protocol Part: Sendable {
    /// What the command line and the files in Results/ call it.
    static var name: String { get }
    /// Everything there is to measure.
    var subjects: [Subject] { get }
    /// The bounds on the ratios of its subjects.
    var goals: [Goal] { get }
    /// How often each subject is measured.
    var rounds: Int { get }
    /// How often each subject that a bound is for is measured in the short mode.
    var shortRounds: Int { get }

    /// The figures as Markdown; may measure what is not a matter of subjects and rounds.
    func table(_ measurement: Measurement) async -> String
    func chart(_ measurement: Measurement) -> Chart
}

extension Part {
    var name: String { Self.name }

    /// Measures everything, and returns what is to be written down.
    func measure() async -> Results {
        let measurement = await Measurement.take(subjects, rounds: rounds) { round in
            Progress.show("\(name): round \(round) of \(rounds)")
        }
        let ratios = RatioChart(title: "\(name): ratios against what is wished for", goals, in: measurement)
        let results = Results(
            name: name, table: await table(measurement), chart: chart(measurement).svg, ratios: ratios.svg)
        Progress.clear()
        return results
    }

    /// Measures only what the wide bounds are for, and returns whether they all hold.
    func check() async -> Bool {
        let goals = goals.filter { $0.shortBound != nil }
        let subjects = subjects.filter { subject in
            goals.contains { [$0.first, $0.second].contains { $0 == (subject.name, subject.number) } }
        }
        let measurement = await Measurement.take(subjects, rounds: shortRounds) { _ in }
        var areAllMet = true
        for goal in goals {
            guard let bound = goal.shortBound, let ratio = measurement.ratio(goal.first, to: goal.second) else {
                continue
            }
            let isMet = goal.isMet(by: ratio.median, bound: bound)
            if !isMet { areAllMet = false }
            let figure = ratio.median.formatted(.number.precision(.significantDigits(3)))
            let limit = "\(goal.isFloor ? "at least" : "at most") \(bound.formatted())"
            print("\(isMet ? "ok    " : "FAILED") \(goal.text): \(figure), \(limit)")
        }
        return areAllMet
    }
}
