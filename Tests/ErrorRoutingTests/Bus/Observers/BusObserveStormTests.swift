import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

/// Checks under load that the observer's reports and the counts agree.
///
/// `ERROR_BUS_LONG=1` posts a million errors.
@Suite("Promise 19: an observer receives every report in a flood", .tags(.promise19), .hangLimit)
struct BusObserveStormTests {}

extension BusObserveStormTests {
    private static let count = isLong ? 1_000_000 : 10_000

    /// The reports that an observer has received.
    ///
    /// Only the worker writes the tally, and the worker has ended when the tally is read.
    private final class Tally: Sendable {
        struct Counts {
            var received = 0
            var dispositions: [HandleOutcome.Disposition: Int] = [:]
            var suppressed = 0
            var reportedDrops = 0
            var failures = 0
            var last: UInt64 = 0
            var lastOfThread: [Int] = [0, 0, 0, 0]
            var isInOrder = true
            var ends: [ErrorBus.Statistics] = []
        }

        let counts = Locked(Counts())

        func receive(_ report: ErrorReport) {
            counts.withLock { counts in
                counts.received += 1
                counts.dispositions[report.outcome.disposition, default: 0] += 1
                counts.suppressed += report.occurrences - 1
                counts.failures += report.outcome.failures.count
                if let drops = report.error as? ErrorsDropped { counts.reportedDrops += drops.count }
                // Sequence numbers have no gap.
                if report.sequence != counts.last + 1 { counts.isInOrder = false }
                counts.last = report.sequence
                guard let error = report.error as? Numbered else { return }
                let (thread, number) = (error.number % 4, error.number / 4)
                if number <= counts.lastOfThread[thread], report.occurrences == 1 { counts.isInOrder = false }
                counts.lastOfThread[thread] = number
            }
        }
    }

    static let configurations: [ErrorBus.Configuration] = [
        .init(capacity: 1 << 22), .init(capacity: 10), .init(capacity: 1), .init(capacity: 1_000),
        .init(capacity: 100, floodLimit: FloodLimit(first: 1, per: .microseconds(100))),
    ]

    @Test(
        "four callers post, at any capacity, until the bus has drained or a shutdown interrupts them",
        arguments: 0..<5, [false, true])
    func posters(index: Int, isShutDown: Bool) async {
        await storm(Self.configurations[index]) { bus in
            if isShutDown { return await bus.shutdown(within: .milliseconds(1)) }
            bus.finish()
            return []
        }
    }

    private func storm(
        _ configuration: ErrorBus.Configuration,
        _ end: @Sendable (ErrorBus) async -> [ErrorReport]
    ) async {
        let tally = Tally()
        let handler = ErrorHandler()
            .on(Numbered.self) { error in
                if error.number % 1_001 == 0 { throw error }
                if error.number % 997 == 0 { await Task.yield() }
                return .stop
            }
            .ignore(Zoo.Offline.self)
        var configuration = configuration
        configuration.lastResort = LastResort { _ in }
        let bus = ErrorBus(handler: handler, configuration: configuration)
        let observation = bus.observe(
            { tally.receive($0) }, onEnd: { end in tally.counts.withLock { $0.ends.append(end) } })
        // A slow reader doesn't affect the observer.
        let reports = bus.reports(bufferingNewest: 3)
        async let running: Void = bus.run()
        async let posted: Void = onThreads(4) { thread in
            for number in 1...Self.count / 4 {
                bus.post(number % 5 == 0 ? Zoo.Offline() : Numbered(number * 4 + thread))
            }
        }
        // In one of the cases, the bus ends while errors are being posted.
        let isEarly = configuration.capacity == 1_000
        if isEarly {
            await eventually("a hundred reports are received") { tally.counts.withLock { $0.received >= 100 } }
        }
        let early = isEarly ? await end(bus) : []
        await posted
        let left = isEarly ? early : await end(bus)
        await running
        var read = 0
        for await report in reports { read += 1 + report.missed }
        let (counts, statistics) = (tally.counts.withLock { $0 }, bus.statistics)
        #expect(statistics.isBalanced)
        expect(statistics.pending, equals: 0)
        #expect(counts.isInOrder)
        expect(counts.received, equals: statistics.handled + statistics.ignored + statistics.unmatched)
        expect(counts.dispositions[.handled, default: 0], equals: statistics.handled)
        expect(counts.dispositions[.ignored, default: 0], equals: statistics.ignored)
        expect(counts.dispositions[.unmatched, default: 0], equals: statistics.unmatched)
        #expect(
            counts.suppressed <= statistics.suppressed && (!left.isEmpty || counts.suppressed == statistics.suppressed))
        #expect(counts.reportedDrops + left.count <= statistics.dropped)
        expect(counts.failures, equals: statistics.actionFailures)
        #expect(counts.ends.count == 1 && counts.ends.allSatisfy { $0.isBalanced && $0.handled == statistics.handled })
        // Errors that were posted after the end count as dropped.
        #expect(isEarly || counts.ends == [statistics])
        expect(read, equals: counts.received)
        withExtendedLifetime(observation) {}
    }
}
