import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Timers of the system's clock end on time, or when cancelled", .hangLimit)
struct SleepTests {}

extension SleepTests {
    @Test("a sleep lasts as long as it should; a cancelled one ends immediately, and throws")
    func lasts() async throws {
        let clock = BusClock(ContinuousClock())
        let begin = ContinuousClock.now
        try await clock.sleep(clock.now() + .milliseconds(20))
        #expect(ContinuousClock.now - begin >= .milliseconds(20))
        try await clock.sleep(clock.now() - .seconds(1))

        let sleeping = Task { try await clock.sleep(clock.deadline(after: .seconds(Int64.max))) }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }

    @Test("a sleep beyond a clock's range is cancelled like any other; a deadline in the past causes no wait")
    func longest() async throws {
        let clocks: [any Clock<Duration>] = [ContinuousClock(), SuspendingClock(), ManualClock()]
        for clock in clocks {
            let sleeping = Task { try await sleep(for: .seconds(Int64.max), on: clock) }
            sleeping.cancel()
            await #expect(throws: CancellationError.self, "\(clock)") { try await sleeping.value }
            for duration in [Duration.seconds(Int64.min), .zero] { try await sleep(for: duration, on: clock) }
        }
    }

    @Test("the library's code sleeps only in this way")
    func nowhereElse() throws {
        // The demo, the examples, and the documentation show code that users write.
        let others = /(^|\/)(Tests|error-bus-demo|example-\w+)\/|Support\/sleep\.swift$/
        let files = Markdown.files(below: "Sources", endingIn: ".swift").filter { !$0.contains(others) }
        for file in files {
            let text = try Markdown.text(of: "Sources/\(file)").replacing(/\s*\/\/\/[^\n]*/, with: "")
                .replacing("ErrorRouting.sleep", with: "sleep")
            #expect(!text.contains(/[\w)]\.sleep\((for|until|nanoseconds):/), "\(file)")
        }
        #expect(files.count > 100)
    }

    @Test("a cancelled sleep leaves nothing in memory, however long it would have lasted")
    func leavesNothing() async {
        await #expect(processExitsWith: .success) {
            let bus = ErrorBus(handler: ErrorHandler().on(Numbered.self) { _ in .stop })
            bus.post(Numbered(0))
            var before = 0
            for round in 0..<22_000 {
                if round == 2_000 { before = residentSize() }
                // The bus doesn't run yet, so each flush waits, with its own timer, until it is cancelled.
                let flush = Task { await bus.flush(within: .seconds(1_000)) }
                // Let the flush begin: nothing signals that it sleeps, because a clock that did would be another clock
                // than the one whose sleeps are tested. A flush that hasn't begun allocates less.
                for _ in 0..<3 { await Task.yield() }
                flush.cancel()
                #expect(await !flush.value)
            }
            let grown = residentSize() - before
            #expect(grown < 4 << 20 || keepsFreedMemory || keepsRecordsOfTasks, "\(grown) bytes")
            bus.finish()
            await bus.run()
        }
    }
}

extension SleepTests {
    /// A clock that advances by a second whenever it is read, and notes the deadlines of its sleeps.
    private final class Advancing: Clock {
        struct Instant: InstantProtocol {
            var offset: Duration

            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
        }

        let deadlines = Journal<Duration>()
        private let seconds = Locked(-1)

        var now: Instant {
            Instant(
                offset: .seconds(
                    seconds.withLock { seconds in
                        seconds += 1
                        return seconds
                    }))
        }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws { deadlines.note(deadline.offset) }
    }

    @Test("a bus's sleep ends at its deadline, even on a clock that advances while the sleep begins")
    func advancedMeanwhile() async throws {
        let clock = Advancing()
        try await BusClock(clock).sleep(.seconds(10))
        expect(clock.deadlines.entries, equals: [.seconds(10)])
    }

    /// A clock whose instants are whole milliseconds, rounded down.
    private struct Coarse: Clock {
        struct Instant: InstantProtocol {
            let milliseconds: Int64

            func advanced(by duration: Duration) -> Instant {
                Instant(milliseconds: milliseconds + duration.nanoseconds / 1_000_000)
            }
            func duration(to other: Instant) -> Duration { .milliseconds(other.milliseconds - milliseconds) }
            static func < (first: Instant, second: Instant) -> Bool { first.milliseconds < second.milliseconds }
        }

        let base = ManualClock()
        private let origin: ManualClock.Instant

        init() { origin = base.now }

        var now: Instant { Instant(milliseconds: origin.duration(to: base.now).nanoseconds / 1_000_000) }
        var minimumResolution: Duration { .milliseconds(1) }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await base.sleep(until: origin.advanced(by: .milliseconds(deadline.milliseconds)))
        }
    }

    @Test("a bus's clock whose steps are coarser than a deadline waits for a step instead of waking up again and again")
    func coarse() async throws {
        let coarse = Coarse()
        let clock = BusClock(coarse)
        for step in 1...2 {
            let sleeping = Task { try await clock.sleep(.microseconds(1_500)) }
            await coarse.base.waitForSleepers()
            coarse.base.advance(by: .milliseconds(1))
            try await sleeping.value
            expect(clock.now(), equals: .milliseconds(step))
        }
    }
}
