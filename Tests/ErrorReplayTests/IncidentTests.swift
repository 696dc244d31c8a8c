import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording
@testable import ErrorReplay

@Suite("E7: a page's data is counted by kind and time, in constant memory", .tags(.recording7), .hangLimit)
struct IncidentTests {
    /// The data that the page reads.
    struct Shown: Decodable {
        /// A kind.
        ///
        /// Its numbers are the sums over all its parts, and its names are those of its first part.
        struct Row: Decodable {
            let name: String
            let short: String?
            let role: Int
            let new: Int?
            let inNewest: Int?
            let width: Int
            let example: Example?
            let parts: [Part]

            var count: Int { parts.reduce(0) { $0 + $1.count } }
            var reports: Int { parts.reduce(0) { $0 + $1.reports } }
            var first: Int? { parts[0].first }
            var last: Int? { parts[0].last }
            var outcomes: [[Cell]] { parts[0].outcomes }
            var hosts: [[Cell]] { parts[0].hosts }
            var hostsOthers: Int? { parts[0].hostsOthers }
            var origins: [[Cell]] { parts[0].origins }
            var times: [Int] { parts[0].times }
        }

        struct Part: Decodable {
            let of: Int
            let count: Int
            let reports: Int
            let first: Int?
            let last: Int?
            let outcomes: [[Cell]]
            let hosts: [[Cell]]
            let hostsOthers: Int?
            let times: [Int]
            let origins: [[Cell]]
        }

        struct Example: Decodable {
            let message: String
            let metadata: [[String]]?
            let trail: [[String]]?
        }

        enum Cell: Decodable, Equatable {
            case text(String), number(Int)

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                self =
                    if let number = try? value.decode(Int.self) { .number(number) } else {
                        .text(try value.decode(String.self))
                    }
            }
        }

        let width: Int
        let buckets: Int
        let lines, reports, unreadable, later, untimed, leftOut, merged, dropped, undelivered, beyond, kinds: Int
        let left, leftErrors, unended: Int
        let timelines: [[Int]]
        let deployments: [[String]]
        let newest: [[Int]]
        let deploymentWidth: Int?
        let deploymentTimelines: [[[Int]]]?
        let rows: [Row]
    }

    static func record(
        _ name: String = "A", at seconds: Int = 0, host: String = "web-1", role: String = "failure",
        disposition: String = "handled", occurrences: Int = 1,
        message: String = "m", origin: String? = nil
    ) -> ErrorRecord {
        let time = Timestamp.text(ofMicroseconds: 1_780_000_000_000_000 + Int64(seconds) * 1_000_000)
        return ErrorRecord(
            time: time, host: host, role: role, type: name, message: message, source: "F.swift:1",
            origin: origin, occurrences: occurrences, disposition: disposition,
            rule: disposition == "handled" ? "type(\(name))" : nil,
            ruleSource: disposition == "handled" ? "R.swift:1" : nil, fingerprint: "\(name) F.swift")
    }

    static func incident(_ records: [ErrorRecord], _ limits: Incident.Limits = .init()) -> Incident {
        var incident = Incident(limits: limits)
        for record in records { incident.add(line: RecordLine(record).bytes.span.extracting(droppingLast: 1)) }
        return incident
    }

    static func shown(_ incident: Incident, limit: Int = 2_000_000) throws -> Shown {
        let json = incident.json(limit: limit)
        #expect(json.count <= limit)
        return try JSONDecoder().decode(Shown.self, from: Data(json))
    }

    @Test func `a kind lists the locations where its errors were thrown, the most frequent first`() throws {
        let places = ["M/A.swift:1", "M/B.swift:2", "M/B.swift:2", nil]
        let shown = try Self.shown(Self.incident(places.map { Self.record(origin: $0) }))
        let origins: [[Shown.Cell]] = [[.text("M/B.swift:2"), .number(2)], [.text("M/A.swift:1"), .number(1)]]
        expect(shown.rows.map(\.origins), equals: [origins])
        #expect(try Self.shown(Self.incident([Self.record()])).rows[0].origins.isEmpty)
    }

    /// The counts by time, without the zeros between them.
    static func counts(_ times: [Int]) -> [Int] { stride(from: 1, to: times.count, by: 2).map { times[$0] } }
}

