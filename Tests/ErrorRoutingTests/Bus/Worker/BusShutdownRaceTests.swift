import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// Blocks the bus at a moment at which a shutdown may come.
@Suite("Behaviours 4 and 16: a shutdown at a bad moment loses nothing", .tags(.behaviour4, .behaviour16), .hangLimit)
struct BusShutdownRaceTests {}

extension BusShutdownRaceTests {
    /// An error whose description blocks the caller's thread.
    private struct Talkative: Error, CustomStringConvertible {
        let asked: Gate
        let answer: DispatchSemaphore

        var description: String {
            asked.open()
            // Signals again, so that a later caller passes too.
            answer.wait()
            answer.signal()
            return "talkative"
        }
    }

    @Test("a shutdown returns what it takes back, also where another shutdown ends before it")
    func returnedWhereItWasTaken() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
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
            // Takes three reports back, and blocks while it writes the failure to standard error.
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
            expect(await first.value.count, equals: 3)
            #expect(await second.value.isEmpty)
            await running
            expect(bus.statistics.dropped, equals: 3)
            gate.open()
        }
    }

    /// What is slow, and cut off by a shutdown, after an action that has thrown.
    private enum Slow: Int, CaseIterable {
        /// A predicate, of a report in the lane or outside.
        case notMatchingInLane, matchingInLane, notMatching, matching
        /// With asynchronous rules before, between or after.
        case beforeAsynchronous, betweenAsynchronous, afterAsynchronous

        var isInLane: Bool { self == .notMatchingInLane || self == .matchingInLane }

        /// The rules; the closure waits for the shutdown, and returns its argument.
        func handler(_ slow: @escaping @Sendable (Bool) -> Bool) -> ErrorHandler {
            let throwing = ErrorHandler().on(Numbered.self) { _ in throw Numbered(70 + rawValue) }
            let asynchronous = ErrorHandler().on(Numbered.self) { _ in
                await Task.yield()
                return .next
            }
            return switch self {
            case .notMatchingInLane, .notMatching:
                ErrorHandler().on(matching: .predicate { _ in slow(false) }) { _ in .stop }.overlaid(with: throwing)
            case .matchingInLane, .matching:
                ErrorHandler().on(matching: .predicate { _ in slow(true) }) { _ in .stop }.overlaid(with: throwing)
            case .beforeAsynchronous:
                asynchronous.on(matching: .predicate { _ in slow(false) }) { _ in .stop }.overlaid(with: throwing)
            case .betweenAsynchronous:
                ErrorHandler().on(matching: .predicate { _ in slow(true) }) { _ in
                    await Task.yield()
                    return .stop
                }.overlaid(with: throwing).overlaid(with: asynchronous)
            case .afterAsynchronous:
                ErrorHandler().on(Numbered.self) { _ in slow(true) ? .next : .stop }
                    .overlaid(with: asynchronous).overlaid(with: throwing).overlaid(with: asynchronous)
            }
        }
    }

    @Test("what an action has thrown is told once, whatever after it a shutdown cuts off, and counted")
    func failuresAreNeverSilent() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            for slow in Slow.allCases { await Self.shutDown(while: slow) }
        }
        for slow in Slow.allCases {
            let parts = result.standardErrorText.components(
                separatedBy: "failed with Numbered(number: \(70 + slow.rawValue))")
            expect(parts.count, equals: 2, "\(slow)")
        }
    }

    /// Takes a report back while one of its rules is slow, and returns when the worker has ended.
    private static func shutDown(while slow: Slow) async {
        let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
        let handler = slow.handler { answer in
            entered.open()
            leave.wait()
            return answer
        }
        // With a flood limit a report does not go through the lane.
        let limit = slow.isInLane ? nil : FloodLimit(first: 9, per: .seconds(3_600))
        var bus: ErrorBus? = ErrorBus(handler: handler, configuration: .init(floodLimit: limit))
        let watched = Weak(bus)
        bus?.post(Numbered(1))
        let running = Task { [bus] in await bus?.run() }
        await entered.wait()
        expect(await bus?.shutdown(within: .zero).count, equals: 1)
        await running.value
        leave.signal()
        bus = nil
        while watched.object != nil { await Task.yield() }
    }
}
