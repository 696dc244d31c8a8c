import Foundation

/// A part of the comparison, with its subjects and the presentation of its figures.
protocol Part: Sendable {
    /// The part's name on the command line and in the files in Results/.
    static var name: String { get }
    /// The subjects to measure.
    var subjects: [Subject] { get }
    /// The number of measurements of each subject.
    var rounds: Int { get }
    /// The number of measurements of each subject with a bound in the short mode.
    var shortRounds: Int { get }

    /// Returns the figures as Markdown; can make additional measurements that aren't subjects.
    func table(_ measurement: Measurement) async -> String
    func chart(_ measurement: Measurement) -> Chart
    /// A bar chart that compares implementations of the same task; nil if there is none.
    var bars: BarChart? { get }
}

extension Part {
    var name: String { Self.name }

    /// Measures all subjects and returns the results.
    func measure() async throws -> Results {
        let measurement = await Measurement.measure(subjects, rounds: rounds) { round in
            Progress.show("\(name): round \(round) of \(rounds)")
        }
        let results = Results(
            name: name, table: await table(measurement), chart: chart(measurement).svg,
            bars: bars?.svg(measurement),
            bounds: try Bound.all(of: name).compactMap { $0.check(measurement, isShort: false)?.text })
        Progress.clear()
        return results
    }

    /// Measures the subjects that have a bound in the short mode and returns whether they meet all these bounds.
    func check() async throws -> Bool {
        let bounds = try Bound.all(of: name).filter { $0.shortLimit != nil }
        let subjects = subjects.filter { subject in
            bounds.contains { [$0.first, $0.second ?? $0.first].contains { $0 == (subject.name, subject.number) } }
        }
        let measurement = await Measurement.measure(subjects, rounds: shortRounds) { _ in }
        let checks = bounds.map { bound in
            guard let check = bound.check(measurement, isShort: true) else {
                fatalError("bounds.txt: there is no \(bound.first) or no \(String(describing: bound.second))")
            }
            return check
        }
        for check in checks { print(check.text) }
        return checks.allSatisfy(\.isMet)
    }
}

/// The results of a part.
struct Results {
    let name: String
    /// The table, as Markdown.
    let table: String
    /// The chart, as SVG.
    let chart: String
    /// The chart with bars, as SVG; nil if there is none.
    let bars: String?
    /// A sentence for each bound.
    let bounds: [String]

    /// The default folder for the results.
    static let defaultFolder = URL(filePath: #filePath).appending(path: "../../../Results").standardized

    func write(into folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try table.write(to: folder.appending(path: "\(name).md"), atomically: true, encoding: .utf8)
        try chart.write(to: folder.appending(path: "\(name).svg"), atomically: true, encoding: .utf8)
        try bars?.write(to: folder.appending(path: "\(name)-bars.svg"), atomically: true, encoding: .utf8)
    }
}

/// A progress line on standard error.
enum Progress {
    static func show(_ text: String) { write("\r\u{1B}[K\(text)") }

    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
