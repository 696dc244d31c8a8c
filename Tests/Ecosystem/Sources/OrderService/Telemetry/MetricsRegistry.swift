import Metrics
import Synchronization

/// Keeps all metrics in memory and returns them as text, one per line: `errors{role="failure"} 12`.
final class MetricsRegistry: MetricsFactory {
    private let metrics = Mutex<[String: Metric]>([:])

    /// All metrics as text, sorted by name.
    var text: String {
        let metrics = metrics.withLock { $0 }
        return metrics.sorted { $0.key < $1.key }.flatMap { $1.lines(named: $0) }.joined(separator: "\n") + "\n"
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { metric(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        metric(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { metric(label, dimensions) }

    // Don't destroy metrics: if one is created again with the same name, it must continue from its old value.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func metric(_ label: String, _ dimensions: [(String, String)]) -> Metric {
        let list = dimensions.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
        let name = list.isEmpty ? label : "\(label){\(list)}"
        return metrics.withLock { metrics in
            let metric = metrics[name] ?? Metric()
            metrics[name] = metric
            return metric
        }
    }
}

/// A metric: a count, the latest value, or the number, sum, and maximum of durations.
private final class Metric: CounterHandler, RecorderHandler, TimerHandler {
    private enum Value {
        case none
        case number(Double)
        case durations(count: Int, sum: Int64, max: Int64)
    }

    private let value = Mutex(Value.none)

    func increment(by amount: Int64) {
        value.withLock { value in
            var sum = Double(amount)
            if case .number(let number) = value { sum += number }
            value = .number(sum)
        }
    }

    func reset() { value.withLock { $0 = .none } }

    func record(_ number: Int64) { record(Double(number)) }

    func record(_ number: Double) { value.withLock { $0 = .number(number) } }

    func recordNanoseconds(_ duration: Int64) {
        value.withLock { value in
            var all = (count: 0, sum: Int64(0), max: Int64(0))
            if case .durations(let count, let sum, let max) = value { all = (count, sum, max) }
            value = .durations(count: all.count + 1, sum: all.sum + duration, max: max(all.max, duration))
        }
    }

    func lines(named name: String) -> [String] {
        switch value.withLock({ $0 }) {
        case .none: ["\(name) 0"]
        case .number(let number): ["\(name) \(number)"]
        case .durations(let count, let sum, let max):
            ["\(name).count \(count)", "\(name).sum_ns \(sum)", "\(name).max_ns \(max)"]
        }
    }
}
