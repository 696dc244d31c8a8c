import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

// Promises 12, 16, and 20 mention `flush`; it doesn't have its own number.
@Suite(
    "Promises 12, 16, and 20: flush waits until everything that was posted before is delivered and observed",
    .tags(.promise12, .promise16, .promise20), .hangLimit)
struct FlushTests {}

extension FlushTests {
    @Test("several tasks flush between their posts, and each finds its own posts and their failures observed")
    func several() async {
        let stage = Stage(
            ErrorHandler().on(matching: .type(Mishap.self).where { $0.number % 4 == 0 }) { _ in throw Stray() },
            capacity: 1 << 20, isTimed: false)
        await stage.running {
            #expect(await stage.bus.flush(within: .zero))
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask { @concurrent in
                        for number in 1...60 {
                            let number = 1_000 * task + number
                            stage.bus.post(Mishap(number))
                            if number % 5 > 0 { continue }
                            #expect(await stage.bus.flush(within: .seconds(600)))
                            let labels = stage.seen.entries.labels
                            #expect(labels.contains("\(number)"))
                            #expect(number % 4 > 0 || labels.contains("failure of \(number)"))
                        }
                    }
                }
            }
        }
        stage.expectLaws()
    }

    @Test("it doesn't wait for later posts, ends at its limit or with its caller, and doesn't finish the bus")
    func limits() async {
        let hanging = Hanging()
        let stage = Stage(hanging.handler)
        await stage.running {
            stage.post(0...1)
            await hanging.entered.wait()
            // A flush before these would leave a timer, and the wait for a sleeper would find that timer.
            expect(await stage.bus.flush(within: .zero), equals: false)
            async let isFlushed = stage.bus.flush(within: .seconds(5))
            await stage.clock.waitForSleepers()
            stage.clock.advance(by: .seconds(5))
            expect(await isFlushed, equals: false)
            let caller = Task { await stage.bus.flush(within: .seconds(5)) }
            await stage.clock.waitForSleepers()
            caller.cancel()
            expect(await caller.value, equals: false)
            async let isFlushedLater = stage.bus.flush(within: .seconds(600))
            hanging.leave.open()
            expect(await isFlushedLater, equals: true)
            stage.post(2...2)
        }
        expect(stage.seen.entries.labels, equals: ["0", "1", "2"])
    }

    @Test("inside an action it returns false immediately, even in a task that the action started and waits for")
    func insideAnAction() async {
        let flushed = Log<Bool>()
        let stage = Stage(
            ErrorHandler().on(Mishap.self) { _ in
                guard let bus = ErrorBus.current else { return .stop }
                await flushed.add(bus.flush(within: .seconds(600)))
                await flushed.add(Task { await bus.flush(within: .seconds(600)) }.value)
                return .stop
            })
        stage.post(1...1)
        await stage.drain()
        expect(flushed.entries, equals: [false, false])
    }

    @Test("it returns false if a shutdown removes reports while it waits, and true for a bus that has ended")
    func shutdown() async {
        for isRunning in [false, true] {
            let hanging = Hanging()
            let stage = Stage(hanging.handler)
            stage.post(1...2)
            let run = isRunning ? Task { await stage.bus.run() } : nil
            if isRunning { await hanging.entered.wait() }
            async let isFlushed = stage.bus.flush(within: .seconds(5))
            await stage.clock.waitForSleepers()
            expect(await stage.bus.shutdown(within: .zero).count, equals: 2)
            expect(await isFlushed, equals: false)
            await run?.value
            #expect(await stage.bus.flush(within: .seconds(5)))
            #expect(await stage.bus.flush(within: .zero))
            hanging.leave.open()
        }
    }

    @Test("it waits while an action that exceeds its time limit is abandoned, and for the notice about that")
    func timeLimit() async {
        let hanging = Hanging()
        let stage = Stage(hanging.handler, actionTimeLimit: .seconds(30))
        await stage.running {
            stage.post(1...1)
            await hanging.entered.wait()
            async let isFlushed = stage.bus.flush(within: .seconds(600))
            await stage.clock.waitForSleepers()
            stage.clock.advance(by: .seconds(30))
            expect(await isFlushed, equals: true)
            expect(stage.seen.entries.labels, equals: ["1", "failure of 1"])
        }
        hanging.leave.open()
    }
}
