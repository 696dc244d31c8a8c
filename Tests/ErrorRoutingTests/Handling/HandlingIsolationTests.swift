import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Actions run on the caller's executor, unless they are written for the main actor", .hangLimit)
struct HandlingIsolationTests {}

extension HandlingIsolationTests {
    /// State that only the main actor may access.
    @MainActor
    private final class Screen {
        var alerts: [String] = []

        func show(_ alert: String) {
            MainActor.preconditionIsolated()
            alerts.append(alert)
        }

        func shows(_ alert: String) -> HandleStrategy {
            show(alert)
            return .next
        }
    }

    /// An actor that handles errors.
    private actor Caller {
        func handle(_ error: any Error, with handler: ErrorHandler) async -> HandleOutcome {
            await handler.handle(error)
        }
    }

    @concurrent
    private func handleElsewhere(_ error: any Error, with handler: ErrorHandler) async -> HandleOutcome {
        await handler.handle(error)
    }

    @Test("a main-actor action runs on the main actor, wherever the error is handled, and can throw")
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

    @Test("actions, even asynchronous ones, run on the actor on which the error is handled")
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

    @Test("in every verb a main-actor action needs no async; a closure that names no actor isn't a main-actor action")
    func shapes() async {
        let screen = Screen()
        let handler = ErrorHandler()
            .on(Numbered.self) { @MainActor _ in screen.shows("type") }
            .on(Numbered.self) { @MainActor _, report in screen.shows("type \(report.occurrences)") }
            .on(matching: .type(Numbered.self)) { @MainActor _ in screen.shows("matcher") }
            .on(matching: .type(Numbered.self)) { @MainActor _, report in screen.shows("matcher \(report.occurrences)")
            }
            .on(Numbered(1)) { @MainActor _ in screen.shows("value") }
            .on(Numbered(1)) { @MainActor _, report in screen.shows("value \(report.occurrences)") }
            .on(domain: "numbered") { @MainActor _ in screen.shows("domain") }
            .on(domain: "numbered") { @MainActor _, report in screen.shows("domain \(report.occurrences)") }
            .onNoMatch { @MainActor _ in screen.shows("none") }
            .onNoMatch { @MainActor _, report in screen.shows("none \(report.occurrences)") }
            .always { @MainActor _ in screen.shows("always") }
            .always { @MainActor _, report in screen.shows("always \(report.occurrences)") }
            .always { @MainActor _ in _ = screen.shows("nothing") }
            .always { @MainActor _, report in _ = screen.shows("nothing \(report.occurrences)") }
        expectNil(handler.handleSynchronously(Numbered(1)))
        await withErrorBus(handler: handler) { bus in
            bus.post(Numbered(1))
            bus.post(NSError(domain: "numbered", code: 1))
            bus.post(Zoo.Offline())
        }
        let rules = ["value", "matcher", "type"].flatMap { ["\($0) 1", $0] }
        let last = ["nothing 1", "nothing", "always 1", "always"]
        let shown = [rules, last, ["domain 1", "domain"], last, ["none 1", "none"], last]
        expect(await screen.alerts, equals: Array(shown.joined()))
        let plain = ErrorHandler().on(Numbered.self) { $0.number == 1 ? .stop : .next }
        expect(plain.handleSynchronously(Numbered(1))?.disposition, equals: .handled)
    }
}
