import ErrorRoutingTesting
import TestSupport

@testable import ErrorRouting

/// The plan of one run of the stress test, determined entirely by its seed.
struct StressPlan: CustomStringConvertible {
    enum End: CaseIterable {
        /// The bus finishes once everything is posted.
        case finishAtLast
        case finish, cancellation, shutdown, twoShutdowns
        /// The body of a `withErrorBus` throws.
        case bodyThrows
        /// The bus is released without ever having run.
        case letGo
    }

    let seed: UInt64
    let end: End
    let capacity: Int
    let floodLimit: FloodLimit?
    /// Nil for a real clock.
    let clock: ManualClock?
    let actionTimeLimit: Duration?
    let shutdownLimit: Duration
    let taskCount: Int
    let threadCount: Int
    let postsEach: Int
    /// The number of posts before the end.
    let endsAfter: Int
    let lineCount: Int
    let observerCount: Int
    /// The number of nested scopes to post in, in addition to the bus itself.
    let scopeCount: Int
    /// Whether an observer that misses nothing reads too; if not, an `always` action notes each delivery.
    let isWitnessed: Bool
    /// Whether the rules for `ActionFailure` throw too.
    let failuresFail: Bool
    let deeds: [StressDeed]
    /// The probability in percent that a step of the warden releases the hanging actions.
    let releasePercent: Int
    /// How many of 100 posts wait for their outcome.
    let deliverPercent: Int

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
        self.seed = seed
        let end = pick(End.allCases)
        self.end = end
        capacity = pick([1, 2, 5, 63, 64, 65, 200, 1_000, 8_192])
        clock = pick([ManualClock(), nil])
        floodLimit = pick([nil, nil, FloodLimit(first: pick([0, 1, 3]), per: .milliseconds(pick([1, 5])))])
        actionTimeLimit = pick([nil, .zero, .milliseconds(1), .milliseconds(3), .seconds(30)])
        shutdownLimit = pick([.zero, .milliseconds(1), .milliseconds(5), .seconds(1)])
        taskCount = pick([0, 1, 2, 4, 5])
        threadCount = pick(taskCount == 0 ? [1, 2] : [0, 0, 1, 3])
        postsEach = pick([10, 50, 200, 600])
        let total = (taskCount + threadCount) * postsEach
        endsAfter = Int.random(in: 1...total, using: &random)
        lineCount = pick([1, 3, 100])
        observerCount = end == .letGo ? 0 : pick([0, 0, 1, 3])
        failuresFail = pick([true, false, false, false])
        releasePercent = actionTimeLimit.map { $0 < .seconds(1) } == true ? pick([0, 5]) : 30
        // A caller that waits for a held report waits until a window ends.
        deliverPercent = end == .letGo ? 0 : pick(floodLimit == nil ? [0, 2, 20] : [0, 2])
        // Let most actions do something plain: otherwise most reports would be suspended.
        var deeds = [StressDeed](repeating: .stop, count: pick([20, 100, 600]))
        deeds += StressDeed.allCases.filter { $0 != .finish && $0 != .shutdown }
        let mayEndItself = end != .finishAtLast && end != .letGo && pick([true, false, false])
        if mayEndItself { deeds += [.finish, .shutdown] }
        self.deeds = deeds
        scopeCount = pick([0, 0, 1, 2, 3])
        // The line of a report that a shutdown inside an action cuts off has no number. A witness notes the others.
        isWitnessed = mayEndItself || pick([true, false])
    }

    var configuration: ErrorBus.Configuration {
        var configuration = ErrorBus.Configuration(
            capacity: capacity,
            actionTimeLimit: actionTimeLimit,
            floodLimit: floodLimit
        )
        if let clock { configuration.clock = clock }
        return configuration
    }

    var mayEndItself: Bool { deeds.contains(.finish) }

    var description: String {
        """
        seed \(seed): \(end) after \(endsAfter) of \(taskCount)+\(threadCount) × \(postsEach), capacity \(capacity), \
        \(clock == nil ? "real" : "test") clock, time limit \(actionTimeLimit.map { "\($0)" } ?? "none"), \
        shutdown within \(shutdownLimit), \
        flood limit \(floodLimit.map { "\($0.first) per \($0.window)" } ?? "none"), \(lineCount) lines, \
        \(observerCount) observers, \(scopeCount) scopes, \(deeds.count) deeds\(mayEndItself ? " with ends" : ""), \
        \(isWitnessed ? "" : "un")witnessed, release \(releasePercent) %, deliver \(deliverPercent) %\
        \(failuresFail ? ", failures fail" : "")
        """
    }
}
