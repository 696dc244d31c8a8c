import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import ErrorRoutingTesting

@Suite("A test fails for each unexpected error", .showsFailures, .hangLimit)
struct UnexpectedErrorsTests {}

extension UnexpectedErrorsTests {
    @Test("it fails at the posting line, whether a bus, the ambient poster, a function, a block, or a task posts")
    func lines() async {
        let line = #line
        let found = await issues {
            ErrorBus.current?.post(Declined(code: 1))
            AmbientErrorPosting.ambient.post(Declined(code: 2))
            postError(Declined(code: 3))
            AmbientErrorPosting.ambient.catching { throw Declined(code: 4) }
            await AmbientErrorPosting.ambient.deliver(Declined(code: 5))
            await Task { postError(Declined(code: 6)) }.value
            AmbientErrorPosting.ambient.task { throw Declined(code: 7) }
        }
        expect(found.errors(Declined.self).map(\.code), equals: [1, 2, 3, 4, 5, 6, 7])
        expect(found.lines, equals: (2...8).map { line + $0 })
        expect(Set(found.map(\.sourceLocation?.fileID)), equals: [#fileID])
        #if compiler(>=6.3)
            expect(Set(found.map(\.sourceLocation?.filePath)), equals: [#filePath])
        #endif
        expect(found.texts.first?.contains("nothing expected this error: failure type="), equals: true)
    }

    private static let childsLine = #line + 9

    /// The body of an exit test, outside the macro, where all posts would have the macro's line.
    private static func postInChild() async {
        // The trait's bus is in the test's process, not here.
        postError(Lost())
        let value = await failingOnUnexpectedErrors(handler: ErrorHandler().ignore(Lost.self)) {
            postError(Lost())
            expectingErrors(matching: .value(Declined(code: 1)), count: 1) { postError(Declined(code: 1)) }
            postError(Declined(code: 2))
            return 3
        }
        expect(value, equals: 3)
    }

    @Test("an exit test fails only for errors that its child process posts within failingOnUnexpectedErrors")
    func exitTests() async {
        let found = await issues {
            await #expect(processExitsWith: .success) {
                alarm(120)
                await Self.postInChild()
            }
        }
        expect(found.lines, equals: [Self.childsLine])
        #expect(found.texts.first?.contains("Declined(code: 2)") == true, "\(found)")
    }

    @Test("it doesn't fail if a rule of the trait's handler or of a scope handles the error, or nothing is posted")
    func handled() async {
        #expect(await issues {}.isEmpty)
        let handler = ErrorHandler.standardError.on(Declined.self) { _ in .next }
        let found = await issues(.failsOnUnexpectedErrors(handler: handler)) {
            postError(Declined())
            postError(CancellationError())
            await withErrorScope("checkout", handler: ErrorHandler().ignore(Lost.self)) { _ in postError(Lost()) }
            postError(Lost())
        }
        expect(found.map { $0.error is Lost }, equals: [true])
    }

    @Test("failed actions and errors that a full bus drops are unexpected too")
    func notices() async {
        let failing = ErrorHandler().on(Declined.self) { _ in throw Lost() }
        let failed = await issues(.failsOnUnexpectedErrors(handler: failing)) { postError(Declined()) }
        expect(failed.map { $0.error is ActionFailure }, equals: [true])

        let gate = Gate()
        let waiting = ErrorHandler().on(Declined.self) { _ in
            await gate.wait()
            return .stop
        }
        let trait = UnexpectedErrorsTrait.failsOnUnexpectedErrors(handler: waiting, configuration: .init(capacity: 1))
        let dropped = await issues(trait) {
            for _ in 0..<10 { postError(Declined()) }
            gate.open()
        }
        expect(dropped.count, equals: 1)
        #expect((dropped.errors(ErrorsDropped.self).first?.count ?? 0) >= 8)
    }

    @Test("the test's error is rethrown after the issues are recorded")
    func throwing() async {
        let found = await issues {
            postError(Declined())
            throw Lost()
        }
        expect(found.map { $0.error is Declined }, equals: [true, false])
        #expect(found.last?.error is Lost)
    }

    @Test("a flood of unexpected errors is merged after fifty errors")
    func storm() async {
        let found = await issues { for code in 0..<250 { postError(Declined(code: code)) } }
        expect(found.errors(Declined.self).map(\.code), equals: Array(0..<50))
        expect(found.count, equals: 51)
        expect(found.texts.last?.contains("200 more errors"), equals: true)
    }

    @Test("an error after the test's end is reported immediately with the test's name, whether or not it was expected")
    func late() async throws {
        let found = Locked<[Issue]>([])
        let line = #line + 11
        try await withKnownIssue {
            let gate = Gate()
            let leaked = Locked<Task<Void, Never>?>(nil)
            try await UnexpectedErrorsTrait.failsOnUnexpectedErrors.provideScope(
                for: try #require(Test.current), testCase: nil
            ) {
                let task = expectingErrors(matching: .any, count: 1) {
                    postError(Declined())
                    return Task {
                        await gate.wait()
                        postError(Lost())
                    }
                }
                leaked.withLock { $0 = task }
            }
            gate.open()
            await leaked.withLock { $0 }?.value
        } matching: { issue in
            found.withLock { $0.append(issue) }
            return true
        }
        let issues = found.withLock { $0 }
        expect(issues.lines, equals: [line])
        let text = "an error was posted after the test \"late()\" had ended: failure type="
        expect(issues.texts.first?.hasPrefix(text), equals: true)
    }

    @Test("the trait's configuration keeps its own metadata provider")
    func configuration() async {
        let seen = Locked<[[String: String]]>([])
        let handler = ErrorHandler().on(Declined.self) { _, report in
            seen.withLock { $0.append(report.metadata) }
            return .stop
        }
        let trait = UnexpectedErrorsTrait.failsOnUnexpectedErrors(
            handler: handler, configuration: .init(metadataProvider: { _ in ["request": "17"] }))
        let found = await issues(trait) {
            postError(Declined())
            expectingErrors(matching: .type(Declined.self)) { postError(Declined()) }
        }
        #expect(found.isEmpty)
        expect(seen.withLock { $0 }, equals: [["request": "17"], ["request": "17"]])
    }

    @Test("a test's trait adds rules on top of its suite's rules, and keeps the configuration unless it has its own")
    func nested() async {
        let provided = Locked<[String]>([])
        func rule(_ name: String, _ strategy: HandleStrategy) -> ErrorHandler {
            ErrorHandler().on(Declined.self) { _, report in
                provided.withLock { $0.append("\(name) \(report.metadata)") }
                return strategy
            }
        }
        let suite = UnexpectedErrorsTrait.failsOnUnexpectedErrors(
            handler: rule("suite", .stop).ignore(Lost.self),
            configuration: .init(metadataProvider: { _ in ["by": "suite"] }))
        let own = [
            UnexpectedErrorsTrait.failsOnUnexpectedErrors, .failsOnUnexpectedErrors(handler: rule("test", .next)),
            .failsOnUnexpectedErrors(handler: rule("test", .stop), configuration: .init()),
        ]
        for trait in own {
            let found = await issues(suite) {
                let test = try #require(Test.current)
                try await trait.provideScope(for: test, testCase: Test.Case.current) {
                    postError(Declined())
                    postError(Lost())
                    postError(CancellationError())
                }
            }
            expect(found.map { $0.error is CancellationError }, equals: [true])
        }
        let bySuite = "[\"by\": \"suite\"]"
        expect(
            provided.withLock { $0 }, equals: ["suite \(bySuite)", "test \(bySuite)", "suite \(bySuite)", "test [:]"])
    }
}

/// Uses the trait as intended.
@Suite(
    "A suite with the trait applies it to each of its tests",
    .failsOnUnexpectedErrors(handler: ErrorHandler().ignore(CancellationError.self)), .hangLimit)
struct SuiteWithTraitTests {}

extension SuiteWithTraitTests {
    @Test("each case has its own bus, and expected errors pass", arguments: 1...5)
    func ownBus(number: Int) async throws {
        let bus = try #require(ErrorBus.current)
        expect(bus.statistics.posted, equals: 0)
        await expectingErrors(matching: .value(Declined(code: number)), count: number) {
            for _ in 0..<number { await AmbientErrorPosting.ambient.deliver(Declined(code: number)) }
        }
        expect(bus.statistics.posted, equals: number)
    }

    @Test("a test's own rules are added to the suite's", .failsOnUnexpectedErrors(handler: .init().ignore(Lost.self)))
    func ownRules() {
        postError(Lost())
        postError(CancellationError())
    }

    @Suite("A suite within a suite with the trait has the trait too", .hangLimit)
    struct Within {
        @Test("each test has a bus")
        func bus() { #expect(ErrorBus.current != nil) }
    }
}
