import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// Detects counts that are read in the wrong order, and a bus that occupies a thread of the pool.
@Suite(
    "Promise 26: statistics balance whenever they are read, and a flood lets other tasks run",
    .tags(.promise26), .hangLimit)
struct BusStormTests {}

extension BusStormTests {
    /// The faults that one reader has found.
    private final class Complaints: Sendable {
        private let texts = Locked<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func note(_ text: String) { texts.withLock { if $0.count < 20 { $0.append(text) } } }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    private static let count = isLong ? 20_000 : 8_000

    static let configurations: [ErrorBus.Configuration] = [
        .init(), .init(capacity: 3), .init(capacity: 64, floodLimit: FloodLimit(first: 1, per: .milliseconds(1))),
    ]

    @Test("statistics balance in each read, pending stays within bounds, and no other count falls", arguments: 0..<3)
    func reads(index: Int) async {
        let configuration = Self.configurations[index]
        let handler = ErrorHandler()
            .on(Numbered.self) { error in
                if error.number % 1_000 == 0 { throw error }
                return .stop
            }
            .ignore(Zoo.Offline.self)
        let (complaints, isOver) = (Complaints(), Flag())
        let bus = ErrorBus(handler: handler, configuration: configuration)
        let run = Task { await bus.run() }
        async let readers: Void = onThreads(2) { _ in
            var last = bus.statistics
            while !isOver.isSet {
                let now = bus.statistics
                if let wrong = Self.wrong(now, after: last, in: configuration) { complaints.note(wrong) }
                // The counts don't change while the bus waits for its turn among other tests. Continuing to read took a
                // sixth of the whole run's time.
                if now == last { Thread.sleep(forTimeInterval: 0.0002) }
                last = now
            }
        }
        await onThreads(3) { _ in
            for number in 1...Self.count {
                bus.post(number % 3 == 0 ? Zoo.Offline() : Numbered(number))
                if number % 100 == 0, bus.statistics.posted < number { complaints.note("a post is not in the read") }
            }
        }
        bus.finish()
        await run.value
        isOver.set()
        await readers
        expect(complaints.all, equals: [])
        #expect(bus.statistics.isBalanced && bus.statistics.pending == 0 && bus.statistics.posted >= 3 * Self.count)
    }

    private static func wrong(
        _ now: ErrorBus.Statistics,
        after last: ErrorBus.Statistics,
        in configuration: ErrorBus.Configuration
    ) -> String? {
        if !now.isBalanced { return "\(now)" }
        // Notices of failures don't take capacity: allow the largest possible number, and one notice of drops.
        if now.pending < 0 || now.pending > configuration.capacity + 4 { return "pending \(now.pending)" }
        let counts: [KeyPath<ErrorBus.Statistics, Int>] = [
            \.posted, \.handled, \.ignored, \.unmatched, \.suppressed, \.dropped, \.actionFailures,
        ]
        for count in counts where now[keyPath: count] < last[keyPath: count] { return "\(last), then \(now)" }
        return nil
    }

    @Test("floods on more buses than cores let other tasks run: each bus delivers in turns")
    func turns() async {
        // Run in a separate process. A task of low priority runs after all other tests, and the floods would continue
        // alongside them until then.
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let isOver = Flag()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
                    group.addTask {
                        let storm = ErrorHandler().on(Numbered.self) { error in
                            if !isOver.isSet { ErrorBus.current?.post(error) }
                            return .stop
                        }
                        await withErrorBus(handler: storm) { bus in
                            bus.post(Numbered(1))
                            // The flood continues until another task has run.
                            await eventually("the task of low priority has run") { isOver.isSet }
                        }
                    }
                }
                group.addTask(priority: .low) { isOver.set() }
            }
        }
    }
}
