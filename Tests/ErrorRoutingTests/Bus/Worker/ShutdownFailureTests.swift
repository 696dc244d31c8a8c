import Dispatch
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 4 and 16: an action's failure is counted and written, whenever a shutdown comes",
    .tags(.promise4, .promise16), .hangLimit)
struct ShutdownFailureTests {}

extension ShutdownFailureTests {
    /// The slow step that a shutdown cuts off, after an action that has thrown.
    private enum Slow: Int, CaseIterable {
        /// A predicate, for a report in its slot or in its own memory.
        case notMatchingInSlot, matchingInSlot, notMatching, matching
        /// An asynchronous rule at each position: before, between, or after the others.
        case beforeAsynchronous, betweenAsynchronous, afterAsynchronous

        var isInSlot: Bool { self == .notMatchingInSlot || self == .matchingInSlot }

        /// The rules.
        ///
        /// The closure waits for the shutdown, and returns its argument.
        func handler(_ slow: @escaping @Sendable (Bool) -> Bool) -> ErrorHandler {
            let throwing = ErrorHandler().on(Numbered.self) { _ in throw Numbered(70 + rawValue) }
            let asynchronous = ErrorHandler().on(Numbered.self) { _ in
                await Task.yield()
                return .next
            }
            return switch self {
            case .notMatchingInSlot, .notMatching:
                ErrorHandler().on(matching: .predicate { _ in slow(false) }) { _ in .stop }.overlaid(with: throwing)
            case .matchingInSlot, .matching:
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

    @Test("an error that an action threw is reported once, whatever a shutdown cuts off after it")
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

    @Test(
        "the error of an asynchronous action that fails after a shutdown is written, but not if it was cancelled",
        arguments: [true, false])
    func lateFailure(isCancellation: Bool) async {
        let (lines, entered, cancelled, leave) = (Journal<String>(), Gate(), Gate(), Gate())
        let handler = ErrorHandler()
            .on(Numbered.self) { _ in
                entered.open()
                await withTaskCancellationHandler {
                    await leave.wait()
                } onCancel: {
                    cancelled.open()
                }
                throw isCancellation ? CancellationError() as any Error : Numbered(2)
            }
            .on(Numbered.self) { _ in throw Numbered(3) }
        let configuration = ErrorBus.Configuration(
            actionTimeLimit: nil, lastResort: LastResort { lines.note($0) })
        var bus: ErrorBus? = ErrorBus(handler: handler, configuration: configuration)
        let watched = Weak(bus)
        bus?.post(Numbered(1))
        let running = Task { [bus] in await bus?.run() }
        await entered.wait()
        expect(await bus?.shutdown(within: .zero).count, equals: 1)
        await running.value
        await cancelled.wait()
        bus = nil
        leave.open()
        await eventually("the action has ended and released the bus") { watched.object == nil }
        for (number, count) in [(2, isCancellation ? 0 : 1), (3, 1)] {
            let text = "failed with Numbered(number: \(number))"
            expect(lines.entries.count { $0.contains(text) }, equals: count, "\(number): \(lines.entries)")
        }
        #expect(!lines.entries.contains { $0.contains("Cancellation") })
    }

    /// Removes a report while one of its rules is slow, then returns when the worker has ended.
    private static func shutDown(while slow: Slow) async {
        let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
        let handler = slow.handler { answer in
            entered.open()
            leave.wait()
            return answer
        }
        let configuration = BusShutdownTests.configuration(isInSlot: slow.isInSlot)
        var bus: ErrorBus? = ErrorBus(handler: handler, configuration: configuration)
        let watched = Weak(bus)
        bus?.post(Numbered(1))
        if !slow.isInSlot { bus?.finish() }
        let running = Task { [bus] in await bus?.run() }
        await entered.wait()
        expect(await bus?.shutdown(within: .zero).count, equals: 1)
        await running.value
        // The failure is counted by now, although the slow rule hasn't ended.
        expect(bus?.statistics.actionFailures, equals: 1)
        bus = nil
        leave.signal()
        await eventually("the worker has ended and released the bus") { watched.object == nil }
    }
}
