import ErrorRoutingTesting
import TestSupport
import Testing

// The tasks that a bus waits for are internal.
@testable import ErrorRouting

@Suite("Promise 22: any poster has scopes; the ambient poster's scopes look up their parent at each post", .hangLimit)
struct PosterScopeTests {}

extension PosterScopeTests {
    /// A library object whose errors are posted in a scope, whichever poster it uses.
    private struct Cache {
        let errors: any ErrorPosting

        init(errors: any ErrorPosting = .ambient.scope("cache", metadata: ["k": "cache"])) { self.errors = errors }
    }

    @Test("the ambient poster's scope posts below the scope or bus of each task, through its own rules first")
    func ambient() async {
        let trace = ActionTrace()
        let rules = ErrorHandler().on(Numbered(1)) { _ in trace("rule", .stop) }
        let errors: any ErrorPosting = .ambient.scope("cache", handler: rules, metadata: ["k": "cache", "l": "cache"])
        for round in 1...2 {
            let handler = ErrorHandler().on(matching: .any) { _ in trace("bus \(round)") }
            let reports = Journal<ErrorReport>()
            await withErrorBus(handler: handler) { bus in
                let observation = bus.observe { reports.note($0) }
                errors.post(Numbered(1), metadata: ["l": "post"])
                await withErrorScope("outer") { _ in errors.scope("inner").post(Numbered(2)) }
                #expect(await errors.deliver(Numbered(1)).isHandled)
                await errors.task { throw Numbered(3) }.value
                await errors.task { postError(Numbered(4)) }.value
                _ = await bus.flush(within: .seconds(60))
                observation.cancel()
            }
            let cache = ["cache"]
            expect(reports.entries.map(\.scope), equals: [cache, ["outer", "cache", "inner"], cache, cache, cache])
            expect(reports.entries[0].metadata, equals: ["k": "cache", "l": "post"])
            expect(
                trace.takeAll(),
                equals: ["rule"] + ["bus \(round)", "rule"] + Array(repeating: "bus \(round)", count: 2))
        }
        let recorded = await withRecordedErrors { _ in Cache().errors.post(Numbered(5)) }
        expect(recorded.reports.map(\.scope), equals: [["cache"]])
        expect(recorded.reports.map(\.metadata), equals: [["k": "cache"]])
    }

    @Test("withErrorBus awaits a task of the ambient poster's scope")
    func awaited() async {
        let (gate, isDone) = (Gate(), Locked(false))
        await withErrorBus(handler: ErrorHandler()) { bus in
            AmbientErrorPosting.ambient.scope("cache").task {
                await gate.wait()
                isDone.withLock { $0 = true }
            }
            // The bus waits for the tasks that it counts. The task can't have ended yet.
            expectNil(bus.tasks.haveEnded)
            gate.open()
        }
        #expect(isDone.withLock { $0 })
    }

