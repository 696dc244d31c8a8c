import Contenders
import Foundation

/// The measured figures as Markdown.
struct Table {
    let measurement: Measurement
    let scaling: [Scaling]
    let rounds: Int

    private static let names = [
        "match by type", "miss", "match by value", "match by NSError", "match by superclass", "match under an error",
        "error map", "linear list",
    ]

    var markdown: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        var lines = [
            "Nanoseconds for one error: medians of \(rounds) interleaved rounds, with the quartiles. \(cores) cores, "
                + "shared with others: compare the figures with each other, not with those of another machine.",
            "",
            "| rules | " + Contender.series.map { $0.formatted() }.joined(separator: " | ") + " |",
            "| --- |" + String(repeating: " --- |", count: Contender.series.count),
        ]
        for name in Self.names {
            let cells = Contender.series.map { measurement.cost(name, $0).map(Self.nanoseconds) ?? "" }
            lines.append("| \(name) | " + cells.joined(separator: " | ") + " |")
        }
        lines += ["", "| beside them | |", "| --- | --- |"]
        for (name, rules) in [
            ("eight types, the fourth", 8), ("switch, 4th case", 4), ("eight types, the eighth", 8),
            ("switch, 8th case", 8), ("always alone", 1), ("asynchronous action", 1), ("four tasks at once", 64),
            ("NotificationCenter", 1), ("building 1,000 rules", 1_000),
        ] {
            lines.append("| \(name) | \(measurement.cost(name, rules).map(Self.nanoseconds) ?? "") |")
        }
        lines += ["", "| ratio | measured | goal | |", "| --- | --- | --- | --- |"]
        for goal in Goal.all {
            guard let ratio = measurement.ratio(goal.first, to: goal.second) else { continue }
            let isMet = goal.isMet(by: ratio.median, bound: goal.bound)
            lines.append(
                "| \(goal.text) | \(Self.ratio(ratio)) | \(goal.isFloor ? "≥" : "≤") \(goal.bound.formatted()) "
                    + "| \(isMet ? "met" : "missed") |")
        }
        for scaling in scaling {
            let text =
                "\(scaling.name): throughput of \(scaling.cores) tasks over 1, relative to a control that shares nothing"
            let isMet = scaling.relative.median >= 0.9
            lines.append("| \(text) | \(Self.ratio(scaling.relative)) | ≥ 0.9 | \(isMet ? "met" : "missed") |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func nanoseconds(_ spread: Spread) -> String {
        func text(_ value: Double) -> String { value.formatted(.number.precision(.fractionLength(0))) }
        return "\(text(spread.median)) (\(text(spread.lower))–\(text(spread.upper)))"
    }

    private static func ratio(_ spread: Spread) -> String {
        func text(_ value: Double) -> String { value.formatted(.number.precision(.significantDigits(3))) }
        return "\(text(spread.median)) (\(text(spread.lower))–\(text(spread.upper)))"
    }
}
