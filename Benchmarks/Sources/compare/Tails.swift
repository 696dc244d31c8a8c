import Contenders
import Foundation

/// Measures how long single posts take.
///
/// The median shows the cost of the code itself; the longest posts show how long a thread waits for other threads.
enum Tails {
    private static let rounds = 5

    /// Measures each kind of posting with each number of threads and returns a table.
    @concurrent
    static func table() async -> [String] {
        var lines = [
            "| posting threads (microseconds per post: median / p99 / p99.9 / longest) | "
                + PostTails.series.map { "\($0)" }.joined(separator: " | ") + " |",
            "| --- |" + String(repeating: " --- |", count: PostTails.series.count),
        ]
        var samples: [String: [Int64]] = [:]
        for round in 1...rounds {
            Progress.show("callers' tails: round \(round) of \(rounds)")
            for threads in PostTails.series {
                for tails in PostTails.all {
                    samples["\(tails.name)|\(threads)", default: []] += await tails.sample(threads: threads)
                }
            }
        }
        for tails in PostTails.all {
            let cells = PostTails.series.map { text(samples["\(tails.name)|\($0)"] ?? []) }
            lines.append("| \(tails.name) | " + cells.joined(separator: " | ") + " |")
        }
        return lines
    }

    private static func text(_ samples: [Int64]) -> String {
        let sorted = samples.sorted()
        return [0.5, 0.99, 0.999, 1].map { fraction in
            let value = Double(sorted[Int(fraction * Double(sorted.count - 1))]) / 1_000
            return value.formatted(.number.precision(.significantDigits(2)))
        }.joined(separator: " / ")
    }
}
