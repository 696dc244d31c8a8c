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

    @Test(
        "what a synchronous action has thrown goes to standard error, also where a predicate after it is cut off",
        arguments: [false, true],
        [false, true]
    )
    func failuresAreNeverSilent(isInLane: Bool, matches: Bool) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [isInLane, matches] in
            endIfItHangs()
            await Self.shutDownWhileSlow(isInLane: isInLane) { slow in
                ErrorHandler().on(matching: .predicate { _ in slow(matches) }) { _ in .stop }.overlaid(
                    with: Self.throwing)
            }
        }
        expect(timesTold(result), equals: 1)
    }

    @Test(
        "what a synchronous action has thrown is not lost before, between or after asynchronous rules",
        arguments: AroundAsynchronous.allCases
    )
    func failuresAroundAsynchronousRules(place: AroundAsynchronous) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [place] in
            endIfItHangs()
            await Self.shutDownWhileSlow(isInLane: false) { slow in
                let asynchronous = ErrorHandler().on(Numbered.self) { _ in
                    await Task.yield()
                    return .next
                }
                return switch place {
                case .before:
                    asynchronous.on(matching: .predicate { _ in slow(false) }) { _ in .stop }.overlaid(
                        with: Self.throwing)
                case .between:
                    ErrorHandler().on(matching: .predicate { _ in slow(true) }) { _ in
                        await Task.yield()
                        return .stop
                    }.overlaid(with: Self.throwing).overlaid(with: asynchronous)
                case .after:
                    ErrorHandler().on(Numbered.self) { _ in slow(true) ? .next : .stop }
                        .overlaid(with: asynchronous).overlaid(with: Self.throwing).overlaid(with: asynchronous)
                }
            }
        }
        expect(timesTold(result), equals: 1)
    }

    /// Where an action throws, before something slow is cut off by a shutdown.
    enum AroundAsynchronous: String, CaseIterable, Codable {
        case before, between, after
    }

    private static let throwing = ErrorHandler().on(Numbered.self) { _ in throw Numbered(7) }

    /// Takes a report back while one of its rules is slow, and returns when the worker has ended.
    ///
    /// - Parameters: - isInLane: Whether the report goes through the lane, as it does where there is no flood limit. -
    ///   makeHandler: Makes the rules; the closure that it gets waits for the shutdown, and returns its argument.
    private static func shutDownWhileSlow(
        isInLane: Bool,
        _ makeHandler: (_ slow: @escaping @Sendable (Bool) -> Bool) -> ErrorHandler
    ) async {
        let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
        let handler = makeHandler { answer in
            entered.open()
            leave.wait()
            return answer
        }
        let limit = isInLane ? nil : FloodLimit(first: 9, per: .seconds(3_600))
        var bus: ErrorBus? = ErrorBus(handler: handler, configuration: .init(floodLimit: limit))
        let watched = Weak(bus)
        bus?.post(Numbered(1))
        let running = Task { [bus] in await bus?.run() }
        await entered.wait()
        expect(await bus?.shutdown(within: .zero).count, equals: 1)
        await running.value
        bus = nil
        leave.signal()
        while watched.object != nil { await Task.yield() }
    }

    /// Returns how often the failure is on standard error.
    private func timesTold(_ result: ExitTest.Result?) -> Int {
        let lines = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        return lines.components(separatedBy: "failed with Numbered(number: 7)").count - 1
    }
}
