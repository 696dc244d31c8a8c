import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Promise 24: each string of an error is truncated at 16 KiB, and read once", .tags(.promise24), .hangLimit)
struct ErrorTextLengthTests {}

extension ErrorTextLengthTests {
    private static let limit = 16 * 1_024
    private static let long = String(repeating: "ten bytes ", count: 100_000)

    struct Spoken: Error, CustomStringConvertible, CustomReflectable {
        let trace: ActionTrace
        let text: String

        var description: String {
            _ = trace("description")
            return text
        }

        var customMirror: Mirror {
            _ = trace("mirror")
            return Mirror(self, children: [])
        }
    }

    struct Localized: LocalizedError, CustomReflectable {
        let trace: ActionTrace

        var errorDescription: String? {
            _ = trace("description")
            return "no paper"
        }

        var customMirror: Mirror {
            _ = trace("mirror")
            return Mirror(self, children: [])
        }
    }

    struct Item: Sendable {}

    struct Debugged: Error, CustomDebugStringConvertible { var debugDescription: String { "it is debugged" } }

    /// An error that returns false information about itself.
    struct Lying: CustomNSError {
        static let errorDomain = String(repeating: "domain\n", count: 10_000)
        var errorCode: Int { .min }
        var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: 7, NSUnderlyingErrorKey: "none"] }
    }

    private func report(_ error: any Error, metadata: [String: String] = [:]) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Intake/Main.swift", line: 12), metadata: metadata)
    }

    private func field(_ key: String, of report: ErrorReport) -> String? {
        ErrorLineFields(report.description)?[key]
    }

    private func expectBytes(of text: String, below bytes: Int, line: Int = #line) {
        #expect(text.utf8.count < bytes, "at line \(line)")
    }

    @Test("a message is truncated at 16 KiB while it is written, with a mark; so are metadata, keys, and a source")
    func cut() {
        let error = Zoo.Localized(errorDescription: Self.long)
        let expected = Self.long.prefix(Self.limit - 3) + "…"
        let line = report(error, metadata: ["key": Self.long, Self.long: "value"])
        expect(field("message", of: line).map { $0 == expected }, equals: true)
        expect(field("metadata.key", of: line).map { $0 == expected }, equals: true)
        expect(field("metadata.\(expected)", of: line), equals: "value")
        expectBytes(of: line.description, below: 3 * Self.limit + 200)
        let far = ErrorReport(error: error, source: .init(fileID: Self.long, line: 1), scope: [Self.long, Self.long])
        expect(field("scope", of: far).map { $0 == expected }, equals: true)
        expectBytes(of: far.description, below: 3 * Self.limit + 200)
        let text = field("message", of: report(Zoo.Localized(errorDescription: String(repeating: "\n", count: 10_000))))
        expect(text.map { $0 == String(repeating: "\n", count: (Self.limit - 3) / 2) + "…" }, equals: true)
    }

    @Test("each underlying error is truncated separately, in the line and in the report's trail")
    func trail() throws {
        let inner = (0..<5).map { _ in Zoo.Localized(errorDescription: Self.long) }
        let report = report(Zoo.Group(underlyingErrors: inner))
        expect(report.trail.map(\.message.utf8.count), equals: Array(repeating: Self.limit, count: 5))
        let trail = try #require(field("trail", of: report))
        let lengths = 5 * Self.limit + 1..<5 * Self.limit + 500
        #expect(lengths.contains(trail.utf8.count))
        expect(trail.components(separatedBy: "…").count, equals: 6)
    }

    @Test("a redaction's result is truncated")
    func redaction() {
        let line = report(Zoo.Localized(errorDescription: Self.long)).structuredLine { $0.message + Self.long }
        expectBytes(of: line, below: Self.limit + 200)
    }

    @Test(
        "an error of ten million numbers has a bounded line; a set that can't be printed whole is omitted"
    )
    func numbers() {
        let error = Zoo.Box(content: Array(repeating: 7, count: 10_000_000))
        expectBytes(of: report(error).description, below: Self.limit)
        expect(field("message", of: report(error))?.hasSuffix("7, 7, …])"), equals: true)
        expectBytes(of: "\(ErrorHandler().explain(error))", below: Self.limit)
        expectBytes(of: "\(ErrorMatcher<Zoo.Box<[Int]>>(.value(error)) { _ in nil })", below: Self.limit)
        // Which elements of a set come first varies from run to run.
        let sets = [3, 5_000].map { report(Zoo.Box(content: Set(0..<$0))).message }
        expect(sets, equals: ["Box<Set<Int>>(content: [0, 1, 2])", "Box<Set<Int>>(content: […"])
    }

    @Test("an error with its own description is read once per line, and never reflected or traversed; an array is")
    func readOnce() {
        struct Several: Error, Collection, CustomStringConvertible {
            let startIndex = 0
            let endIndex = 10_000_000
            subscript(position: Int) -> Int { position }
            func index(after index: Int) -> Int { index + 1 }
            var description: String { "several" }
        }
        final class Many: Error, Sequence, CustomStringConvertible {
            func makeIterator() -> AnyIterator<Int> { fatalError("an object was gone through") }
            var description: String { "many" }
        }
        let trace = ActionTrace()
        for error in [Spoken(trace: trace, text: "it"), Localized(trace: trace)] as [any Error] {
            _ = ErrorText.message(of: error)
        }
        expect(trace.entries, equals: ["description", "description"])
        expect(ErrorText.literal(Spoken(trace: trace, text: "it")), equals: "it")
        expect(trace.entries, equals: Array(repeating: "description", count: 3))
        expect(ErrorText.message(of: Debugged()), equals: "it is debugged")
        expect(ErrorText.message(of: Several()), equals: "several")
        expect(ErrorText.message(of: Many()), equals: "many")
        #expect(ErrorText.message(of: Array(repeating: Item(), count: 100_000)).utf8.count <= Self.limit)
    }

    @Test("an NSError's strings are truncated too, whatever its user info, and so are a CustomNSError's false strings")
    func nsErrors() {
        let info: [String: Any] = [
            NSLocalizedDescriptionKey: Self.long, NSUnderlyingErrorKey: NSError(domain: Self.long, code: 1),
            "numbers": NSArray(array: Array(0..<100_000)),
        ]
        let line = report(NSError(domain: Self.long, code: 1, userInfo: info)).description
        expectBytes(of: line, below: 4 * Self.limit)
        let wrapped = report(Zoo.Wrapped(content: NSError(domain: "d", code: 1, userInfo: info))).description
        expectBytes(of: wrapped, below: 4 * Self.limit)

        let fields = ErrorLineFields(report(Lying()).description)
        expect(fields?.keys, equals: ["type", "message", "domain", "code", "source"])
        expect(fields?["code"], equals: "\(Int.min)")
        expectBytes(of: report(Lying()).description, below: 2 * Self.limit + 200)
    }
}

extension Array: @retroactive Error where Element == ErrorTextLengthTests.Item {}
