import Foundation
import TestSupport
import Testing

@Suite("What shows that a test fails holds, in a process of its own", .hangLimit)
struct FailureTests {
    @Test("all such tests run, record the issues that they know, and no other", .disabled(if: FailingTests.areRun))
    func failures() async throws {
        let suites = ["UnexpectedErrorsTests", "ErrorExpectationTests", "RecordedErrorsTests", "ForeignPostsTests"]
        let run = try await FailingTests.run(suites.joined(separator: "|"))
        let pattern = /Test run with (\d+) tests .* with (\d+) known issues/
        let end = try #require(run.output.firstMatch(of: pattern), "\(run.output)")
        expect(run.status, equals: 0, "\(run.output)")
        #expect(Int(end.1) ?? 0 > 20 && Int(end.2) ?? 0 > 60, "\(end.0)")
    }
}
