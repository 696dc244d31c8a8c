import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("A report has fields for structured logs and exporters", .tags(.behaviour24))
struct ReportFieldsTests {
    private struct Inner: Error, CustomStringConvertible { let description = "no\npaper" }
    private struct Outer: Error, UnderlyingErrors {
        var underlyingErrors: [any Error] { [Inner()] }
    }

    private let source = ErrorReport.Source(fileID: "Intake/Rules.swift", line: 12)
}

extension ReportFieldsTests {
    @Test func `a plain report has type, message, role, fingerprint, source, time and outcome, and metadata do not lie`() {
        // What the report says of itself goes before metadata of the same name.
        let metadata = ["exception.type": "a lie", "error.scope": "b"]
        let report = ErrorReport(error: Inner(), source: source, metadata: metadata)
        var fields = report.fields
        #expect(fields.removeValue(forKey: "error.time") != nil)
        expect(
            fields,
            equals: [
                "exception.type": report.typeName, "exception.message": #"no\npaper"#, "error.role": "failure",
                "error.fingerprint": report.fingerprint, "error.source": "Intake/Rules.swift:12",
                "error.disposition": "pending", "error.scope": "b",
            ])
    }

    @Test func `scope, trail, rule and occurrences are there where there are any, beside the metadata`() async {
        let posted = ErrorReport(
            error: Outer(), source: source, metadata: ["request": "a\u{202E}b"], scope: ["shop", "checkout"],
            occurrences: 3)
        let outcome = await ErrorHandler().on(Outer.self) { _ in .stop }.handle(posted)
        let fields = ErrorReport(
            error: posted.error, source: source, metadata: posted.metadata, scope: posted.scope, occurrences: 3,
            outcome: outcome
        ).fields
        expect(fields["request"], equals: #"a\u{202e}b"#)
        expect(fields["error.scope"], equals: "shop/checkout")
        expect(fields["error.occurrences"], equals: "3")
        expect(fields["error.trail"], equals: #"ErrorRoutingTests.ReportFieldsTests.Inner: no\npaper"#)
        expect(fields["error.rule"], equals: outcome.rule?.description)
        expect(fields["error.disposition"], equals: "handled")
        expect(fields.count, equals: 12)
    }

    @Test func `the time is the one of posting, and sorts as a text`() throws {
        let hour = Duration.seconds(3_600)
        let report = ErrorReport(error: Inner(), source: source, instant: .now - hour)
        let text = try #require(report.fields["error.time"])
        let time = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        // Milliseconds are cut off, and an hour ago was an hour and a little when it was read.
        #expect(abs(time.timeIntervalSinceNow + 3_600) < 60)
        #expect(text.hasSuffix("Z") && text.count == "2026-05-31T16:05:09.125Z".count)
    }

    @Test func `each value is one line of bounded length`() {
        let long = String(repeating: "\n", count: 20_000)
        let report = ErrorReport(error: Outer(), source: source, metadata: ["long": long], scope: [long, "b"])
        for (key, value) in report.fields {
            #expect(value.utf8.count <= 17 * 1024 && !value.contains("\n"), "\(key)")
        }
    }
}
