import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("A report says its error's type, message and fingerprint", .tags(.behaviour20, .behaviour24))
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

    @Test("type and message are as the default preset prints them: with the module, on one line, cut at 16 KiB")
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

    @Test("the fingerprint is made of type, case or else domain and code, and file; no code of the type's runs for it")
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
        expect(report(error).fingerprint, equals: #"\#(String(reflecting: NSError.self))(d\nd 4) Intake/Rules.swift"#)
        #expect(
            report(URLError(.timedOut)).fingerprint.hasSuffix("URLError(NSURLErrorDomain -1001) Intake/Rules.swift"))
        let mute = "ErrorRoutingTests.ReportTextTests.Mute"
        expect(report(Mute.silent).fingerprint, equals: "\(mute).silent Intake/Rules.swift")
        expect(report(Mute.loud(1)).fingerprint, equals: "\(mute).loud Intake/Rules.swift")
    }

    @Test("case, domain and code are there as values, where there are any")
    func values() throws {
        let errors: [any Error] = [Mute.silent, Order.lost("a"), Spoken(errorDescription: nil), Coded(errorCode: 7)]
        expect(errors.map { report($0).caseName }, equals: ["silent", "lost", nil, nil])
        expectNil(report(Order.late).domainAndCode)
        let coded = try #require(report(Coded(errorCode: 7)).domainAndCode)
        #expect(coded == ("orders", 7))
        let error = try #require(report(NSError(domain: "d\nd", code: -4)).domainAndCode)
        #expect(error == (#"d\nd"#, -4))
        let offline = try #require(report(URLError(.notConnectedToInternet)).domainAndCode)
        #expect(offline == (NSURLErrorDomain, -1009))
    }

    @Test("they are the same in every run: another process says the same")
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
