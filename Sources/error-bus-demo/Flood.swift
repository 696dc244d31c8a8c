import ErrorRecording
import ErrorRouting
import Synchronization

/// Posts more errors than a bus has room for, from several tasks at the same time, and shows what happens to them.
enum Flood {
    static let taskCount = 8
    static let postsOfEach = 12_500

    static func run(on screen: Screen, recordingTo recorder: ErrorRecorder) async {
        // The number of errors that the delivered reports represent, and the number of the bus's own reports of drops.
        let delivered = Mutex((errors: 0, dropReports: 0))
        let limits = ErrorBus.Configuration(capacity: 1_000, floodLimit: FloodLimit(first: 3, per: .seconds(1)))
        let (bus, times) = await withErrorBus(handler: .default, configuration: limits) { bus in
            bus.observeUntilEnd { report in
                recorder.record(report)
                delivered.withLock {
                    if report.error is ErrorsDropped { $0.dropReports += 1 } else { $0.errors += report.occurrences }
                }
            }
            let times = await withTaskGroup { group in
                for task in 0..<taskCount { group.addTask { await post(shelf: task, to: bus) } }
                return await group.reduce(into: []) { $0 += $1 }.sorted()
            }
            return (bus, times)
        }
        let (errors, dropReports) = delivered.withLock { $0 }
        let ends = bus.statistics.counts.filter { $0.value > 0 }
        let sum = ends.reduce(0) { $0 + $1.value }
        screen.table(
            [["count", "end"]] + ends.map { ["\($0.value)", $0.key] }
                + [["\(sum)", "in all: \(taskCount * postsOfEach) errors, \(dropReports) reports of drops by the bus"]])
        screen.line(
            """
            The delivered reports stand for \(errors) errors. A post took \
            \(times[times.count / 2].inMicroseconds) µs (median), \(times[times.count * 99 / 100].inMicroseconds) µs \
            (99 of 100)\(isOptimized ? "" : ", not optimized").
            """)
    }

    /// Posts errors, and returns how long each post took.
    private static func post(shelf: Int, to bus: ErrorBus) async -> [Duration] {
        var times: [Duration] = []
        for number in 0..<postsOfEach {
            times.append(ContinuousClock().measure { bus.post(StockError.unreadable(shelf: shelf)) })
            // Suspend at intervals, so that the bus's own task can run too.
            if number % 50 == 0 { await Task.yield() }
        }
        return times
    }

    private static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}

extension Duration {
    fileprivate var inMicroseconds: String {
        "\((self / .microseconds(1) * 10).rounded() / 10)"
    }
}
