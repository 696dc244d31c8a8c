import ErrorRouting
import TestSupport
import Testing

@testable import ErrorRoutingTesting

/// Posts errors of one kind for a flood limit.
private func declineAtOneLine(_ code: Int) { postError(Declined(code: code)) }

@Suite("Expected errors don't fail a test", .showsFailures, .hangLimit)
struct ErrorExpectationTests {}

extension ErrorExpectationTests {
    @Test("an expected error whose action exceeds its time limit still fails the test, with the action's failure")
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

    @Test("a flood limit doesn't merge unexpected errors into expected ones", arguments: [false, true])
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
        // The first error passes, and the second is released when the test ends.
        expect(found.errors(Declined.self).map(\.code), equals: [3, 4])
        expect(found.count, equals: 3)
        expect(found.texts.last?.contains("expected 3 of type(Declined), found 2"), equals: true)
    }

    @Test("reports that a shutdown in the test returns fail the test unless they were expected")
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

    @Test("a caller can't mark its error as expected by adding metadata, not even another report's metadata")
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

    @Test("attempts and notices don't fail a test, in time or late, and an expectation counts reports of its role")
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

    @Test("an expected error after the test has finished its bus is counted and isn't an issue, but other errors are")
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

    @Test("an error that the bus's metadata provider posts is expected like the error itself")
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

    @Test("an expectation's matcher can post errors itself")
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

    @Test("errors are expected in the body and its tasks, even later, by the innermost matching expectation")
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

    @Test("errors outside the body, errors that don't match, and unmet expectations fail the test at their lines")
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

    @Test("the body's result and typed error are passed on, and the body runs on the caller's actor")
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

    @Test("an expectation outside a test with the trait records an issue")
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
