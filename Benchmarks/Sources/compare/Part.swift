import Foundation

/// A part of the comparison: its subjects, and how its figures are shown.
protocol Part: Sendable {
    /// The part's name on the command line and in the files in Results/.
    static var name: String { get }
    /// The subjects to measure.
    var subjects: [Subject] { get }
    /// The bounds on the ratios of its subjects.
    var goals: [Goal] { get }
    /// How often each subject is measured.
    var rounds: Int { get }
    /// How often each subject with a bound is measured in the short mode.
    var shortRounds: Int { get }

    /// Returns the figures as Markdown; may make further measurements that are not subjects.
    func table(_ measurement: Measurement) async -> String
    func chart(_ measurement: Measurement) -> Chart
}

extension Part {
    var name: String { Self.name }

    /// Measures all subjects, and returns the results.
    func measure() async -> Results {
        let measurement = await Measurement.measure(subjects, rounds: rounds) { round in
            Progress.show("\(name): round \(round) of \(rounds)")
        }
        let ratios = RatioChart(title: "\(name): ratios against what is wished for", goals, in: measurement)
        let results = Results(
            name: name, table: await table(measurement), chart: chart(measurement).svg, ratios: ratios.svg)
        Progress.clear()
        return results
    }

    /// Measures only the subjects with a bound in the short mode, and returns whether all these bounds hold.
    func check() async -> Bool {
        let goals = goals.filter { $0.shortBound != nil }
        let subjects = subjects.filter { subject in
            goals.contains { [$0.first, $0.second].contains { $0 == (subject.name, subject.number) } }
        }
        let measurement = await Measurement.measure(subjects, rounds: shortRounds) { _ in }
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

/// The results of a part.
struct Results {
    let name: String
    /// The table, as Markdown.
    let table: String
    /// The chart, as SVG.
    let chart: String
    /// The chart of the ratios that have a wish, as SVG; nil if there is none.
    let ratios: String?

    private static let benchmarks = URL(filePath: #filePath).appending(path: "../../..").standardized
    private static let readme = benchmarks.appending(path: "README.md")

    /// The folder for the results, unless another one is given.
    static let defaultFolder = benchmarks.appending(path: "Results")

    func write(into folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try table.write(to: folder.appending(path: "\(name).md"), atomically: true, encoding: .utf8)
        try chart.write(to: folder.appending(path: "\(name).svg"), atomically: true, encoding: .utf8)
        try ratios?.write(to: folder.appending(path: "\(name)-ratios.svg"), atomically: true, encoding: .utf8)
    }

    /// Replaces the table in the README.
    func updateReadme() throws {
        let text = try String(contentsOf: Self.readme, encoding: .utf8)
        let (begin, end) = ("<!-- \(name).md -->\n", "<!-- end of \(name).md -->")
        guard let first = text.range(of: begin), let last = text.range(of: end) else { return }
        let updated = text[..<first.upperBound] + table + text[last.lowerBound...]
        try updated.write(to: Self.readme, atomically: true, encoding: .utf8)
    }
}

/// A bound on a ratio.
struct Goal: Sendable {
    let text: String
    let first: (String, Int)
    let second: (String, Int)
    /// The bound; `isFloor` if a higher ratio is better.
    let bound: Double
    /// A better ratio to wish for.
    var wish: Double?
    /// The wider bound of the short mode, for a noisy machine; nil if the short mode does not check this ratio.
    var shortBound: Double?
    let isFloor: Bool

    func isMet(by ratio: Double, bound: Double) -> Bool { isFloor ? ratio >= bound : ratio <= bound }

    /// The bound, as a table shows it.
    var boundText: String {
        "\(isFloor ? "≥" : "≤") \(bound.formatted())" + (wish.map { " (wished for: \($0.formatted()))" } ?? "")
    }
}

/// One line on standard error that shows the progress.
enum Progress {
    static func show(_ text: String) { write("\r\u{1B}[K\(text)") }

    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
