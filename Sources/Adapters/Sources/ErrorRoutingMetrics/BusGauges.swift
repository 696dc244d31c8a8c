import ErrorRouting
import Metrics
import Synchronization

/// One measured bus's part of the gauges that buses of the same name share.
final class BusGauges: Sendable {
    /// A gauge: its label, and the rule of a count by rule.
    private struct Key: Hashable {
        let label: String
        var rule: String?
    }

    private struct Part {
        /// The counts that this bus has in the sums.
        var counts: [Key: Int] = [:]
        var hasEnded = false
    }

    /// The sums of the counts of all buses with a name, including the buses that have ended.
    private static let sums = Mutex<[String?: [Key: Int]]>([:])

    /// The bus's name, as a dimension.
    let dimensions: [(String, String)]
    private let name: String?
    private let part = Mutex(Part())

    init(_ name: String?) {
        self.name = name
        dimensions = name.map { [("bus", $0)] } ?? []
    }

    /// Records the sums with a bus's current statistics and counts by rule.
    ///
    /// - Parameters:
    ///   - isLast: Whether the bus has ended; later calls, such as one of a timer, then do nothing.
    ///   - rules: The counts by rule; nil to leave them unchanged, because there are too many to record with each
    ///     report.
    ///   - statistics: Returns the statistics; called under a lock, so that no older ones replace newer ones.
    func record(isLast: Bool = false, rules: RuleCounts? = nil, _ statistics: () -> ErrorBus.Statistics) {
        guard let keys = add(statistics, rules, isLast: isLast) else { return }
        // Record without a lock, because this calls the metrics backend. If another thread changes the sums by then,
        // record again: that thread might have recorded the newer ones first.
        var recorded: [Key: Int] = [:]
        while let sums = Self.sums.withLock({ $0[name]?.filter { keys.contains($0.key) } }), sums != recorded {
            for (key, sum) in sums {
                let rule = key.rule.map { [("rule", $0)] } ?? []
                Gauge(label: key.label, dimensions: rule + dimensions).record(sum)
            }
            recorded = sums
        }
    }

    /// Replaces the bus's counts in the sums; returns the gauges to record, or nil if the bus had ended before.
    private func add(_ statistics: () -> ErrorBus.Statistics, _ rules: RuleCounts?, isLast: Bool) -> Set<Key>? {
        part.withLock { part -> Set<Key>? in
            if part.hasEnded { return nil }
            part.hasEnded = isLast
            var counts: [Key: Int] = [:]
            for (end, count) in statistics().counts { counts[Key(label: "errors.\(end)")] = count }
            if let rules {
                for (rule, count) in rules {
                    counts[Key(label: "errors.rule", rule: rule.description), default: 0] += count
                }
                if rules.others > 0 { counts[Key(label: "errors.rule", rule: "others")] = rules.others }
            }
            let former = part.counts
            part.counts.merge(counts) { $1 }
            Self.sums.withLock { sums in
                for (key, count) in counts {
                    sums[name, default: [:]][key, default: 0] &+= count &- (former[key] ?? 0)
                }
            }
            return Set(counts.keys)
        }
    }
}
