import ErrorRouting
import TestSupport
import Testing

@testable import ErrorRoutingTesting

private struct Declined: Error, Equatable { var code = 51 }
private struct Lost: Error {}

/// Posts errors that are of one kind for a flood limit.
private func declineAtOneLine(_ code: Int) { postError(Declined(code: code)) }

/// Runs a body as a test with the trait would run, and returns the issues that it recorded.
private func issues(
    _ trait: UnexpectedErrorsTrait = .failsOnUnexpectedErrors,
    sourceLocation: SourceLocation = #_sourceLocation,
    of body: @escaping @Sendable () async throws -> Void
) async -> [Issue] {
    let found = Locked<[Issue]>([])
    // Throws nothing on: what the body throws is an issue too.
    try? await withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
        let test = try #require(Test.current)
        try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
    } matching: { issue in
        found.withLock { $0.append(issue) }
        return true
    }
    return found.withLock { $0 }
}

extension [Issue] {
    fileprivate var lines: [Int?] { map(\.sourceLocation?.line) }
    fileprivate var texts: [String] { map { $0.comments.map(\.rawValue).joined() } }
    fileprivate func errors<E: Error>(_ type: E.Type) -> [E] { compactMap { $0.error as? E } }
}

@Suite("A test fails for each error that nothing expected", .showsFailures)
struct UnexpectedErrorsTests {}

extension UnexpectedErrorsTests {
    @Test("it fails where the error was posted: to the bus, ambient, by a function, a block, a task, or deliver")
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

    @Test("it does not fail where a rule of the trait's handler or of a scope handles the error, or nothing is posted")
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

    @Test("an action that fails, and errors that a full bus drops, are unexpected too")
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

    @Test("what the test throws is thrown on, after the issues")
    func throwing() async {
        let found = await issues {
            postError(Declined())
            throw Lost()
        }
        expect(found.map { $0.error is Declined }, equals: [true, false])
        #expect(found.last?.error is Lost)
    }

    @Test("a storm of unexpected errors is summed up after fifty")
    func storm() async {
        let found = await issues { for code in 0..<250 { postError(Declined(code: code)) } }
        expect(found.errors(Declined.self).map(\.code), equals: Array(0..<50))
        expect(found.count, equals: 51)
        expect(found.texts.last?.contains("200 more errors"), equals: true)
    }

    @Test("what is posted when the test has ended is reported at once, with the test's name, expected before or not")
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

    @Test("a test's trait adds rules to its suite's, on top of them, and keeps the configuration unless it has its own")
    func nested() async {
        let asked = Locked<[String]>([])
        func rule(_ name: String, _ strategy: HandleStrategy) -> ErrorHandler {
            ErrorHandler().on(Declined.self) { _, report in
                asked.withLock { $0.append("\(name) \(report.metadata)") }
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
            asked.withLock { $0 }, equals: ["suite \(bySuite)", "test \(bySuite)", "suite \(bySuite)", "test [:]"])
    }
}

@Suite("What a test expects does not fail it", .showsFailures)
struct ErrorExpectationTests {}

extension ErrorExpectationTests {
    @Test("an expected error whose action exceeds its time limit fails the test by the action's failure")
    func slowAction() async {
        let (clock, gate) = (ManualClock(), Gate())
        let slow = ErrorHandler().on(Declined.self) { _ in
            gate.open()
            try await Task.sleep(for: .seconds(3_600))
            return .stop
        }
        let configuration = ErrorBus.Configuration(actionTimeLimit: .seconds(30), clock: clock)
        let found = await issues(.failsOnUnexpectedErrors(handler: slow, configuration: configuration)) {
            expectingErrors(matching: .any, count: 1) { postError(Declined()) }
            await gate.wait()
            clock.advance(by: .seconds(30))
        }
        expect(found.count, equals: 1)
        #expect(found.errors(ActionFailure.self).first?.error is ActionTimeLimitExceeded)
    }