extension IncidentTests {
    @Test func `kinds are distinguished by fingerprint and role, with outcomes, hosts, times, and lost errors`() throws
    {
        var drops = Self.record("ErrorRouting.ErrorsDropped", at: 9, disposition: "unmatched")
        drops.value = #"{"byType":{},"count":70}"#
        var untimed = Self.record("B")
        untimed.time = "yesterday"
        var incident = Self.incident([
            Self.record(at: 0), Self.record(at: 5, host: "web-2", occurrences: 3), Self.record(role: "attempt"),
            Self.record(at: 5, disposition: "unmatched"), Self.record("B", disposition: "dropped"), drops, untimed,
        ])
        incident.add(line: Array("{}".utf8).span)
        incident.add(line: Array(" \r".utf8).span)
        // A decoder accepts unknown fields, another order of fields, and blanks.
        let later = String(decoding: RecordLine(Self.record(at: 1)).bytes.dropLast(), as: UTF8.self)
            .replacing(#"{"version":1,"#, with: #"{"more": [1], "version":2,"#)
        incident.add(line: Array(later.utf8).span)
        let shown = try Self.shown(incident)
        expect([shown.lines, shown.reports, shown.unreadable, shown.later, shown.untimed], equals: [9, 8, 1, 1, 1])
        expect([shown.merged, shown.dropped, shown.undelivered, shown.beyond], equals: [2, 70, 1, 0])
        expect(
            shown.rows.map(\.name),
            equals: ["A F.swift", "B F.swift", "A F.swift", "ErrorRouting.ErrorsDropped F.swift"])
        expect(shown.rows.map(\.role), equals: [0, 0, 1, 0])
        expect(shown.rows.map(\.count), equals: [6, 2, 1, 1])
        let row = try #require(shown.rows.first)
        expect(
            row.outcomes,
            equals: [
                [.text("handled by type(A) at R.swift:1"), .number(5)], [.text("unmatched"), .number(1)],
            ])
        expect(row.hosts, equals: [[.text("web-1"), .number(3)], [.text("web-2"), .number(3)]])
        expect([row.reports, row.first, row.last], equals: [4, 1_780_000_000_000, 1_780_000_005_000])
        expect(row.times, equals: [0, 1, 100, 1, 400, 4], "at 0 s, 1 s, and 5 s, in buckets of 10 ms")
        expect(Self.counts(shown.timelines[0]), equals: [2, 1, 4, 1])
        expect(Self.counts(shown.timelines[4]), equals: [1, 1], "unmatched")
        expect(Self.counts(shown.timelines[5]), equals: [1, 1], "dropped")
    }

    @Test func `lines in any order have the same result, in buckets that become wider as the time span grows`() throws {
        var generator = SplitMix64(seed: 7)
        let records = (0..<3_000).map { number in
            Self.record(["A", "B", "C"][number % 3], at: number * number / 40, host: "web-\(number % 20)")
        }
        let sorted = Self.incident(records)
        let shuffled = Self.incident(records.shuffled(using: &generator))
        let (one, other) = (try Self.shown(sorted), try Self.shown(shuffled))
        expect(one.timelines, equals: other.timelines)
        expect(one.rows.map(\.times), equals: other.rows.map(\.times))
        expect(one.width, equals: 300_000, "225,000 s in at most 1,440 buckets")
        expect(one.buckets, equals: 750)
        expect(Self.counts(one.timelines[0]).reduce(0, +), equals: 3_000)
        let row = try #require(one.rows.first)
        expect(row.hosts.count, equals: 12)
        expect(row.hostsOthers, equals: 400, "no more than a dozen hosts by name")
        // Use times years apart, and before 1970.
        var far = Self.record()
        for year in ["0001", "1969", "9999"] {
            far.time = "\(year)-12-31T23:59:59.000000Z"
            var incident = sorted
            incident.add(line: RecordLine(far).bytes.span.extracting(droppingLast: 1))
            let shown = try Self.shown(incident)
            #expect(shown.buckets <= 1_440 && Self.counts(shown.timelines[0]).reduce(0, +) == 3_001, "\(year)")
        }
    }

    @Test func `times are read in the form that the recorder writes`() throws {
        var generator = SplitMix64(seed: 8)
        for _ in 0..<1_000 {
            let second = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
            var record = Self.record()
            record.time = Timestamp.text(ofMicroseconds: second * 1_000_000)
            expect(Self.incident([record]).first, equals: Int(second) * 1_000)
        }
        for time in ["", "2026-13-01T00:00:00.000000Z", "2026-05-31 16:05:09Z", "2026-05-31T16:05:09+02:00", "é"] {
            var record = Self.record()
            record.time = time
            expect(Self.incident([record]).untimed, equals: 1, "\(time)")
        }
    }

    @Test func `kinds, counts, and names are bounded, and the rest is counted together`() throws {
        let records = (0..<500).flatMap { number in
            [Self.record("K\(number)", at: number, host: "h\(number)"), Self.record("K0", at: 2 * number)]
        }
        let incident = Self.incident(records, .init(kinds: 100, buckets: 1_440, counts: 200))
        let shown = try Self.shown(incident)
        expect([shown.kinds, shown.rows.count, shown.beyond], equals: [100, 100, 400])
        expect(shown.rows.reduce(0) { $0 + $1.count }, equals: 600)
        let sizes = incident.kinds.flatMap(\.parts).map(\.buckets.entries.count)
        #expect(shown.width > 1 && sizes.reduce(0, +) <= 201)
        expect(Self.counts(shown.timelines[0]).reduce(0, +), equals: 1_000)
    }

    @Test func `a page that is too small first loses the examples of small kinds, then their rows; new kinds stay`()
        throws
    {
        var records = (0..<3_000).flatMap { number in
            (0..<(number < 1_000 ? 2 : 1)).map {
                Self.record("K\(number)", at: $0, message: String(repeating: "x", count: 700))
            }
        }
        records += [Self.record("New", at: 100)]
        let incident = Self.incident(records)
        let whole = try Self.shown(incident, limit: 5_000_000)
        expect([whole.rows.count, whole.rows.count { $0.example != nil }, whole.left], equals: [3_001, 3_001, 0])
        expect(whole.rows.filter { $0.new == 1 }.map(\.name), equals: ["New F.swift"])
        let fewer = try Self.shown(incident, limit: 2_000_000)
        expect(fewer.rows.count, equals: 3_001)
        let examples = fewer.rows.prefix { $0.example != nil }.count
        #expect(examples > 1_001 && examples < 3_000)
        let small = try Self.shown(incident, limit: 500_000)
        #expect(small.rows.allSatisfy { $0.example == nil })
        expect(small.rows.count + small.left, equals: 3_001)
        expect(small.rows.reduce(0) { $0 + $1.count } + small.leftErrors, equals: 4_001)
        #expect(small.rows.contains { $0.new == 1 })
    }

    @Test func `any string stays a string: nothing in it can end a script, a line, or a quotation`() throws {
        let hostile = [
            "</script><script>", "<!--", "a\u{2028}b\u{2029}c", "\u{202E}gnp.exe", "\u{200F}\u{2066}",
            "javascript:alert(1)",
            "\"'`&<>\\", "\u{0}\u{1B}\u{7F}\u{85}", String(repeating: "é🙂", count: 8_000), "\\u003c/script>",
        ]
        var incident = Incident()
        for text in hostile {
            var record = Self.record(text, host: text, disposition: text, message: text)
            record.metadata = [text: text]
            record.trail = [.init(type: text, message: text, fingerprint: text)]
            record.scope = [text]
            (record.source, record.service, record.rule, record.ruleSource) = (text, text, text, text)
            incident.add(line: RecordLine(record).bytes.span.extracting(droppingLast: 1))
        }
        incident.failures = hostile
        let json = String(decoding: incident.json(limit: 2_000_000), as: UTF8.self)
        let forbidden: [Unicode.Scalar] = ["<", ">", "&", "\u{2028}", "\u{2029}", "\u{202E}", "\u{200F}", "\u{2066}"]
        #expect(
            !json.unicodeScalars.contains {
                $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || forbidden.contains($0)
            })
        let shown = try Self.shown(incident)
        expect(shown.rows.count, equals: hostile.count)
        let messages = shown.rows.compactMap(\.example?.message)
        for text in ["</script><script>", "javascript:alert(1)", #"a\u{2028}b\u{2029}c"#, #"\u{202e}gnp.exe"#] {
            #expect(messages.contains(text), "\(text)")
        }
        #expect(messages.contains { $0.hasSuffix("…") && $0.utf8.count <= 800 })
        expect(shown.rows.first?.example?.metadata?.first?.count, equals: 2)
    }

