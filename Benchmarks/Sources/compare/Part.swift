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

/// What a part has measured, as it is written down.
struct Results {
    let name: String
    /// As Markdown.
    let table: String
    /// As SVG.
    let chart: String
    /// The ratios that something is wished for, as SVG; nil where nothing is.
    let ratios: String?

    private static let benchmarks = URL(filePath: #filePath).appending(path: "../../..").standardized
    private static let readme = benchmarks.appending(path: "README.md")

    /// Where they are written unless another folder is given.
    static let defaultFolder = benchmarks.appending(path: "Results")

    func write(into folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try table.write(to: folder.appending(path: "\(name).md"), atomically: true, encoding: .utf8)
        try chart.write(to: folder.appending(path: "\(name).svg"), atomically: true, encoding: .utf8)
        try ratios?.write(to: folder.appending(path: "\(name)-ratios.svg"), atomically: true, encoding: .utf8)
    }

    /// Puts the table where the README shows it.
    func updateReadme() throws {
        let text = try String(contentsOf: Self.readme, encoding: .utf8)
        let (begin, end) = ("<!-- \(name).md -->\n", "<!-- end of \(name).md -->")
        guard let first = text.range(of: begin), let last = text.range(of: end) else { return }
        let updated = text[..<first.upperBound] + table + text[last.lowerBound...]
        try updated.write(to: Self.readme, atomically: true, encoding: .utf8)
    }
}

/// A bound that a ratio has to keep.
struct Goal: Sendable {
    let text: String
    let first: (String, Int)
    let second: (String, Int)
    /// The ratio to reach; `isFloor` where more is better.
    let bound: Double
    /// What would be better still.
    var wish: Double?
    /// What the short mode allows on a noisy machine; nil where it does not look.
    var shortBound: Double?
    let isFloor: Bool

    func isMet(by ratio: Double, bound: Double) -> Bool { isFloor ? ratio >= bound : ratio <= bound }

    /// The bound as a table shows it.
    var boundText: String {
        "\(isFloor ? "≥" : "≤") \(bound.formatted())" + (wish.map { " (wished for: \($0.formatted()))" } ?? "")
    }
}

/// One line on standard error that says how far it is.
enum Progress {
    static func show(_ text: String) { write("\r\u{1B}[K\(text)") }

    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
