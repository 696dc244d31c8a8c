import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Gates and manual clocks wake waiting tasks that are due or cancelled", .hangLimit)
struct GateAndClockTests {}

extension GateAndClockTests {
    @Test("an open gate lets all earlier and later callers through")
    func gate() async {
        let gate = Gate()
        #expect(!gate.isOpen)
        async let early: Void = gate.wait()
        async let earlyToo: Void? = try? gate.waitUnlessCancelled()
        gate.open()
        await early
        #expect(await earlyToo != nil)
        #expect(gate.isOpen)
        await gate.wait()
    }

    @Test("waitUnlessCancelled ends whenever its task is cancelled, and wait doesn't")
    func cancelledAtAGate() async {
        let gate = Gate()
        // The scheduler decides whether the task is cancelled before, while, or after it begins to wait. Repeat often
        // enough for all three cases.
        for _ in 0..<200 {
            let task = Task { @concurrent in try await gate.waitUnlessCancelled() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        let stubborn = Task {
            await gate.wait()
            return gate.isOpen
        }
        stubborn.cancel()
        gate.open()
        #expect(await stubborn.value)
    }

    @Test("a manual clock stands still until it is advanced, and wakes tasks that are due or cancelled at any time")
    func clock() async throws {
        let clock = ManualClock()
        let start = clock.now
        let first = Task { try await clock.sleep(for: .seconds(1)) }
        let second = Task { try await clock.sleep(for: .seconds(2)) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await first.value
        expect(clock.now, equals: start.advanced(by: .seconds(1)))
        clock.advance(by: .seconds(1))
        try await second.value
        // A task whose deadline has passed doesn't sleep.
        try await clock.sleep(until: start.advanced(by: .seconds(2)))
        // The task is cancelled before, while, or after it begins to sleep.
        for _ in 0..<200 {
            let task = Task { @concurrent in try await clock.sleep(for: .seconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        clock.advance(by: .seconds(1))
    }

    @Test("setting a manual clock back crashes the program with a message")
    func backwards() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ManualClock().advance(by: .seconds(-1))
        }
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(output.contains("ManualClock.advance(by:) must not be negative, but is -1.0 seconds"))
    }
}