    @Test("a flood limit folds no unexpected error into an expected one", arguments: [false, true])
    func flood(hasOwnFingerprint: Bool) async {
        let limit =
            hasOwnFingerprint
            ? FloodLimit(first: 1, per: .seconds(1)) { _ in "all" } : FloodLimit(first: 1, per: .seconds(1))
        let configuration = ErrorBus.Configuration(floodLimit: limit, clock: ManualClock())
        let trait = UnexpectedErrorsTrait.failsOnUnexpectedErrors(configuration: configuration)
        let found = await issues(trait) {
            expectingErrors(matching: .type(Declined.self), count: 3) {
                declineAtOneLine(1)
                expectingErrors(matching: .type(Lost.self), count: 1) { postError(Lost()) }
                declineAtOneLine(2)
            }
            declineAtOneLine(3)
            declineAtOneLine(4)
            expectingErrors(matching: .type(Declined.self), count: 1) { declineAtOneLine(5) }
        }
        // The first passes, and the second is released at the end.
        expect(found.errors(Declined.self).map(\.code), equals: [3, 4])
        expect(found.count, equals: 3)
        expect(found.texts.last?.contains("expected 3 of type(Declined), found 2"), equals: true)
    }

    @Test("what a shutdown takes back in the test fails it, unless it was expected")
    func shutdown() async {
        let begun = Gate()
        let hanging = ErrorHandler().on(Lost.self) { _ in
            begun.open()
            try await Task.sleep(for: .seconds(3_600))
            return .stop
        }
        let found = await issues(.failsOnUnexpectedErrors(handler: hanging)) {
            expectingErrors(matching: .type(Lost.self)) { postError(Lost()) }
            await begun.wait()
            expectingErrors(matching: .value(Declined(code: 1))) { postError(Declined(code: 1)) }
            postError(Declined(code: 2))
            AmbientErrorPosting.ambient.post(Declined(code: 3), as: .attempt)
            expect(await ErrorBus.current?.shutdown(within: .zero).count, equals: 4)
        }
        expect(found.map { ($0.error as? Declined)?.code }, equals: [2])
    }

    @Test("a poster cannot say by metadata that its error was expected, nor can who posts another's metadata")
    func metadata() async {
        let handler = ErrorHandler().onNoMatch { error, report in
            if error is Declined { ErrorBus.current?.post(Lost(), metadata: report.metadata) }
            return .stop
        }
        let found = await issues(.failsOnUnexpectedErrors(handler: handler)) {
            postError(Declined(code: 1), metadata: ["expected.at": "UnexpectedErrorsTests.swift:1"])
            expectingErrors(matching: .type(Declined.self)) { postError(Declined(code: 2)) }
        }
        expect(found.errors(Declined.self).map(\.code), equals: [1])
        expect(found.errors(Lost.self).count, equals: 2)
    }

    @Test("attempts and notices fail no test, in time or late; an expectation counts those of its role")
    func roles() async {
        let found = await issues {
            AmbientErrorPosting.ambient.post(Declined(), as: .attempt)
            AmbientErrorPosting.ambient.post(Declined(), as: .notice)
            expectingErrors(matching: .type(Declined.self), as: .attempt, count: 2) {
                AmbientErrorPosting.ambient.post(Declined(), as: .attempt)
                AmbientErrorPosting.ambient.post(Declined(), as: .attempt)
                AmbientErrorPosting.ambient.post(Declined(), as: .notice)
            }
            expectingErrors(matching: .type(Declined.self), count: 1) {
                AmbientErrorPosting.ambient.post(Declined(), as: .attempt)
            }
            ErrorBus.current?.finish()
            AmbientErrorPosting.ambient.post(Declined(), as: .attempt)
        }
        expect(found.texts, equals: ["expected 1 of type(Declined), found 0, and 1 in another role than failure"])
    }

    @Test("an expected error that is posted once the test has finished its bus is counted, and no issue; others are")
    func finished() async {
        let line = #line + 4
        let found = await issues {
            ErrorBus.current?.finish()
            expectingErrors(matching: .type(Declined.self), count: 1) { postError(Declined()) }
            postError(Lost())
        }
        expect(found.lines, equals: [line])
        let text = "an error could not be delivered by the test's bus: failure type="
        expect(found.texts.first?.hasPrefix(text), equals: true)
    }

