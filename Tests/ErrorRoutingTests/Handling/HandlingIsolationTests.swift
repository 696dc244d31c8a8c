import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Actions run on the caller's executor, unless they are written for the main actor", .hangLimit)
struct HandlingIsolationTests {}

extension HandlingIsolationTests {
    /// State that only the main actor may touch.
    @MainActor
    private final class Screen {
        var alerts: [String] = []

        func show(_ alert: String) {
            MainActor.preconditionIsolated()
            alerts.append(alert)
        }
    }

    /// An actor to call from.
    private actor Caller {
        func handle(_ error: any Error, with handler: ErrorHandler) async -> HandleOutcome {
            await handler.handle(error)
        }
    }

    @concurrent
    private func handleElsewhere(_ error: any Error, with handler: ErrorHandler) async -> HandleOutcome {
        await handler.handle(error)
    }

    @Test("an action for the main actor runs there, from wherever the error is handled, and may throw")
    func mainActorAction() async {
        let screen = Screen()
        let handler = ErrorHandler()
            .on(matching: .any) { @MainActor error async in
                screen.show("matcher")
                return .next
            }
            .on(Zoo.Timeout.self) { @MainActor error async in
                screen.show("type \(error.seconds)")
                return .next
            }
            .on(Zoo.Timeout(seconds: 5)) { @MainActor error, report async in
                screen.show("value \(error.seconds * report.occurrences)")
                return .next
            }
            .on(domain: "ErrorRoutingTests.Zoo.Timeout") { @MainActor error async in
                screen.show("domain \(error.code)")
                return .next
            }
            .always { @MainActor _ async in
                screen.show("always")
                return .next
            }
            .onNoMatch { @MainActor _ async in .next }
        expect(await handleElsewhere(Zoo.Timeout(seconds: 5), with: handler).matchedRuleCount, equals: 4)
        expect(await screen.alerts, equals: ["domain 1", "value 5", "type 5", "matcher", "always"])
        expectNil(handler.handleSynchronously(Zoo.Offline()))

        let throwing = ErrorHandler().on(Zoo.Timeout.self) { @MainActor error async throws in
            if error.seconds > 10 { throw Zoo.Offline() }
            return .stop
        }
        #expect(await handleElsewhere(Zoo.Timeout(seconds: 5), with: throwing).failures.isEmpty)
        expect(await handleElsewhere(Zoo.Timeout(seconds: 11), with: throwing).failures.count, equals: 1)
    }

    @Test("actions, asynchronous ones too, run on the actor from which the error is handled")
    func callersActor() async {
        let (trace, caller) = (ActionTrace(), Caller())
        let handler = ErrorHandler()
            .on(matching: .any) { _ in
                caller.preconditionIsolated()
                return trace("synchronous")
            }
            .on(matching: .any) { _ in
                await Task.yield()
                caller.preconditionIsolated()
                return trace("asynchronous")
            }
        _ = await caller.handle(Zoo.Offline(), with: handler)
        expect(trace.entries, equals: ["asynchronous", "synchronous"])
    }

    @MainActor
    private final class View {
        var shown: [Int] = []
    }

    @MainActor
    @Test("an action of the main actor needs no async there; a closure that says nothing of an actor is synchronous")
    func shapes() async {
        let view = View()
        let handler = ErrorHandler()
            .on(Numbered.self) { @MainActor error in
                view.shown.append(error.number)
                return .next
            }
            .on(matching: .type(Numbered.self)) { @MainActor error, report in
                view.shown.append(error.number + Int(report.occurrences))
                return .next
            }
        expectNil(handler.handleSynchronously(Numbered(1)))
        await withErrorBus(handler: handler) { bus in bus.post(Numbered(1)) }
        await Task { @concurrent in _ = await handler.handle(Numbered(5)) }.value
        expect(view.shown, equals: [2, 1, 6, 5])
        let plain = ErrorHandler().on(Numbered.self) { $0.number == 1 ? .stop : .next }
        expect(plain.handleSynchronously(Numbered(1))?.disposition, equals: .handled)
    }
}
