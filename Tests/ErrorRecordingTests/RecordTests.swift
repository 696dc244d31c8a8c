import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

@Suite("E1: a record is one line of JSON with all data of its report", .tags(.recording1), .hangLimit)
struct RecordTests {
    private let origin = RecordOrigin(host: "web-1", service: "orders", process: 9, start: "then")

    private func record(_ report: ErrorReport, _ rebuilding: RebuildableErrors = .init()) -> ErrorRecord {
        ErrorRecord(report, from: origin, time: { _ in 0 }, sequence: 3, rebuilding: rebuilding)
    }

    private func decoded(_ line: [UInt8]) throws -> ErrorRecord {
        try JSONDecoder().decode(ErrorRecord.self, from: Data(line))
    }
}

extension RecordTests {
    @Test func `it has the report's data, with stable keys`() async throws {
        let handled = await ErrorHandler().on(Order.self) { _ in .stop }.handle(Order.late)
        let record = record(
            report(Order.late, metadata: ["order": "17"], scope: ["shop", "pay"], occurrences: 4, outcome: handled))
        let line = try #require(String(bytes: RecordLine(record).bytes, encoding: .utf8))
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        expect(
            Set(fields.keys),
            equals: [
                "version", "time", "host", "service", "process", "start", "sequence", "disposition", "role", "type",
                "caseName", "message", "source", "scope", "metadata", "occurrences", "firstTime", "rule",
                "ruleSource", "matchedRuleCount", "fingerprint", "trail",
            ])
        #expect(line.hasPrefix(#"{"version":1,"time":"1970-01-01T00:00:00.000000Z""#))
        #expect(line.hasSuffix("}\n"))
        expect([record.type, record.caseName, record.domain], equals: ["RecordingSupport.Order", "late", nil])
        expect([record.disposition, record.rule, record.role], equals: ["handled", "type(Order)", "failure"])
        expect(record.ruleSource?.hasPrefix("ErrorRecordingTests/RecordTests.swift:"), equals: true)
        expect([record.matchedRuleCount, record.occurrences, record.sequence], equals: [1, 4, 3])
        expect(record.scope, equals: ["shop", "pay"])
        expect(record.metadata, equals: ["order": "17"])
        expect(record.source, equals: "Intake/Rules.swift:12")
        expect(try decoded(RecordLine(record).bytes), equals: record)
        // A service without a release writes the same line as it did with an earlier version of this package.
        var released = record
        released.release = "2.4.1"
        let newer = try #require(String(bytes: RecordLine(released).bytes, encoding: .utf8))
        expect(newer.replacing(#""release":"2.4.1","#, with: ""), equals: line)
        expect(try decoded(RecordLine(released).bytes), equals: released)
        // An NSError has its domain and code, and its underlying errors.
        let under = NSError(domain: "inner", code: 2)
        let outer = self.record(report(NSError(domain: "outer", code: -1, userInfo: [NSUnderlyingErrorKey: under])))
        expect([outer.domain, outer.caseName], equals: ["outer", nil])
        expect(outer.code, equals: -1)
        expect(outer.trail.map(\.fingerprint).map { $0.hasSuffix("(inner 2)") }, equals: [true])
    }

    /// Some reader treats each of these scalars as the end of a line; Python's `splitlines` treats all of them so.
    private var lineEnds: [Unicode.Scalar] {
        ["\n", "\r", "\u{B}", "\u{C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}", "\u{2029}"]
    }

    @Test(arguments: 1...50)
    func `whatever the strings contain, the line is one line and decodes to the same record`(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func text() -> String {
            let scalars =
                lineEnds + [
                    "\"", "\\", "\u{0}", "\u{1F}", "\u{7F}", "/", "a", "é", "\u{202E}", "🚀", "\u{FFFF}",
                ]
            let count = Int.random(in: 0..<12, using: &generator)
            return String(
                String.UnicodeScalarView((0..<count).map { _ in scalars.randomElement(using: &generator) ?? "b" }))
        }
        var record = record(report(Order.late))
        record.message = text()
        record.caseName = text()
        record.domain = text()
        record.code = Int.random(in: .min...(.max), using: &generator)
        record.metadata = [text(): text(), text() + "b": text()]
        record.scope = [text(), text()]
        record.trail = [.init(type: text(), message: text(), fingerprint: text())]
        record.value = text()
        record.shortened = [text()]
        expect(
            RecordLine.length(of: record.message),
            equals: RecordLine.length(of: record)
                - {
                    var without = record
                    without.message = ""
                    return RecordLine.length(of: without)
                }())
        let line = RecordLine(record).bytes
        let scalars = Array(String(decoding: line, as: UTF8.self).unicodeScalars)
        expect(scalars.firstIndex { lineEnds.contains($0) }, equals: scalars.count - 1)
        expect(scalars.last, equals: "\n")
        expect(try decoded(line), equals: record)
    }

    @Test func `a time is written as Foundation writes it, and sorts as a string`() throws {
        var generator = SplitMix64(seed: 5)
        // Foundation uses the Julian calendar before 1582.
        let (firstDay, lastDay) = (Int64(-12_212_553_600_000_000), Int64(253_402_300_799_999_999))
        var times = (0..<(isLong ? 2_000 : 400)).map { _ in Int64.random(in: firstDay...lastDay, using: &generator) }
        times += [0, -1, 951_782_399_999_999, 951_782_400_000_000, 4_107_542_400_000_000]
        let format = Date.ISO8601FormatStyle()
        for time in times {
            let text = Timestamp.text(ofMicroseconds: time)
            let seconds = Double(time - time.modulo(1_000_000)) / 1e6
            let expected = Date(timeIntervalSince1970: seconds).formatted(format).dropLast()
            expect(text, equals: "\(expected).\(String(1_000_000 + time.modulo(1_000_000)).dropFirst())Z")
        }
        let texts = times.sorted().map(Timestamp.text(ofMicroseconds:))
        expect(texts, equals: texts.sorted())
    }
}

extension Int64 {
    fileprivate func modulo(_ divisor: Int64) -> Int64 { (self % divisor + divisor) % divisor }
}
