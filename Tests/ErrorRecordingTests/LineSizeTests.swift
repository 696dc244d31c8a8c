import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording

@Suite("E1: a line never exceeds its maximum size, and names its shortened fields", .tags(.recording1), .hangLimit)
struct LineSizeTests {
    private static let text = String(repeating: "x", count: 20_000)

    /// A record with a value in each field.
    private var record: ErrorRecord {
        ErrorRecord(
            host: "web-1", service: "orders", process: .min, sequence: .min, type: "Shop.Error", caseName: "late",
            domain: "shop", code: .min, message: "late", source: "Shop/A.swift:1", scope: ["shop"],
            metadata: ["order": "17"], occurrences: .min, firstTime: "1970", rule: "always",
            ruleSource: "Shop/A.swift:2", matchedRuleCount: .min, fingerprint: "Shop.Error.late Shop/A.swift",
            trail: [.init(type: "Shop.Inner", message: "inner", fingerprint: "Shop.Inner")], value: "{}")
    }

    private func shortened(_ record: ErrorRecord, to limit: Int) throws -> ErrorRecord {
        let line = RecordLine(record, limit: limit).bytes
        #expect(line.count <= limit)
        // Only as much is shortened as necessary.
        if record != self.record { #expect(line.count > limit - 100 || limit > 20_000) }
        return try JSONDecoder().decode(ErrorRecord.self, from: Data(line))
    }
}

extension LineSizeTests {
    @Test func `the underlying errors are shortened first, then the message, then the metadata; the rest stays whole`()
        throws
    {
        var record = record
        record.trail[0].message = Self.text
        var short = try shortened(record, to: 16 << 10)
        expect(short.shortened, equals: ["trail"])
        #expect(short.trail[0].message.hasSuffix("xx…"))
        short.trail[0].message = record.trail[0].message
        short.shortened = nil
        expect(short, equals: record)

        record.message = Self.text
        short = try shortened(record, to: 16 << 10)
        expect(short.shortened, equals: ["trail", "value", "message"])
        // The types and fingerprints of the underlying errors stay whole as long as they fit.
        expect(short.trail.map(\.message), equals: ["…"])
        #expect(short.message.hasSuffix("xx…"))
        expect(short.value, equals: nil)
        expect(short.metadata, equals: record.metadata)

        record.metadata = ["a": Self.text, "b": "short"]
        short = try shortened(record, to: 16 << 10)
        expect(short.shortened, equals: ["trail", "value", "message", "metadata"])
        expect(short.message, equals: "…")
        expect(short.metadata["b"], equals: "short")
        expect(short.metadata["a"]?.hasSuffix("xx…"), equals: true)
        expect(short.scope, equals: record.scope)
    }

    @Test func `a record that exactly fits its line is not shortened`() throws {
        var record = record
        record.message = Self.text
        record.trail[0].message = String(repeating: "x", count: 100)
        let size = RecordLine.length(of: record)
        expect(try shortened(record, to: size), equals: record)
        expect(try shortened(record, to: size - 1).shortened, equals: ["trail"])
    }

    @Test(arguments: 0..<10)
    func `whichever field is large, the line is whole, valid, and short enough`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func text() -> String {
            let scalar = ["x", "\"", "\u{0}", "é", "🚀", "\u{2028}"].randomElement(using: &random) ?? "x"
            let count = [0, 1, 2, 30, 1_500].randomElement(using: &random) ?? 0
            return String(repeating: scalar, count: count)
        }
        func texts() -> [String] { (0..<Int.random(in: 0...12, using: &random)).map { _ in text() } }
        var record = record
        let names: [WritableKeyPath<ErrorRecord, String>] = [
            \.time, \.host, \.service, \.start, \.role, \.type, \.source, \.disposition, \.fingerprint, \.message,
        ]
        for name in names { record[keyPath: name] = text() }
        let optional = [\ErrorRecord.release, \.caseName, \.kind, \.domain, \.firstTime, \.rule, \.ruleSource, \.value]
        for name in optional { record[keyPath: name] = text() }
        record.scope = texts()
        record.metadata = Dictionary(texts().map { ($0 + "\(Int.random(in: 0...9, using: &random))", text()) }) { $1 }
        record.trail = texts().map { .init(type: text(), message: $0, fingerprint: text()) }
        for limit in [1_024, 4_096, 65_536] {
            let line = RecordLine(record, limit: limit).bytes
            #expect(line.count <= limit)
            let short = try JSONDecoder().decode(ErrorRecord.self, from: Data(line))
            expect(short.sequence, equals: record.sequence)
            if short.trail != record.trail { #expect(short.shortened?.contains("trail") == true) }
            if short.metadata != record.metadata { #expect(short.shortened?.contains("metadata") == true) }
            #expect(short.message == record.message || short.message.hasSuffix("…"))
        }
        // An impossible size counts as the smallest or the largest possible one.
        #expect(RecordLine(record, limit: 0).bytes.count <= 1_024)
        #expect(RecordLine(record, limit: .max).bytes.count <= RecordLine.limit)
    }

    @Test func `a recorder's lines don't exceed its size, whatever the error and the redaction return`() async throws {
        let folder = try TemporaryFolder()
        for (size, line) in [(nil, 65_536), (16 << 10, 16 << 10)] {
            let configuration =
                size.map {
                    ErrorRecorder.Configuration(lineSize: $0) { record in
                        var record = record
                        record.metadata["note"] = Self.text + Self.text + Self.text + Self.text
                        return record
                    }
                }
                ?? ErrorRecorder.Configuration { record in
                    var record = record
                    record.metadata["note"] = Self.text + Self.text + Self.text + Self.text
                    return record
                }
            let recorder = try ErrorRecorder(path: folder.file, configuration: configuration)
            await recorder.recordAll([Sized(length: 20_000)])
            let last = try #require(try RecordedFile(folder).lines.last)
            #expect(last.utf8.count < line && last.utf8.count > line - 200)
            expect(try RecordedFile(folder).isWhole, equals: true)
        }
    }
}