    @Test func `a command reads its files, names unreadable files, and finishes with the page of the records`() throws {
        let folder = try TemporaryFolder()
        let lines = [Self.record(), Self.record("B", host: "web-2")].flatMap { RecordLine($0).bytes }
        try Data(lines).write(to: URL(filePath: folder.file))
        func run(_ arguments: [String], isInterrupted: Bool = false) -> (status: Int32, page: String, errors: String) {
            let errors = Locked("")
            var (page, command) = ("", IncidentCommand { $0.json(limit: 100_000) })
            command.isInterrupted = { isInterrupted }
            command.write = { bytes in
                page += String(decoding: bytes, as: UTF8.self)
                return true
            }
            command.writeError = { text in errors.withLock { $0 += text } }
            command.showProgress = nil
            let status = command.run(arguments)
            return (status, page, errors.withLock { $0 })
        }
        let both = run([folder.file, folder.file])
        expect(both.status, equals: 0)
        #expect(both.page.contains(#""lines":2"#), "a file that is named twice is read once")
        let one = run([folder.file, "/nowhere", "--host", "web-2"])
        expect(one.status, equals: 66)
        #expect(one.page.contains(#""leftOut":1"#) && one.page.contains("/nowhere cannot be read: No such file"))
        expect(one.errors, equals: "error-report: /nowhere cannot be read: No such file or directory\n")
        let interrupted = run([folder.file], isInterrupted: true)
        expect(interrupted.status, equals: 130)
        #expect(interrupted.page.contains(#""interrupted":1"#))
        for arguments in [[], [folder.file, "--json"], ["--nothing"]] {
            let wrong = run(arguments)
            expect(wrong.status, equals: 64)
            #expect(wrong.page.isEmpty && wrong.errors.contains("usage: error-report FILE"))
        }
        #expect(run(["--help"]).page.hasPrefix("usage: error-report FILE"))
    }
}
