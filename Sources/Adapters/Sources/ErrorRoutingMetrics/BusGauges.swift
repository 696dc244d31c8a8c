import ErrorRouting
import Metrics
import Synchronization

/// One measured bus's part of the gauges that buses of the same name share.
final class BusGauges: Sendable {
    private struct Part {
        /// The counts that this bus has in the sums.
        var counts: [Int] = []
        var hasEnded = false
    }

    /// The sums of the counts of all buses with a name, including the buses that have ended.
    private static let sums = Mutex<[String?: [Int]]>([:])

    /// The bus's name, as a dimension.
    let dimensions: [(String, String)]
    private let name: String?
    private let part = Mutex(Part())

    init(_ name: String?) {
        self.name = name
        dimensions = name.map { [("bus", $0)] } ?? []
    }

    /// Records the sums with a bus's current statistics.
    ///
    /// - Parameters:
    ///   - isLast: Whether the bus has ended; later calls, such as one of a timer, then do nothing.
    ///   - statistics: Returns the statistics; called under a lock, so that no older ones replace newer ones.
    func record(isLast: Bool = false, _ statistics: () -> ErrorBus.Statistics) {
        guard let names = add(statistics, isLast: isLast) else { return }
        // Record without a lock, because this calls the metrics backend. If another thread changes the sums by then,
        // record again: that thread might have recorded the newer ones first.
        var recorded: [Int] = []
        while let sums = Self.sums.withLock({ $0[name] }), sums != recorded {
            for (name, sum) in zip(names, sums) {
                Gauge(label: "errors.\(name)", dimensions: dimensions).record(sum)
            }
            recorded = sums
        }
    }

    /// Replaces the bus's counts in the sums; returns the counts' names, or nil if the bus had ended before.
    private func add(_ statistics: () -> ErrorBus.Statistics, isLast: Bool) -> [String]? {
        part.withLock { part in
            if part.hasEnded { return nil }
            part.hasEnded = isLast
            let counts = statistics().counts
            let (values, former) = (counts.map(\.value), part.counts)
            part.counts = values
            Self.sums.withLock { sums in
                let before = sums[name] ?? values.map { _ in 0 }
                sums[name] = zip(before, values).enumerated().map { index, pair in
                    pair.0 &+ pair.1 &- (former.isEmpty ? 0 : former[index])
                }
            }
            return counts.map(\.key)
        }
    }
}
