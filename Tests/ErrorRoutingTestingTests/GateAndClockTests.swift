import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Gates and manual clocks wake who waits, once it is due or cancelled", .hangLimit)
struct GateAndClockTests {}

extension GateAndClockTests {
    @Test("a gate lets everyone through once it is open, before and after")
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

    @Test("waitUnlessCancelled ends when its task is cancelled, at whatever moment; wait does not")
    func cancelledAtAGate() async {
        let gate = Gate()
        // Cancelled before, while, or after it begins to wait: the scheduler decides, so often enough for all three.
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

    @Test("a manual clock stands still until it is moved, and wakes who is due or cancelled, at whatever moment")
    func clock() async throws {
        let clock = ManualClock()
        let first = Task { try await clock.sleep(for: .seconds(1)) }
        let second = Task { try await clock.sleep(for: .seconds(2)) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await first.value
        expect(clock.now, equals: ManualClock.Instant(offset: .seconds(1)))
        clock.advance(by: .seconds(1))
        try await second.value
        // What is due already does not sleep.
        try await clock.sleep(until: .init(offset: .seconds(2)))
        // Cancelled before, while, or after it begins to sleep.
        for _ in 0..<200 {
            let task = Task { @concurrent in try await clock.sleep(for: .seconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        clock.advance(by: .seconds(1))
    }

    @Test("moving a manual clock back stops the program, and says by how much")
    func backwards() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ManualClock().advance(by: .seconds(-1))
        }
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(output.contains("ManualClock.advance(by:) must not be negative, but is -1.0 seconds"))
    }
}
