import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

/// A bus on a test clock, with everything that an observer, the last resort, and the end callback received from it.
struct Stage {
    let clock = ManualClock()
    private(set) var bus: ErrorBus
    /// The reports that an observer received.
    let seen = Log<ErrorReport>()
    /// The reports that the last resort received.
    let lines = Log<ErrorReport>()
    /// The counts that the observer received at the end.
    let ends = Log<Counts>()

    /// Creates a bus that isn't running yet.
    ///
    /// - Parameters:
    ///   - handler: The rules.
    ///   - capacity: The number of reports that can be pending.
    ///   - actionTimeLimit: The time that an asynchronous action may run; nil for no limit.
    ///   - floodLimit: The flood limit; nil for no limit.
    ///   - isTimed: Whether the bus uses the test clock, and not the system's.
    init(
        _ handler: ErrorHandler = ErrorHandler(), capacity: Int = 1_000, actionTimeLimit: Duration? = nil,
        floodLimit: FloodLimit? = nil, isTimed: Bool = true
    ) {
        let configuration = ErrorBus.Configuration(
            capacity: capacity, actionTimeLimit: actionTimeLimit, floodLimit: floodLimit,
            clock: isTimed ? clock : ContinuousClock(),
            lastResort: LastResort(reports: { [lines] report, _ in lines.add(report) }))
        bus = ErrorBus(handler: handler, configuration: configuration)
        bus.observeUntilEnd { [seen] in
            seen.add($0)
        } onEnd: { [ends] in
            ends.add(Counts($0))
        }
    }

    /// Posts numbered errors from one line.
    func post(_ numbers: ClosedRange<Int>) {
        for number in numbers { bus.post(Mishap(number)) }
    }

    /// Finishes the bus and runs it until everything that was posted before is delivered.
    func drain() async {
        bus.finish()
        await bus.run()
    }

    /// Runs the bus in a task, which retains the bus until the run returns.
    func run() -> Task<Void, Never> { Task { [bus] in await bus.run() } }

    /// Waits until only this value retains the bus, so that the bus's worker and every action have ended, even actions
    /// that were abandoned.
    ///
    /// After that, no late effect can follow. Other copies of this value, and closures with the bus, must be gone.
    mutating func becomesOnlyOwner(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        await becomesOnlyReference(to: &bus, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Waits until a number of tasks sleep on the clock; fails the test if that takes much too long.
    ///
    /// A limit whose task still sleeps hasn't expired.
    func sleepersReach(
        _ count: Int = 1, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
        column: Int = #column
    ) async {
        let areAsleep = Gate()
        let waiting = Task { [clock] in
            await clock.waitForSleepers(count)
            areAsleep.open()
        }
        await eventually(
            "the number of sleeping tasks is \(count)", fileID: fileID, filePath: filePath, line: line, column: column
        ) { areAsleep.isOpen }
        waiting.cancel()
    }

    /// Runs the bus while a body runs, and then finishes it.
    func running(_ body: () async -> Void) async {
        async let run: Void = bus.run()
        await body()
        bus.finish()
        await run
    }

    /// Checks what holds for every bus that has ended: its counts agree with everything that left it.
    ///
    /// - Parameter returned: What `shutdown` returned.
    func expectLaws(returned: [ErrorReport] = []) {
        let counts = bus.counts
        #expect(counts.isBalanced)
        expect(counts.pending, equals: 0)
        let outcomes = seen.entries.map(\.outcome.disposition)
        expect(outcomes.count { $0 == .handled }, equals: counts.handled)
        expect(outcomes.count { $0 == .ignored }, equals: counts.ignored)
        expect(outcomes.count { $0 == .unmatched }, equals: counts.unmatched)
        expect(outcomes.count, equals: counts.handled + counts.ignored + counts.unmatched)
        let sequences = seen.entries.map(\.sequence)
        #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
        let all = seen.entries + returned
        expect(all.reduce(0) { $0 + $1.occurrences - 1 }, equals: counts.suppressed)
        // The observer is notified of the end once.
        expect(ends.count, equals: 1)
    }
}
