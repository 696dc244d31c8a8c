import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// The root is the process's, so what needs one, or none, runs in a process of its own.
@Suite(
    "Behaviour 22: no scope is bound in actions; where no bus is bound, a scope uses the root",
    .tags(.behaviour22), .hangLimit)
struct ScopeAmbienceTests {}

extension ScopeAmbienceTests {
    @Test("inside an action no scope is bound, neither run's caller's nor the report's", arguments: [true, false])
    func inActions(isAsynchronous: Bool) async {
        let post: @Sendable (Numbered, ErrorReport) -> HandleStrategy = { error, report in
            expect(report.scope, equals: ["scope"])
            postError(Numbered(error.number + 1))
            return .stop
        }
        var handler = ErrorHandler()
        handler =
            isAsynchronous
            ? handler.on(Numbered(1)) { error, report in
                await Task.yield()
                return post(error, report)
            } : handler.on(Numbered(1)) { post($0, $1) }
        let bus = ErrorBus(handler: handler)
        let reports = bus.reports()
        let elsewhere = await withRecordedErrors { _ in
            await withErrorScope("elsewhere") { _ in
                await bus.scope("run").bound {
                    // Both the loop's caller and the poster are in scopes.
                    let running = Task { await bus.run() }
                    _ = await bus.scope("scope").bound { await AmbientErrorPosting().deliver(Numbered(1)) }
                    bus.finish()
                    await running.value
                }
            }
        }
        let delivered = await reports.collected()
        expect(delivered.map(\.error) as? [Numbered], equals: [Numbered(1), Numbered(2)])
        expect(delivered.map(\.scope), equals: [["scope"], []])
        elsewhere.expectNoneReported()
    }

    @Test("inside an action the current bus is the one that delivers, and a scope made there is one of that bus")
    func scopesInActions() async {
        let journal = Journal<Bool>()
        let handler = ErrorHandler().on(Numbered(1)) { _ in
            await withErrorScope("in action") { scope in
                journal.note(scope.path == ["in action"])
                postError(Numbered(2))
            }
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler) { bus in
            await withErrorScope("scope") { _ in
                await withErrorBus(handler: ErrorHandler()) { _ in await bus.deliver(Numbered(1)) }
            }
        }
        expect(journal.entries, equals: [true])
        expect(recorded.reports.map(\.scope), equals: [[], ["in action"]])
    }

    @Test("withErrorScope where no bus is bound lies in the root; a detached task falls out of it, back to the root")
    func root() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let bus = ErrorBus(handler: ErrorHandler())
            bus.becomeRoot()
            let reports = bus.reports()
            let running = Task { await bus.run() }
            await withErrorScope("scope", handler: ErrorHandler().ignore(Numbered(1))) { scope in
                #expect(ErrorBus.current === bus)
                expect(await AmbientErrorPosting().deliver(Numbered(1)).disposition, equals: .ignored)
                await Task.detached { postError(Numbered(2)) }.value
                await Task.detached { scope.bound { postError(Numbered(3)) } }.value
            }
            postError(Numbered(4))
            bus.finish()
            await running.value
            let found = await reports.collected().map { "\(($0.error as? Numbered)?.number ?? 0) \($0.scope)" }
            expect(found, equals: [#"1 ["scope"]"#, "2 []", #"3 ["scope"]"#, "4 []"])
        }
    }

    @Test("where there is no bus, what is posted in a scope goes to standard error, with its path and metadata")
    func noBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let handler = ErrorHandler().on(Numbered.self) { _ in fatalError("it must not run") }
            await withErrorScope("outer", handler: handler, metadata: ["k": "outer", "l": "outer"]) { outer in
                expectNil(ErrorBus.current)
                postError(Numbered(1), metadata: ["l": "poster"])
                expect(await outer.deliver(Numbered(2)).disposition, equals: .unmatched)
                await withErrorScope("inner", handler: handler, metadata: ["k": "inner"]) { inner in
                    expect(inner.path, equals: ["outer", "inner"])
                    await inner.task { throw Numbered(3) }.value
                    await Task { postError(Numbered(4)) }.value
                }
                outer.scope("made").catching { throw Numbered(5) }
            }
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: (1...5).map { "Numbered(number: \($0))" })
        expect(lines.map { $0?["scope"] }, equals: ["outer", "outer", "outer/inner", "outer/inner", "outer/made"])
        expect(lines.map { $0?["metadata.k"] }, equals: ["outer", "outer", "inner", "inner", "outer"])
        expect(lines.map { $0?["metadata.l"] }, equals: ["poster", "outer", "outer", "outer", "outer"])
        #expect(lines.allSatisfy { $0?["reason"] == "no bus is bound, and there is no root bus" })
    }

    @Test("a detached task where there is no root loses the scope: standard error, without a path")
    func detached() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let recorded = await withRecordedErrors { _ in
                await withErrorScope("scope", metadata: ["k": "v"]) { _ in
                    await Task.detached { postError(Numbered(1)) }.value
                    let gate = Gate()
                    Thread.detachNewThread {
                        postError(Numbered(2))
                        gate.open()
                    }
                    await gate.wait()
                }
            }
            recorded.expectNoneReported()
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: (1...2).map { "Numbered(number: \($0))" })
        #expect(lines.allSatisfy { $0?["scope"] == nil && $0?["metadata.k"] == nil })
    }

    @Test("a bus bound within a scope that has none is found, and that scope again after it")
    func busWithinNoBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            await withErrorScope("without") { _ in
                let recorded = await withRecordedErrors { _ in
                    postError(Numbered(1))
                    await withErrorScope("within") { _ in postError(Numbered(2)) }
                }
                expect(recorded.reports.map(\.scope), equals: [[], ["within"]])
                postError(Numbered(3))
            }
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: ["Numbered(number: 3)"])
        expect(lines.map { $0?["scope"] }, equals: ["without"])
    }
}
