import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("A recording contains the errors that a body posts", .hangLimit)
struct RecordedErrorsTests {}

extension RecordedErrorsTests {
    @Test("all errors are recorded in order with their outcomes")
    func records() async {
        let recorded = await withRecordedErrors(handler: ErrorHandler().ignore(Lost.self)) { bus in
            for code in 0..<1_000 { bus.post(Declined(code: code)) }
            bus.post(Lost())
        }
        expect(recorded.matches(of: .type(Declined.self)).map(\.code), equals: Array(0..<1_000))
        expect(recorded.reports.last?.outcome.disposition, equals: .ignored)
        expect(recorded.statistics.posted, equals: 1_001)
        expect(recorded.expectReported(.type(Declined.self)), equals: Declined(code: 0))
        recorded.expectReported(.type(Declined.self), count: 1_000)
        recorded.expectNoneReported(.type(CancellationError.self))
        let nothing = await withRecordedErrors { _ in }
        nothing.expectNoneReported()
        #expect(nothing.errors.isEmpty)
        expect(nothing.description, equals: "no reports")
    }

    @Test("the body's error is rethrown with its type")
    func throwing() async {
        do throws(Declined) {
            try await withRecordedErrors { _ async throws(Declined) in throw Declined() }
            Issue.record("it throws")
        } catch {
            expect(error.code, equals: 51)
        }
    }

    @Test(
        "a missing error fails the test at the caller's line, and the issue shows the other errors", .showsFailures)
    func failureAtTheCallersLine() async {
        let recorded = await withRecordedErrors { bus in bus.post(Lost()) }
        let line = #line + 2
        withKnownIssue {
            recorded.expectReported(.type(Declined.self).named("a declined card"))
        } matching: { issue in
            let comment = issue.comments.map(\.rawValue).joined()
            return issue.sourceLocation?.line == line
                && comment.contains("expected at least 1 of a declined card, found 0")
                && comment.contains("ErrorRoutingTestingTests.Lost")
        }
        // A wrong count and an unexpected error fail the test too.
        withKnownIssue { recorded.expectReported(.type(Lost.self), count: 2) }
        withKnownIssue { recorded.expectNoneReported() }
    }
}
