import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// The process has one root, so each test that needs a root, or no root, runs in a separate process.
@Suite(
    "Promises 11, 15, and 22: a post uses the task's scope or bus, then the root, then standard error",
    .tags(.promise11, .promise15, .promise22), .hangLimit)
struct ScopeAmbienceTests {}

extension ScopeAmbienceTests {
    @Test("in an action no scope is bound, neither that of run's caller nor the report's", arguments: [true, false])
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
                    // Both the loop's caller and the posting task are in scopes.
                    let running = Task { await bus.run() }
                    _ = await bus.scope("scope").bound { await AmbientErrorPosting.ambient.deliver(Numbered(1)) }
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

    @Test("inside an action the current bus is the delivering bus, and a scope created there belongs to that bus")
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

    @Test(
        "threads and detached tasks use the root, even one bound for a body, until the root's run returns"
    )
    func rootOfThreads() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            expectNil(ErrorBus.root)
            let bus = ErrorBus(handler: ErrorHandler())
            bus.becomeRoot()
            bus.becomeRoot()
            #expect(ErrorBus.root === bus)
            let reports = bus.reports()
            let running = Task { await bus.run() }
            let gate = Gate()
            Thread.detachNewThread {
                postError(Numbered(1))
                gate.open()
            }
            await gate.wait()
            await Task.detached { postError(Numbered(2)) }.value
            // A task's bus takes precedence over the root.
            let recorded = await withRecordedErrors { _ in postError(Numbered(3)) }
            recorded.expectReported(.value(Numbered(3)), count: 1)
            bus.finish()
            await running.value
            expect(await reports.collected().map(\.error) as? [Numbered], equals: [Numbered(1), Numbered(2)])
            expectNil(ErrorBus.root)
            // Another bus can become the root after that.
            for _ in 0..<3 {
                let journal = Journal<Int>()
                await withErrorBus(handler: .noting(journal), asRoot: true) { bus in
                    #expect(ErrorBus.root === bus)
                    await onThreads(2) { postError(Numbered($0)) }
                }
                expectNil(ErrorBus.root)
                expect(journal.entries.sorted(), equals: [0, 1])
            }
        }
    }

    @Test("withErrorScope without a bound bus creates a scope of the root; a detached task leaves it and uses the root")
    func root() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let bus = ErrorBus(handler: ErrorHandler())
            bus.becomeRoot()
            let reports = bus.reports()
            let running = Task { await bus.run() }
            await withErrorScope("scope", handler: ErrorHandler().ignore(Numbered(1))) { scope in
                #expect(ErrorBus.current === bus)
                expect(await AmbientErrorPosting.ambient.deliver(Numbered(1)).disposition, equals: .ignored)
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

    @Test("catchingErrors posts thrown errors to the innermost scope, with its line, and a cancellation as a notice")
    func catching() async {
        let recorded = await withRecordedErrors { bus in
            await bus.scope("scope").bound {
                let number: Int? = await catchingErrors(metadata: ["k": "v"]) {
                    await Task.yield()
                    throw Numbered(1)
                }
                expectNil(number)
                let two = await catchingErrors {
                    await Task.yield()
                    return 2
                }
                expect(two, equals: 2)
                expect(catchingErrors { 3 }, equals: 3)
                let isDone: Bool = catchingErrors { throw Numbered(4) }
                #expect(!isDone && catchingErrors {})
                await catchingErrors {
                    await Task.yield()
                    throw CancellationError()
                }
            }
        }
        expect(recorded.matches(of: .type(Numbered.self)), equals: [Numbered(1), Numbered(4)])
        expect(recorded.reports.map(\.scope), equals: [["scope"], ["scope"], ["scope"]])
        expect(recorded.reports.map(\.metadata), equals: [["k": "v"], [:], [:]])
        expect(recorded.reports.map(\.role), equals: [.failure, .failure, .notice])
        expect(recorded.reports.allSatisfy { $0.source.fileID == #fileID }, equals: true)
    }

    @Test("without a bus no rule is tried, and posts go to standard error, with path and metadata")
    func noBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let handler = ErrorHandler()
                .on(Numbered.self) { _ in fatalError("it must not run") }
                .onNoMatch { _ in .next }
                .always { _ in fatalError("it must not run") }
            await withErrorScope("outer", handler: handler, metadata: ["k": "outer", "l": "outer"]) { outer in
                expectNil(ErrorBus.current)
                postError(Numbered(1), metadata: ["l": "poster"])
                expect(await outer.deliver(Numbered(2)).disposition, equals: .unmatched)
                let entries = outer.explain(Numbered(1)).entries
                let reason = "no bus is bound, and there is no root bus"
                expect(entries.map(\.verdict), equals: .init(repeating: .notReached(because: reason), count: 3))
                expect(entries.map(\.stage), equals: [.rule, .onNoMatch, .always])
                await withErrorScope("inner", handler: handler, metadata: ["k": "inner"]) { inner in
                    expect(inner.path, equals: ["outer", "inner"])
                    await inner.task { throw Numbered(3) }.value
                    await Task { postError(Numbered(4)) }.value
                }
                outer.scope("made").catching { throw Numbered(5) }
            }
            postError(Numbered(6))
            expect(await AmbientErrorPosting.ambient.deliver(Numbered(7)).disposition, equals: .unmatched)
            await AmbientErrorPosting.ambient.task { throw Numbered(8) }.value
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        let (outer, inner) = ("outer", "outer/inner")
        expect(lines.map { $0?["message"] }, equals: (1...8).map { "Numbered(number: \($0))" })
        expect(lines.map { $0?["scope"] }, equals: [outer, outer, inner, inner, "outer/made", nil, nil, nil])
        expect(lines.map { $0?["metadata.k"] }, equals: [outer, outer, "inner", "inner", outer, nil, nil, nil])
        expect(lines.map { $0?["metadata.l"] }, equals: ["poster", outer, outer, outer, outer, nil, nil, nil])
        #expect(lines.allSatisfy { $0?["reason"] == "no bus is bound, and there is no root bus" })
    }

    @Test("a bus within a scope without a bus is found, and so is that scope after it; detached tasks lose the scope")
    func busWithinNoBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            await withErrorScope("without", metadata: ["k": "v"]) { without in
                let recorded = await withRecordedErrors { _ in
                    postError(Numbered(1))
                    await withErrorScope("within") { _ in
                        postError(Numbered(2))
                        await Task.detached { postError(Numbered(11)) }.value
                        let gate = Gate()
                        Thread.detachNewThread {
                            postError(Numbered(12))
                            gate.open()
                        }
                        await gate.wait()
                    }
                    // A scope that was created without a bus belongs to the bus where it is bound.
                    without.bound { postError(Numbered(3)) }
                    await without.bound { await withErrorScope("inner") { _ in postError(Numbered(4)) } }
                    without.post(Numbered(5))
                }
                let path = ["without"]
                expect(recorded.reports.map(\.scope), equals: [[], ["within"], path, path + ["inner"], path])
                postError(Numbered(13))
            }
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["message"] }, equals: (11...13).map { "Numbered(number: \($0))" })
        expect(lines.map { $0?["scope"] }, equals: [nil, nil, "without"])
        expect(lines.map { $0?["metadata.k"] }, equals: [nil, nil, "v"])
    }

    @Test("nested scopes without a bus belong to each bus in which they are bound, with the rules of the whole path")
    func nestedWithoutBus() async {
        let trace = ActionTrace()
        @Sendable func rules(_ name: String) -> ErrorHandler {
            ErrorHandler().on(Numbered.self) { _ in trace(name, .next) }
        }
        let middle = await Task.detached {
            await withErrorScope("outer", handler: rules("outer"), order: .rootFirst) { $0.scope("middle") }
        }.value
        for bus in ["bus 1", "bus 2"] {
            await withErrorBus(handler: rules(bus)) { _ in
                await middle.bound {
                    await withErrorScope("plain") { _ in postError(Numbered(1)) }
                    await withErrorScope("inner", handler: rules("inner")) { inner in
                        inner.post(Numbered(2))
                        let scopes = inner.explain(Numbered(2)).entries.map(\.scope)
                        expect(scopes, equals: [["outer", "middle", "inner"], [], ["outer"]])
                    }
                }
                middle.post(Numbered(3))
            }
            expect(trace.takeAll(), equals: [bus, "outer", "inner", bus, "outer", bus, "outer"])
        }
    }

    @Test("a scope without a bus posts to a later root, first through its own rules, with its path and metadata")
    func laterRoot() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let rules = ErrorHandler().on(Numbered(1)) { _ in .stop }
            let bus = ErrorBus(handler: ErrorHandler().on(Numbered.self) { _ in .next })
            let reports = bus.reports()
            await withErrorScope("app", metadata: ["version": "1"]) { app in
                let part = app.scope("part", handler: rules, metadata: ["part": "2"])
                bus.becomeRoot()
                let running = Task { await bus.run() }
                postError(Numbered(2))
                part.bound { postError(Numbered(2)) }
                part.post(Numbered(1))
                expect(await part.deliver(Numbered(1)).rule?.matcher, equals: "value(Numbered(number: 1))")
                expect(part.explain(Numbered(1)).entries.map(\.scope), equals: [["app", "part"], []])
                bus.finish()
                await running.value
            }
            let delivered = await reports.collected()
            expect(delivered.map(\.scope), equals: [["app"], ["app", "part"], ["app", "part"], ["app", "part"]])
            expect(delivered.map(\.metadata["version"]), equals: ["1", "1", "1", "1"])
            expect(delivered.map(\.metadata["part"]), equals: [nil, "2", "2", "2"])
            expect(delivered.map(\.outcome.matchedRuleCount), equals: [1, 1, 1, 1])
        }
    }
}
