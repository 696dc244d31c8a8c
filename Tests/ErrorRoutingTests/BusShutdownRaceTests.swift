import ErrorRouting
import ErrorRoutingTesting
import Foundation
import Testing

/// Moments that a shutdown may come at, each held open by something that blocks there.
@Suite("Behaviours 4 and 16: a shutdown at a bad moment loses nothing", .timeLimit(.minutes(1)))
struct BusShutdownRaceTests {
    /// An error whose description blocks the thread of whoever asks.
    private struct Talkative: Error, CustomStringConvertible {
        let asked: Gate
        let answer: DispatchSemaphore

        var description: String {
            asked.open()
            // Answered once, it answers whoever asks again.
            answer.wait()
            answer.signal()
            return "talkative"
        }
    }

    @Test("what one shutdown takes back it returns, also where another ends before it has come to that")
    func returnedWhereItWasTaken() async {
        await #expect(processExitsWith: .success) {
            let (entered, gate, asked, returned) = (Gate(), Gate(), Gate(), Gate())
            let answer = DispatchSemaphore(value: 0)
            let handler = ErrorHandler()
                .on(Numbered.self) { _ in
                    entered.open()
                    await gate.wait()
                    return .stop
                }
                .on(Numbered.self) { _ in throw Talkative(asked: asked, answer: answer) }
            let bus = ErrorBus(handler: handler)
            for number in 1...3 { bus.post(Numbered(number)) }
            async let running: Void = bus.run()
            await entered.wait()
            // Takes three reports back, and is held up while it writes of the failure to standard error.
            let first = Task { @concurrent in
                let reports = await bus.shutdown(within: .zero)
                returned.open()
                return reports
            }
            await asked.wait()
            // Finds nothing to take back.
            let second = Task { @concurrent in await bus.shutdown(within: .zero) }
            for _ in 0..<10_000 where !returned.isOpen { await Task.yield() }
            answer.signal()
            #expect(await first.value.count == 3)
            #expect(await second.value.isEmpty)
            await running
            #expect(bus.statistics.dropped == 3)
            gate.open()
        }
    }

    @Test(
        "what a synchronous action has thrown goes to standard error, also where a predicate after it is cut off",
        arguments: [false, true],
        [false, true]
    )
    func failuresAreNeverSilent(isObserved: Bool, matches: Bool) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [isObserved, matches] in
            let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
            let slow = ErrorMatcher.matching { _ in
                entered.open()
                leave.wait()
                return matches
            }
            let handler = ErrorHandler()
                .on(slow) { _ in .stop }
                .on(Numbered.self) { _ in throw Numbered(7) }
            var bus: ErrorBus? = ErrorBus(handler: handler)
            weak let watched = bus
            let reports = isObserved ? bus?.reports() : nil
            bus?.post(Numbered(1))
            let running = Task { [bus] in await bus?.run() }
            await entered.wait()
            #expect(await bus?.shutdown(within: .zero).count == 1)
            await running.value
            bus = nil
            leave.signal()
            // Until the worker has gone home.
            while watched != nil { await Task.yield() }
            withExtendedLifetime(reports) {}
        }
        let lines = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(lines.contains("failed with Numbered(number: 7)"))
    }

    @Test(
        "nor is it lost around asynchronous rules: before one, between two, and after both",
        arguments: AroundAsynchronous.allCases
    )
    func failuresAroundAsynchronousRules(place: AroundAsynchronous) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [place] in
            let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
            let slow: @Sendable (Bool) -> Bool = { answer in
                entered.open()
                leave.wait()
                return answer
            }
            let asynchronous = ErrorHandler().on(Numbered.self) { _ in
                await Task.yield()
                return .next
            }
            let throwing = ErrorHandler().on(Numbered.self) { _ in throw Numbered(7) }
            let handler =
                switch place {
                case .before:
                    asynchronous.on(.matching { _ in slow(false) }) { _ in .stop }.overlaid(with: throwing)
                case .between:
                    ErrorHandler().on(.matching { _ in slow(true) }) { _ in
                        await Task.yield()
                        return .stop
                    }.overlaid(with: throwing).overlaid(with: asynchronous)
                case .after:
                    ErrorHandler().on(Numbered.self) { _ in slow(true) ? .next : .stop }
                        .overlaid(with: asynchronous).overlaid(with: throwing).overlaid(with: asynchronous)
                }
            var bus: ErrorBus? = ErrorBus(handler: handler)
            weak let watched = bus
            // Observed, so that no report goes through the lane.
            let reports = bus?.reports()
            bus?.post(Numbered(1))
            let running = Task { [bus] in await bus?.run() }
            await entered.wait()
            #expect(await bus?.shutdown(within: .zero).count == 1)
            await running.value
            bus = nil
            leave.signal()
            // Until the worker has gone home.
            while watched != nil { await Task.yield() }
            withExtendedLifetime(reports) {}
        }
        let lines = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(lines.components(separatedBy: "failed with Numbered(number: 7)").count == 2)
    }

    /// Where an action throws, before something slow is cut off by a shutdown.
    enum AroundAsynchronous: String, CaseIterable, Codable {
        case before, between, after
    }
}
