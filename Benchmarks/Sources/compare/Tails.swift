import Contenders
import Foundation

/// Measures how long single posts take.
///
/// The median shows the cost of the code itself; the longest posts show how long a thread waits for other threads.
struct Tails {
    private static let rounds = 5

    /// The nanoseconds of every post, sorted, by the kind of posting and the number of threads.
    private let samples: [String: [Int64]]

    /// Measures each kind of posting with each number of threads.
    @concurrent
    static func measure() async -> Tails {
        var samples: [String: [Int64]] = [:]
        for round in 1...rounds {
            Progress.show("callers' tails: round \(round) of \(rounds)")
            for threads in PostTails.series {
                for tails in PostTails.all {
                    samples[key(tails.name, threads), default: []] += await tails.sample(threads: threads)
                }
            }
        }
        return Tails(samples: samples.mapValues { $0.sorted() })
    }

    /// The table of all measurements.
    var table: [String] {
        let names = [
            "ErrorBus": "`ErrorBus`", "postError on a thread, to the root": "`postError` to the root bus",
            "ErrorBus, full: each post is dropped and counted": "`ErrorBus`, full: drops and counts each post",
        ]
        return Table.heading(
            "µs per post (median / p99 / p99.9 / longest), by number of threads",
            PostTails.series.map { $0.formatted() })
            + PostTails.all.map { tails in
                let cells = PostTails.series.map { threads in
                    [0.5, 0.99, 0.999, 1].map { quantile($0, tails.name, threads) }.joined(separator: " / ")
                }
                return Table.line(names[tails.name] ?? tails.name, cells)
            }
    }

    /// Returns the microseconds that 99% of the posts don't exceed.
    func p99(_ name: String, _ threads: Int) -> String { quantile(0.99, name, threads) }

    private func quantile(_ fraction: Double, _ name: String, _ threads: Int) -> String {
        let sorted = samples[Self.key(name, threads)] ?? []
        guard !sorted.isEmpty else { return "–" }
        let value = Double(sorted[Int(fraction * Double(sorted.count - 1))]) / 1_000
        return value.formatted(.number.precision(.significantDigits(2)))
    }

    private static func key(_ name: String, _ threads: Int) -> String { "\(name)|\(threads)" }
}
