import Foundation
import TestSupport
import Testing

@Suite("Tests that must fail do fail, in a separate process", .hangLimit)
struct FailureTests {
    @Test("all such tests run, and record only the issues that they allow", .disabled(if: SeparateTests.areRun))
    func failures() async throws {
        let suites = ["UnexpectedErrorsTests", "ErrorExpectationTests", "RecordedErrorsTests", "ForeignPostsTests"]
        let run = try await SeparateTests.run(suites.joined(separator: "|"))
        let pattern = /Test run with (\d+) tests .* with (\d+) known issues/
        let end = try #require(run.output.firstMatch(of: pattern), "\(run.output)")
        expect(run.status, equals: 0, "\(run.output)")
        #expect(Int(end.1) ?? 0 > 20 && Int(end.2) ?? 0 > 60, "\(end.0)")
    }
}
