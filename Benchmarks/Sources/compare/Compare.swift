import Contenders
import Foundation

/// Measures this package beside what one would write instead, and prints one table.
@main
enum Compare {
    private static let usage = """
        usage: swift run -c release compare [--short] [--results FOLDER]

          --short            a few rounds; checks only that the cost does not grow with the rules, with wide bounds
          --results FOLDER   where dispatch.svg and dispatch.md are written (default: Benchmarks/Results, and the table
                             into the README as well)
        """

    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        var isShort = false
        var isDefault = true
        var folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Results").standardized
        while let argument = arguments.popFirst() {
            switch argument {
            case "--short":
                isShort = true
            case "--results":
                guard let path = arguments.popFirst() else { fail("--results needs a folder") }
                folder = URL(filePath: path)
                isDefault = false
            case "--help":
                print(usage)
                exit(0)
            default:
                fail("unknown option \(argument)")
            }
        }
        #if DEBUG
            fail("figures of a debug build say nothing; run it with -c release")
        #else
            exit(await isShort ? short() : full(into: folder, isDefault: isDefault))
        #endif
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("compare: \(message)\n\(usage)\n".utf8))
        exit(64)
    }

    /// Checks the flat ratios alone.
    @concurrent
    private static func short() async -> Int32 {
        let goals = Goal.all.filter { $0.shortBound != nil }
        let wanted = Set(goals.flatMap { [$0.first.0, $0.second.0] })
        let contenders = Contender.all.filter { wanted.contains($0.name) && [1, 1_000].contains($0.rules) }
        let measurement = await Measurement.take(contenders, rounds: 15) { _ in }
        var failures = 0
        for goal in goals {
            guard let bound = goal.shortBound, let ratio = measurement.ratio(goal.first, to: goal.second) else {
                continue
            }
            let isMet = goal.isMet(by: ratio.median, bound: bound)
            if !isMet { failures += 1 }
            let figure = ratio.median.formatted(.number.precision(.significantDigits(3)))
            print("\(isMet ? "ok    " : "FAILED") \(goal.text): \(figure), at most \(bound.formatted())")
        }
        return failures == 0 ? 0 : 1
    }

    /// Measures everything, and writes the table and the chart.
    @concurrent
    private static func full(into folder: URL, isDefault: Bool) async -> Int32 {
        let rounds = 41
        let contenders = Contender.all
        let measurement = await Measurement.take(contenders, rounds: rounds) { round in
            FileHandle.standardError.write(Data("\rround \(round) of \(rounds)".utf8))
        }
        FileHandle.standardError.write(Data("\rscaling …        ".utf8))
        let scaling = await Scaling.takeAll(rounds: 15)
        FileHandle.standardError.write(Data("\r                 \r".utf8))
        let table = Table(measurement: measurement, scaling: scaling, rounds: rounds).markdown
        print(table)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try table.write(to: folder.appending(path: "dispatch.md"), atomically: true, encoding: .utf8)
            try chart(measurement).svg.write(
                to: folder.appending(path: "dispatch.svg"), atomically: true, encoding: .utf8)
            if isDefault { try updateReadme(table) }
        } catch {
            FileHandle.standardError.write(Data("compare: the results could not be written: \(error)\n".utf8))
            return 73
        }
        return 0
    }

    /// Puts the table where the README shows it.
    private static func updateReadme(_ table: String) throws {
        let readme = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../README.md")
            .standardized
        let text = try String(contentsOf: readme, encoding: .utf8)
        let (begin, end) = ("<!-- dispatch.md -->\n", "<!-- end of dispatch.md -->")
        guard let first = text.range(of: begin), let last = text.range(of: end) else { return }
        let updated = text[..<first.upperBound] + table + text[last.lowerBound...]
        try updated.write(to: readme, atomically: true, encoding: .utf8)
    }

    private static func chart(_ measurement: Measurement) -> Chart {
        func line(_ label: String, _ name: String, _ color: String) -> Chart.Line {
            let points = Contender.series.compactMap { rules in
                measurement.cost(name, rules).map { (Double(rules), $0.median) }
            }
            return Chart.Line(name: label, color: color, points: points)
        }
        let switches = [("switch, 4th case", 4), ("switch, 8th case", 8)].compactMap { name, rules in
            measurement.cost(name, rules).map { (Double(rules), $0.median) }
        }
        return Chart(lines: [
            line("linear list", "linear list", "#c0392b"),
            Chart.Line(name: "switch", color: "#7f8c8d", points: switches),
            line("this package, by type", "match by type", "#2060c0"),
        ])
    }
}
