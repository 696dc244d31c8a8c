import ErrorRouting
import Metrics
import Synchronization

/// One measured bus's contribution to the gauges that buses with the same name share.
final class BusGauges: Sendable {
    /// Identifies a gauge: its label and, for a count by rule, the rule.
    private struct Key: Hashable {
        let label: String
        var rule: String?
    }

    private struct Part {
        /// The counts that this bus contributes to the sums.
        var counts: [Key: Int] = [:]
        var hasEnded = false
    }

    /// The sums of the counts of all buses by name, including buses that have ended.
    private static let sums = Mutex<[String?: [Key: Int]]>([:])

    /// The bus's name, as a dimension.
    let dimensions: [(String, String)]
    private let name: String?
    private let part = Mutex(Part())

    init(_ name: String?) {
        self.name = name
        dimensions = name.map { [("bus", $0)] } ?? []
    }

    /// Records the sums after adding a bus's current statistics and counts by rule.
    ///
    /// `isLast` is true if the bus has ended; later calls, such as a timer's, then have no effect. `rules` is nil to
    /// leave the counts by rule unchanged, because there are too many to record with each report. `statistics` is
    /// called under a lock, so that older statistics don't replace newer ones.
    func record(isLast: Bool = false, rules: RuleCounts? = nil, _ statistics: () -> ErrorBus.Statistics) {
        guard let keys = add(statistics, rules, isLast: isLast) else { return }
        // Record without a lock, because recording calls the metrics backend. If another thread has changed the sums by
        // then, record again, because that thread might have recorded its newer sums first.
        var recorded: [Key: Int] = [:]
        while let sums = Self.sums.withLock({ $0[name]?.filter { keys.contains($0.key) } }), sums != recorded {
            for (key, sum) in sums {
                let rule = key.rule.map { [("rule", $0)] } ?? []
                Gauge(label: key.label, dimensions: rule + dimensions).record(sum)
            }
            recorded = sums
        }
    }

    /// Replaces the bus's counts in the sums, and returns the gauges to record; nil if the bus had already ended.
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