    @Test("below a bus or a scope, a poster's scope is an ErrorScope")
    func known() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let posters: [any ErrorPosting] = [bus, bus.scope("a")]
            #expect(posters.allSatisfy { $0.scope("b") is ErrorScope })
            expect((posters[1].scope("b") as? ErrorScope)?.path, equals: ["a", "b"])
            let scope: ErrorScope = bus.scope("c")
            expect(scope.path, equals: ["c"])
        }
    }

    @Test("without a bus, the scope's handler goes first; other errors, attempts, and failures go to standard error")
    func noBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let (trace, done) = (ActionTrace(), Gate())
            let rules = ErrorHandler()
                .on(Numbered(1)) { _, report in
                    trace("\(report.scope) \(report.metadata["k"] ?? "-") \(report.metadata["l"] ?? "-")", .stop)
                }
                .on(Numbered(2)) { _ in throw Zoo.Offline() }
                .on(Zoo.Timeout.self) { _ in
                    await Task.yield()
                    _ = trace("later")
                    done.open()
                    return .stop
                }
                .on(Zoo.Payment.self) { error in
                    // The error isn't handled again.
                    Inner.errors?.post(error)
                    return trace("once", .stop)
                }
            let errors: any ErrorPosting = .ambient.scope("a", metadata: ["k": "a"]).scope("b", handler: rules)
            Inner.$errors.withValue(errors) {
                errors.post(Numbered(1), metadata: ["l": "post"])
                errors.post(Numbered(2))
                errors.post(Zoo.Timeout(seconds: 1))
                errors.post(Zoo.Payment.expired)
                errors.post(Numbered(1), as: .attempt)
                errors.post(Numbered(3))
            }
            await done.wait()
            expect(await errors.deliver(Numbered(1)).disposition, equals: .handled)
            expect(await errors.deliver(Numbered(4)).disposition, equals: .unmatched)
            let noted = trace.entries.filter { $0 != "later" }
            expect(noted, equals: [#"["a", "b"] a post"#, "once", #"["a", "b"] a -"#])
            #expect(trace.entries.contains("later"))
        }
        let lines = result.standardErrorLines
        expect(lines.count, equals: 5, "\(lines)")
        for (line, text) in zip(lines, ["Offline", "expired", "attempt", "number: 3", "number: 4"]) {
            #expect(line.contains(text) && line.contains(#"k="a""#) && line.contains("scope=a/b "), "\(line)")
        }
    }

    @Test("without a bus, only the always actions of a scope run for an attempt, which goes to standard error")
    func attemptWithoutBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let trace = ActionTrace()
            let rules = ErrorHandler()
                .on(Numbered.self) { trace("rule \($0.number)", .stop) }
                .onNoMatch { _ in trace("onNoMatch", .stop) }
                .always { _, report in trace("always \(report.role) \(report.outcome.disposition)") }
            let errors: any ErrorPosting = .ambient.scope("a", handler: rules)
            errors.post(Numbered(1), as: .attempt)
            expect(await errors.deliver(Numbered(2), as: .attempt).disposition, equals: .unmatched)
            expect(await errors.deliver(Numbered(3)).disposition, equals: .handled)
            expect(
                trace.entries,
                equals: ["always attempt ignored", "always attempt ignored", "rule 3", "always failure handled"])
        }
        let lines = result.standardErrorLines
        expect(lines.count, equals: 2, "\(lines)")
        for (line, number) in zip(lines, 1...) {
            #expect(line.hasPrefix("attempt ") && line.contains("number: \(number)"), "\(line)")
        }
    }

    @Test("without a bus, nested scopes concatenate their rules, as below a bus")
    func nested() async {
        let (journal, trace) = (Journal<ErrorReport>(), ActionTrace())
        func rules(_ name: String) -> ErrorHandler {
            ErrorHandler()
                .on(Numbered.self) { error in
                    trace("\(name)\(error.number)", error.number == 1 && name == "a" ? .stop : .next)
                }
                .onNoMatch { _ in trace("\(name)-", .next) }
                .on(Zoo.Timeout.self) { _ in
                    await Task.yield()
                    return trace("\(name)t", .next)
                }
                .on(Zoo.Payment.self) { _ in throw Zoo.Offline() }
        }
        let base = Noting(journal: journal)
        let outer = base.scope("a", handler: rules("a"), metadata: ["k": "a", "l": "a"])
        let errors = outer.scope("b").scope("c", handler: ErrorHandler().on(Numbered(3)) { _ in trace("c", .stop) })
            .scope("d", handler: rules("d"), metadata: ["k": "d"])
        for number in 1...3 { expect(await errors.deliver(Numbered(number)).isHandled, equals: true) }
        expect(trace.takeAll(), equals: ["d1", "a1", "d2", "a2", "d3", "c"])
        let inner = outer.scope("b").scope("e", handler: ErrorHandler().on(Numbered(4)) { _ in trace("e", .stop) })
        inner.post(Numbered(1))
        inner.post(Numbered(4))
        expect(trace.takeAll(), equals: ["a1", "e"])
        expect(await inner.deliver(Zoo.Timeout(seconds: 1)).isHandled, equals: true)
        expect(await inner.deliver(Zoo.Offline()).disposition, equals: .pending)
        expect(trace.takeAll(), equals: ["at", "a-"])
        expect(journal.entries.map { "\(type(of: $0.error))" }, equals: ["Offline"])
        expect(journal.entries.last?.metadata, equals: ["k": "a", "l": "a"])
        let deep = outer.scope("f", handler: rules("f"))
        expect(await deep.deliver(Zoo.Offline()).disposition, equals: .pending)
        expect(trace.takeAll(), equals: ["f-", "a-"])
        // Two actions fail; their failures take the path of their report.
        errors.post(Zoo.Payment.expired)
        expect(trace.takeAll(), equals: ["d-", "a-", "d-", "a-"])
        expect(journal.entries.suffix(2).map(\.metadata), equals: Array(repeating: ["k": "d", "l": "a"], count: 2))
        #expect(journal.entries.suffix(2).allSatisfy { $0.error is ActionFailure })
    }

    @Test("without a bus, a scope's rules are tried in its order, and its onNoMatch after inner scopes' rules")
    func order() async {
        let (journal, trace) = (Journal<ErrorReport>(), ActionTrace())
        func rules(_ name: String) -> ErrorHandler {
            ErrorHandler().on(Numbered.self) { _ in trace(name, .next) }.onNoMatch { _ in trace("\(name)-", .next) }
        }
        let errors = Noting(journal: journal).scope("a", handler: rules("a")).scope(
            "b", handler: rules("b"), order: .rootFirst)
        expect(await errors.deliver(Numbered(1)).isHandled, equals: true)
        expect(trace.takeAll(), equals: ["a", "b"])
        errors.post(Zoo.Offline())
        expect(trace.takeAll(), equals: ["b-", "a-"])
    }

    @Test("without a bus, an outer scope's asynchronous rule doesn't delay the synchronous actions before it")
    func asynchronousOuterRule() async {
        let (journal, trace, done) = (Journal<ErrorReport>(), ActionTrace(), Gate())
        let outer = ErrorHandler().always { _ async in
            _ = trace("later")
            done.open()
        }
        let rules = ErrorHandler().on(Numbered.self) { _ in trace("now", .next) }
        let errors = Noting(journal: journal).scope("a", handler: outer).scope("b", handler: rules)
        errors.post(Numbered(1))
        expect(trace.entries.first, equals: "now")
        await done.wait()
        expect(trace.takeAll(), equals: ["now", "later"])
        expect(journal.entries.count, equals: 0)
    }

    @Test("without a bus, the failures of actions for an action's failure go no further")
    func failuresOfFailures() async {
        let (journal, trace) = (Journal<ErrorReport>(), ActionTrace())
        let rules = ErrorHandler().on(matching: .any) { _ in
            _ = trace("failing")
            throw Zoo.Offline()
        }
        let errors = Noting(journal: journal).scope("a", handler: rules)
        errors.post(Numbered(1))
        expect(trace.takeAll(), equals: ["failing", "failing"])
        expect(journal.entries.map { $0.error is ActionFailure }, equals: [true])
    }

    @Test("within a scope without a bus, lines on standard error show the whole path and the scope's metadata")
    func withinScopeWithoutBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let errors: any ErrorPosting = .ambient.scope("a", metadata: ["k": "a", "l": "a"])
            await withErrorScope("outer", metadata: ["k": "outer", "m": "outer"]) { outer in
                outer.annotate("n", with: "later")
                errors.post(Numbered(1), metadata: ["l": "post"])
            }
            errors.post(Numbered(2))
        }
        let lines = result.standardErrorLines.map { ErrorLineFields($0) }
        expect(lines.map { $0?["scope"] }, equals: ["outer/a", "a"])
        for (key, values) in ["k": ["a", "a"], "l": ["post", "a"], "m": ["outer", nil], "n": ["later", nil]] {
            expect(lines.map { $0?["metadata.\(key)"] }, equals: values)
        }
    }

    private enum Inner {
        @TaskLocal static var errors: (any ErrorPosting)?
    }

    /// A custom poster of the application.
    private struct Noting: ErrorPosting {
        let journal: Journal<ErrorReport>

        func post(
            _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
        ) { journal.note(ErrorReport(error: error, role: role, source: source, metadata: metadata)) }

        func deliver(
            _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
        ) async -> HandleOutcome {
            post(error, as: role, metadata: metadata, source: source)
            return HandleOutcome(disposition: .pending)
        }
    }

    @Test("a poster of another type receives errors that the scope's handler doesn't match, with the scope's metadata")
    func anotherPoster() async {
        let journal = Journal<ErrorReport>()
        let rules = ErrorHandler().ignore(Numbered(1))
        let errors = Noting(journal: journal).scope("a", handler: rules, metadata: ["k": "a"])
        errors.post(Numbered(1))
        errors.post(Numbered(2), as: .notice, metadata: ["l": "post"])
        expect(await errors.deliver(Numbered(1)).disposition, equals: .ignored)
        expect(await errors.deliver(Numbered(3)).disposition, equals: .pending)
        expect(journal.entries.map { ($0.error as? Numbered)?.number }, equals: [2, 3])
        expect(journal.entries.map(\.role), equals: [.notice, .failure])
        expect(journal.entries.map(\.metadata), equals: [["k": "a", "l": "post"], ["k": "a"]])
    }
}
