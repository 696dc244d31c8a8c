import Foundation

/// Creates Markdown tables of measurements.
enum Table {
    /// A row's name and its subjects; nil leaves a cell without a figure.
    typealias Row = (name: String, subjects: [(String, Int)?])

    /// The compiler and the machine of the figures in `Results`; update it before measuring with others.
    private static let (compiler, architecture) = ("Swift 6.3.1", "x86-64")

    /// What a log call in a row's name is.
    static let logCall = "Log calls pass metadata to a function that discards it."

    /// The cell of a case that wasn't measured.
    private static let blank = "–"

    /// Returns the beginning of a page: the title, what the tables show, how it was measured, and where the rows' code
    /// is.
    ///
    /// - Parameters:
    ///   - figures: The beginning of the sentence about the figures.
    ///   - notes: Lines about words in the tables.
    static func introduction(
        _ title: String, _ conclusion: String, figures: String, rounds: Int, notes: [String] = []
    ) -> String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let introduction = """
            # \(title)

            \(conclusion)

            \(figures) medians of \(rounds) interleaved rounds, with quartiles in parentheses.
            The \(cores) \(architecture) Linux cores (\(compiler)) also ran other work, so compare figures only with each \
            other.
            See [the command](../README.md#measure) and [the measured code](../Sources/Contenders).
            """
        return ([introduction] + notes).joined(separator: "\n")
    }

    /// Returns a table of costs, with a column for each subject of a row.
    static func costs(_ title: String, _ columns: [String], _ rows: [Row], in measurement: Measurement) -> [String] {
        heading(title, columns)
            + rows.map { row in
                let cells = row.subjects.map { subject in
                    subject.flatMap { measurement.cost($0.0, $0.1) }.map { text($0, .fractionLength(0)) } ?? blank
                }
                return line(row.name, cells)
            }
    }

    /// Returns a table of costs, with a column for each number.
    ///
    /// - Parameter rows: Each row's name and its subjects' name.
    static func series(
        _ title: String, _ numbers: [Int], _ rows: [(String, String)], in measurement: Measurement
    ) -> [String] {
        let rows = rows.map { name, subject in Row(name, numbers.map { (subject, $0) }) }
        return costs(title, numbers.map { $0.formatted() }, rows, in: measurement)
    }

    /// Returns a table of a chart's groups, with a column for each replacement's time as a multiple of this package's.
    static func ratios(_ chart: BarChart, in measurement: Measurement) -> [String] {
        let labels = chart.groups.flatMap { $0.bars.dropFirst() }.map(\.label)
        let columns = labels.enumerated().filter { labels.firstIndex(of: $1) == $0 }.map(\.element)
        return heading("time divided by this package's time (above 1: slower)", columns)
            + chart.groups.map { group in
                let cells = columns.map { label in
                    group.bars.first { $0.label == label }
                        .flatMap { measurement.ratio($0.subject, to: group.bars[0].subject) }
                        .map(ratio) ?? blank
                }
                return line(group.title, cells)
            }
    }

    /// Returns a table's first two lines.
    static func heading(_ title: String, _ columns: [String]) -> [String] {
        [line(title, columns), "| --- |" + String(repeating: " --- |", count: columns.count)]
    }

    /// Returns a table row.
    static func line(_ name: String, _ cells: [String]) -> String { "| \(name) | \(cells.joined(separator: " | ")) |" }

    /// Returns a ratio's median and quartiles.
    static func ratio(_ ratio: Spread) -> String { text(ratio, .significantDigits(3)) }

    /// Returns the median of a cost in nanoseconds, for a sentence.
    static func median(_ name: String, _ number: Int, in measurement: Measurement) -> String {
        measurement.cost(name, number)?.median.formatted(.number.precision(.fractionLength(0))) ?? blank
    }

    private static func text(
        _ spread: Spread, _ precision: NumberFormatStyleConfiguration.Precision
    ) -> String {
        func text(_ value: Double) -> String { value.formatted(.number.precision(precision)) }
        return "\(text(spread.median)) (\(text(spread.lower))–\(text(spread.upper)))"
    }
}
