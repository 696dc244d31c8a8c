import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import ErrorRecording

@Suite("Each field of a report is in its line, its fields, and its record", .hangLimit)
struct ReportFieldsTests {
    private struct Torn: Error, CustomStringConvertible { var description: String { "a torn page" } }

    /// The strings for a part of a report in each of the three forms; nil if a form omits the part on purpose.
    private struct Texts {
        var line: String?
        var fields: String?
        var record: String?

        init(line: String?, fields: String?, record: String?) {
            (self.line, self.fields, self.record) = (line, fields, record)
        }

        init(_ text: String) { self.init(line: text, fields: text, record: text) }
    }

    /// The parts of a report, by the name of the stored property.
    private static let parts: [String: Texts] = [
        "unboxed": Texts("a torn page"), "source": Texts("Shop/Print.swift:12"), "givenMetadata": Texts("card-4711"),
        "scope": Texts("checkout"), "rareParts.role": Texts("audit"), "rareParts.occurrences": Texts("55555"),
        "rareParts.firstMoment": Texts(line: nil, fields: nil, record: "-05-06T07:08:02"),
        // Whatever writes the line adds its own time, and lines are in order.
        "moment": Texts(line: nil, fields: "-05-06T07:08:09", record: "-05-06T07:08:09"),
        "outcome.disposition": Texts(line: nil, fields: "handled", record: "handled"),
        "outcome.rule": Texts(line: nil, fields: "Shop/Rules.swift:34", record: "Shop/Rules.swift:34"),
        "outcome.matchedRuleCount": Texts(line: nil, fields: nil, record: "77777"),
        // Each failure is reported separately, as an `ActionFailure`.
        "outcome.failed": Texts(line: nil, fields: nil, record: nil),
        // The recorder has its own count, so that a missing number means a lost report.
        "sequence": Texts(line: nil, fields: nil, record: nil),
        // These parts are for an observer, for the `logging` preset, and for a test's bus.
        "missed": Texts(line: nil, fields: nil, record: nil),
        "rareParts.log": Texts(line: nil, fields: nil, record: nil),
        "rareParts.mark": Texts(line: nil, fields: nil, record: nil),
        // This is the bus's table of details. The kind and message from it are in all three forms.
        "rareParts.table": Texts(line: nil, fields: nil, record: nil),
    ]

    private static func names(of value: Any, in parents: [String] = []) -> [String] {
        Mirror(reflecting: value).children.flatMap { child -> [String] in
            let path = parents + [child.label ?? ""]
            switch child.label {
            case "rareParts": return Mirror(reflecting: child.value).children.flatMap { names(of: $0.value, in: path) }
            case "outcome": return names(of: child.value, in: path)
            // The value in a box.
            case "value": return names(of: child.value, in: parents)
            default: return [path.joined(separator: ".")]
            }
        }
    }

    @Test("a field that one of the three forms omits is noticed")
    func walk() throws {
        let date = try Date("2024-05-06T07:08:09Z", strategy: .iso8601)
        let age = Duration.seconds(-date.timeIntervalSinceNow) - .milliseconds(500)
        let rule = RuleDescription(matcher: "the rule", source: .init(fileID: "Shop/Rules.swift", line: 34))
        let outcome = HandleOutcome(disposition: .handled, matchedRuleCount: 77_777, rule: rule)
        let report = ErrorReport(
            error: Torn(), role: .init("audit"), source: .init(fileID: "Shop/Print.swift", line: 12),
            instant: .now - age, firstInstant: .now - age - .seconds(7), metadata: ["card": "card-4711"],
            scope: ["checkout"], occurrences: 55_555, outcome: outcome)
        expect(Self.names(of: report).sorted(), equals: Self.parts.keys.sorted())

        let microseconds = { (instant: ContinuousClock.Instant) in
            let age = report.instant.duration(to: instant) / .microseconds(1)
            return Int64(report.date.timeIntervalSince1970 * 1_000_000) + Int64(age)
        }
        let origin = RecordOrigin(host: "h", service: "s", process: 1, start: "t")
        let record = ErrorRecord(report, from: origin, time: microseconds, sequence: 1, rebuilding: .init())
        let texts = [
            (name: "line", text: report.description, part: \Texts.line),
            ("fields", report.fields.values.joined(separator: "\n"), \Texts.fields),
            ("record", String(decoding: RecordLine(record).bytes, as: UTF8.self), \Texts.record),
        ]
        for (name, text, part) in texts {
            for (path, expected) in Self.parts {
                if let expected = expected[keyPath: part] { #expect(text.contains(expected), "\(path) in the \(name)") }
            }
        }
    }
}
