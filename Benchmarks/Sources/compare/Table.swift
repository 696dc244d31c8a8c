import Foundation

/// Creates Markdown tables of measurements.
enum Table {
    /// Returns the beginning of a page: the title, what was measured and how, and where the rows' code is.
    static func introduction(_ title: String, _ what: String, rounds: Int) -> String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return """
            # \(title)

            \(what).
            Each figure is the median of \(rounds) interleaved rounds, with quartiles in parentheses.
            Compare figures only with each other: other work also ran on the \(cores) cores.
            See [the command](../README.md#measure) and [the measured code](../Sources/Contenders).
            """
    }

    /// Returns a table with a row for each name that contains the name's cost at each number.
    static func series(_ names: [String], over title: String, _ numbers: [Int], in measurement: Measurement) -> [String]
    {
        var lines = [
            "| \(title) | " + numbers.map { $0.formatted() }.joined(separator: " | ") + " |",
            "| --- |" + String(repeating: " --- |", count: numbers.count),
        ]
        for name in names {
            let cells = numbers.map { nanoseconds(measurement.cost(name, $0)) }
            lines.append("| \(name) | " + cells.joined(separator: " | ") + " |")
        }
        return lines
    }

    /// Returns a table with a row for each single figure.
    static func list(_ title: String, _ subjects: [(String, Int)], in measurement: Measurement) -> [String] {
        ["| \(title) | ns |", "| --- | --- |"]
            + subjects.map { "| \($0.0) | \(nanoseconds(measurement.cost($0.0, $0.1))) |" }
    }

    /// Returns a table with a row for each replacement in a chart, with its time as a multiple of this package's time.
    ///
    /// Only the first row of a group contains the group's title.
    static func ratios(_ chart: BarChart, in measurement: Measurement) -> [String] {
        [
            "| time relative to this package (above 1: slower), median of the rounds' ratios | | |",
            "| --- | --- | --- |",
        ]
            + chart.groups.flatMap { group in
                group.bars.dropFirst().enumerated().compactMap { index, bar in
                    measurement.ratio(bar.subject, to: group.bars[0].subject).map { ratio in
                        line("\(index == 0 ? "\(group.title) |" : "|") \(bar.label)", ratio)
                    }
                }
            }
    }

    /// Returns a row for a ratio.
    static func line(_ what: String, _ ratio: Spread) -> String {
        "| \(what) | \(text(ratio, .significantDigits(3))) |"
    }

    private static func nanoseconds(_ spread: Spread?) -> String {
        spread.map { text($0, .fractionLength(0)) } ?? ""
    }

    private static func text(
        _ spread: Spread, _ precision: NumberFormatStyleConfiguration.Precision
    ) -> String {
        func text(_ value: Double) -> String { value.formatted(.number.precision(precision)) }
        return "\(text(spread.median)) (\(text(spread.lower))–\(text(spread.upper)))"
    }
}