    @Test("what the bus's metadata provider posts for an error is expected like the error itself")
    func postingProvider() async {
        let provider: @Sendable (any Error) -> [String: String] = { _ in
            postError(Lost())
            return [:]
        }
        let trait = UnexpectedErrorsTrait.failsOnUnexpectedErrors(configuration: .init(metadataProvider: provider))
        let found = await issues(trait) {
            expectingErrors(matching: .type(Declined.self), count: 1) {
                expectingErrors(matching: .type(Lost.self), count: 1) { postError(Declined()) }
            }
        }
        expect(found.texts, equals: [])
    }

    @Test("an expectation's matcher may post itself")
    func postingMatcher() async {
        let found = await issues {
            let matcher = ErrorMatcher<any Error>.predicate { error in
                if error is Declined { postError(Lost()) }
                return error is Declined
            }
            expectingErrors(matching: matcher, count: 1) { postError(Declined()) }
        }
        expect(found.map { $0.error is Lost }, equals: [true])
    }

    @Test("errors are expected within the body, in what it starts or what outlives it, by the innermost that matches")
    func expected() async {
        let found = await issues {
            let gate = Gate()
            await expectingErrors(matching: .type(Declined.self), count: 4) {
                postError(Declined())
                await AmbientErrorPosting.ambient.deliver(Declined())
                await withErrorScope("checkout") { $0.post(Declined()) }
                AmbientErrorPosting.ambient.task {
                    await gate.wait()
                    throw Declined()
                }
            }
            gate.open()
            expectingErrors(matching: .any, count: 1) {
                expectingErrors(matching: .type(Declined.self), count: 2) {
                    postError(Declined())
                    postError(Lost())
                    postError(Declined())
                }
            }
        }
        expect(found.texts, equals: [])
    }

    @Test("errors beside the body, those that do not match, and an expectation that is not met fail the test in place")
    func unexpected() async {
        let line = #line
        let found = await issues {
            expectingErrors(matching: .type(Declined.self)) {
                postError(Declined())
                postError(Lost())
            }
            postError(Declined())
            expectingErrors(matching: .type(Declined.self).named("a declined card")) {}
            expectingErrors(matching: .type(Declined.self).named("a declined card"), count: 1) {
                postError(Declined())
                postError(Declined())
            }
        }
        expect(found.lines, equals: [4, 6, 7, 8].map { line + $0 })
        expect(found.map { $0.error is Lost }, equals: [true, false, false, false])
        expect(found.map { $0.error is Declined }, equals: [false, true, false, false])
        expect(
            found.texts.suffix(2),
            equals: ["expected at least 1 of a declined card, found 0", "expected 1 of a declined card, found 2"])
    }

    @Test("what the body returns and throws goes through, typed, and the actor is kept")
    @MainActor func results() async {
        let found = await issues {
            let twice = expectingErrors(matching: .any) {
                postError(Lost())
                return 2
            }
            expect(twice, equals: 2)
            do throws(Declined) {
                try await expectingErrors(matching: .any) { () async throws(Declined) in
                    postError(Lost())
                    throw Declined(code: 5)
                }
                Issue.record("it throws")
            } catch {
                expect(error.code, equals: 5)
            }
        }
        #expect(found.isEmpty)
        await withKnownIssue {
            await expectingErrors(matching: .any) {
                MainActor.assertIsolated()
                await Task.yield()
                MainActor.assertIsolated()
            }
        }
    }

    @Test("an expectation outside a test with the trait says so")
    func withoutTrait() {
        let line = #line + 2
        withKnownIssue {
            expectingErrors(matching: .any) {}
        } matching: { issue in
            issue.sourceLocation?.line == line
                && issue.comments.map(\.rawValue).joined().contains("is for tests with .failsOnUnexpectedErrors")
        }
    }
}

/// The trait as it is meant to be used.
@Suite(
    "A suite with the trait applies it to each of its tests",
    .failsOnUnexpectedErrors(handler: ErrorHandler().ignore(CancellationError.self)))
struct SuiteWithTraitTests {}

extension SuiteWithTraitTests {
    @Test("each case has a bus of its own, and expected errors pass", arguments: 1...5)
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

    @Suite("A suite within a suite with the trait has the trait too")
    struct Within {
        @Test("each test has a bus")
        func bus() { #expect(ErrorBus.current != nil) }
    }
}
