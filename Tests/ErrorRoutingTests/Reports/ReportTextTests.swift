import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("A report has its error's type, message, and fingerprint", .tags(.promise20, .promise24), .hangLimit)
struct ReportTextTests {}

extension ReportTextTests {
    private enum Order: Error { case late, lost(String) }
    private enum Mute: Error, CustomStringConvertible, CustomReflectable {
        case silent, loud(Int)
        var description: String { fatalError("asked for a description") }
        var customMirror: Mirror { fatalError("asked for a mirror") }
    }
    private struct Coded: CustomNSError {
        static let errorDomain = "orders"
        let errorCode: Int
    }
    private struct Spoken: LocalizedError {
        let errorDescription: String?
    }

    private func report(_ error: any Error, line: UInt = 12) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Intake/Rules.swift", line: line))
    }

    @Test("type and message are what the default preset prints: with the module, on one line, truncated at 16 KiB")
    func texts() {
        let report = report(Zoo.Localized(errorDescription: "no\npaper \u{202E}"))
        expect(report.typeName, equals: "ErrorRoutingTests.Zoo.Localized")
        expect(report.message, equals: #"no\npaper \u{202e}"#)
        #expect(report.description.contains("message=\"\(report.message)\""))
        let hidden = self.report(Order.late)
        expect(hidden.typeName, equals: "ErrorRoutingTests.ReportTextTests.Order")
        expect(hidden.message, equals: "late")
        let long = self.report(Spoken(errorDescription: String(repeating: "é", count: 20_000))).message
        #expect(long.utf8.count <= 16 * 1024 && long.hasSuffix("…"))
    }

    @Test(
        "the fingerprint consists of type, case (if none, domain and code), and file; no user code runs for it",
        .onLinux("on Darwin a boxed URLError is an NSError"))
    func fingerprints() {
        let order = "ErrorRoutingTests.ReportTextTests.Order"
        expect(report(Order.late).fingerprint, equals: "\(order).late Intake/Rules.swift")
        expect(report(Order.lost("a")).fingerprint, equals: "\(order).lost Intake/Rules.swift")
        expect(report(Order.lost("b"), line: 13).fingerprint, equals: report(Order.lost("a")).fingerprint)
        #expect(
            report(Spoken(errorDescription: "a")).fingerprint.hasSuffix("ReportTextTests.Spoken Intake/Rules.swift"))
        let type = "ErrorRoutingTests.ReportTextTests.Coded"
        expect(report(Coded(errorCode: 7)).fingerprint, equals: "\(type)(orders 7) Intake/Rules.swift")
        let error = NSError(domain: "d\nd", code: 4)
        expect(report(error).fingerprint, equals: #"Foundation.NSError(d\nd 4) Intake/Rules.swift"#)
        let mute = "ErrorRoutingTests.ReportTextTests.Mute"
        expect(report(Mute.silent).fingerprint, equals: "\(mute).silent Intake/Rules.swift")
        expect(report(Mute.loud(1)).fingerprint, equals: "\(mute).loud Intake/Rules.swift")
    }

    @Test("fields with a string for the trail compute message and trail once, and differ only in that string")
    func describedTrail() {
        struct Counted: Error, CustomStringConvertible, UnderlyingErrorsProviding {
            let name: String
            let calls: Locked<[String]>
            var underlyingErrors: [any Error] = []
            var description: String {
                calls.withLock { $0.append(name) }
                return name
            }
        }
        let calls = Locked<[String]>([])
        let under = Counted(name: "under", calls: calls)
        let report = report(Counted(name: "over", calls: calls, underlyingErrors: [under]))
        var fields = report.fields { message, trail in "\(message) over \(trail.map(\.message))" }
        expect(fields["error.trail"], equals: #"over over ["under"]"#)
        expect(calls.withLock { $0 }, equals: ["over", "under"])
        var plain = report.fields
        (fields["error.trail"], plain["error.trail"]) = (nil, nil)
        (fields["error.time"], plain["error.time"]) = (nil, nil)
        expect(fields, equals: plain)
        let bare = self.report(Order.late).fields { _, _ in fatalError("there is no trail") }
        expectNil(bare["error.trail"])
    }

    @Test("Foundation's errors and NSErrors are named by their domain's type, the same on every platform")
    func foundation() {
        let errors: [(name: String, error: any Error, object: NSError)] = [
            ("URLError", URLError(.timedOut), NSError(domain: NSURLErrorDomain, code: -1001)),
            ("CocoaError", CocoaError(.fileNoSuchFile), NSError(domain: NSCocoaErrorDomain, code: 4)),
            ("POSIXError", POSIXError(.ENOENT), NSError(domain: NSPOSIXErrorDomain, code: 2)),
            ("NSError", NSError(domain: "d", code: 1), NSError(domain: "d", code: 1)),
        ]
        for (name, error, object) in errors {
            expect(report(error).typeName, equals: "Foundation.\(name)")
            expect(report(object).typeName, equals: "Foundation.\(name)")
            let fingerprint = "Foundation.\(name)(\(object.domain) \(object.code)) Intake/Rules.swift"
            expect(report(error).fingerprint, equals: fingerprint)
            expect(report(object).fingerprint, equals: fingerprint)
        }
        let unknown = NSError(domain: NSURLErrorDomain, code: -987_654)
        expect(report(unknown).typeName, equals: "Foundation.URLError")
        // Foundation on Linux doesn't have messages for these codes.
        for code in [Int(Int32.max) + 1, Int(Int32.min) - 1, .max, .min] {
            let system = NSError(domain: NSPOSIXErrorDomain, code: code)
            #expect(report(system).message.contains("\(code)"))
            #expect(report(Zoo.Wrapped(content: system)).message.contains("\(code)"))
        }
        let special = Zoo.NSErrorSubclass(domain: NSCocoaErrorDomain, code: 4)
        expect(report(special).typeName, equals: "ErrorRoutingTests.Zoo.NSErrorSubclass")
    }

    @Test("case, domain, and code are available as values, if there are any")
    func values() {
        let errors: [any Error] = [Mute.silent, Order.lost("a"), Spoken(errorDescription: nil), Coded(errorCode: 7)]
        expect(errors.map { report($0).kindName }, equals: ["silent", "lost", nil, nil])
        expectNil(report(Order.late).domainAndCode)
        let coded =
            [Coded(errorCode: 7), NSError(domain: "d\nd", code: -4), URLError(.notConnectedToInternet)] as [any Error]
        let codes = coded.map { report($0).domainAndCode }
        expect(codes.map { $0?.domain }, equals: ["orders", #"d\nd"#, NSURLErrorDomain])
        expect(codes.map { $0?.code }, equals: [7, -4, -1009])
    }

    @Test("an enum's domain isn't read if its case is the fingerprint; any other error's domain is read once")
    func fingerprintsReadLittle() {
        final class ReadCount: Sendable { let count = Locked(0) }
        struct Counted: Error, CustomNSError {
            let reads: ReadCount
            var errorCode: Int {
                reads.count.withLock { $0 += 1 }
                return 7
            }
        }
        enum Cased: Error, CustomNSError {
            case lost(ReadCount)
            var errorCode: Int {
                guard case .lost(let reads) = self else { return 0 }
                return Counted(reads: reads).errorCode
            }
        }
        let (reads, caseReads) = (ReadCount(), ReadCount())
        #expect(report(Cased.lost(caseReads)).fingerprint.contains("Cased.lost "))
        expect(caseReads.count.withLock { $0 }, equals: 0)
        #expect(report(Counted(reads: reads)).fingerprint.contains("Counted(ErrorRoutingTests."))
        expect(reads.count.withLock { $0 }, equals: 1)
        expect(report(Cased.lost(caseReads)).domainAndCode?.code, equals: 7)
    }

    @Test("fingerprints are the same in every run: another process computes the same ones")
    func runs() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let errors: [any Error] = [
                Order.lost("a"), Coded(errorCode: 7), URLError(.timedOut), Spoken(errorDescription: "x"),
            ]
            for error in errors {
                let report = ErrorReport(error: error, source: .init(fileID: "Intake/Rules.swift", line: 12))
                print("line:", report.typeName, report.message, report.fingerprint)
            }
        }
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        let errors: [any Error] = [
            Order.lost("a"), Coded(errorCode: 7), URLError(.timedOut), Spoken(errorDescription: "x"),
        ]
        let expected = errors.map { error in
            let report = report(error)
            return "line: \(report.typeName) \(report.message) \(report.fingerprint)"
        }
        expect(lines.filter { $0.hasPrefix("line:") }, equals: expected.map { $0[...] })
    }
}

@Suite("A report has fields for structured logs and exporters", .tags(.promise24), .hangLimit)
struct ReportFieldsTests {
    private struct Inner: Error, CustomStringConvertible { let description = "no\npaper" }
    private struct Outer: Error, UnderlyingErrorsProviding {
        var underlyingErrors: [any Error] { [Inner()] }
    }

    private let source = ErrorReport.Source(fileID: "Intake/Rules.swift", line: 12)
}

extension ReportFieldsTests {
    @Test func `a report has type, message, role, fingerprint, source, time, and outcome, whatever its metadata`() {
        // The report's own fields take precedence over metadata with the same name.
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

    @Test func `the location of a route has no line, in the fields and in the line`() {
        let report = ErrorReport(error: Inner(), source: .init(fileID: "Shop/GET /orders/{id}", line: 0))
        expect(report.fields["error.source"], equals: "Shop/GET /orders/{id}")
        #expect(report.description.contains(#" source="Shop/GET /orders/{id}""#), "\(report)")
    }

    @Test func `scope, trail, rule, and occurrences are included if there are any, next to the metadata`() async {
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

    @Test func `the time is that of the post, and sorts as a string`() throws {
        let hour = Duration.seconds(3_600)
        let report = ErrorReport(error: Inner(), source: source, instant: .now - hour)
        let text = try #require(report.fields["error.time"])
        let time = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        // Milliseconds are truncated. By the time of the check, a little more than an hour has passed.
        #expect(abs(time.timeIntervalSinceNow + 3_600) < 60)
        #expect(text.hasSuffix("Z") && text.count == "2026-05-31T16:05:09.125Z".count)
    }

    @Test func `each value is one line of limited length`() {
        let long = String(repeating: "\n", count: 20_000)
        let report = ErrorReport(error: Outer(), source: source, metadata: ["long": long], scope: [long, "b"])
        for (key, value) in report.fields {
            #expect(value.utf8.count <= 17 * 1024 && !value.contains("\n"), "\(key)")
        }
    }
}
