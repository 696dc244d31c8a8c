import ErrorRouting
import Foundation
import RecordingSupport
import TestSupport
import Testing

@testable import ErrorRecording
@testable import ErrorReplay

@Suite(
    "E7: a page separates services and releases, and marks new kinds", .tags(.recording7), .hangLimit)
struct IncidentReleaseTests {
    private static func record(
        _ name: String, at seconds: Int = 0, service: String = "shop", release: String?, role: String = "failure",
        disposition: String = "handled", host: String = "web-1"
    ) -> ErrorRecord {
        var record = IncidentTests.record(name, at: seconds, host: host, role: role, disposition: disposition)
        (record.service, record.release) = (service, release)
        return record
    }

    private static func marked(_ records: [ErrorRecord]) throws -> [String] {
        try IncidentTests.shown(IncidentTests.incident(records)).rows.filter { $0.inNewest == 1 }.map(\.name).sorted()
    }
}

extension IncidentReleaseTests {
    @Test func `each kind shows its counts, names, and times for each service and release`() throws {
        let records = [
            Self.record("A", at: 0, release: "1", host: "web-1"), Self.record("A", at: 9, release: "2", host: "web-2"),
            Self.record("A", at: 3, service: "mail", release: nil, disposition: "unmatched"),
            Self.record("A", at: 4, release: "1"), Self.record("B", at: 5, release: "2", role: "attempt"),
        ]
        let shown = try IncidentTests.shown(IncidentTests.incident(records))
        expect(shown.deployments, equals: [["…", "…"], ["shop", "1"], ["shop", "2"], ["mail"]])
        expect(shown.kinds, equals: 2)
        let row = try #require(shown.rows.first)
        expect(row.parts.map(\.of), equals: [1, 2, 3])
        expect(row.parts.map(\.count), equals: [2, 1, 1])
        expect(row.parts[1].hosts, equals: [[.text("web-2"), .number(1)]])
        expect(row.parts[2].outcomes, equals: [[.text("unmatched"), .number(1)]])
        let times = try #require(shown.deploymentTimelines)
        let failures = times.map { $0.isEmpty ? 0 : IncidentTests.counts($0[0]).reduce(0, +) }
        expect(failures, equals: [0, 2, 1, 1])
        expect(IncidentTests.counts(times[2][1]), equals: [1], "an attempt")
        expect(IncidentTests.counts(times[3][4]), equals: [1], "unmatched")
        expect(IncidentTests.counts(shown.timelines[0]).reduce(0, +), equals: 4)
        let alone = try IncidentTests.shown(IncidentTests.incident([Self.record("A", release: "1")]))
        expectNil(alone.deploymentTimelines?.count)
        expect(alone.newest, equals: [])
    }

    @Test func `a kind is new in the newest release if no other release of its service has it`() throws {
        let old = [Self.record("Old", at: 0, release: "2.10"), Self.record("Old", at: 50, release: "2.9")]
        // The newest release is the release that appeared last, regardless of its name.
        expect(try Self.marked(old + [Self.record("New", at: 60, release: "2.9")]), equals: ["New F.swift"])
        // Add an error of the older release after the newest release has begun, and an error without a release.
        let late = [Self.record("New", at: 60, release: "2.9"), Self.record("New", at: 61, release: "2.10")]
        expect(try Self.marked(old + late), equals: [])
        let unnamed = [Self.record("Old", at: 90, release: nil), Self.record("New", at: 60, release: "1")]
        expect(try Self.marked(unnamed), equals: ["New F.swift"])
        expect(try Self.marked([Self.record("A", release: "1"), Self.record("B", release: "1")]), equals: [])
        // Releases belong to services: a service with a single release has no newest release.
        let mail = [Self.record("Mail", at: 99, service: "mail", release: "7")]
        expect(
            try Self.marked(old + mail + [Self.record("New", at: 60, release: "2.9")]), equals: ["New F.swift"])
        let both = [
            Self.record("New", at: 60, release: "2.9"), Self.record("New", at: 61, service: "mail", release: "7"),
        ]
        expect(try Self.marked(old + mail + both), equals: [])
        let shown = try IncidentTests.shown(IncidentTests.incident(old))
        expect(shown.newest, equals: [[2, 1_780_000_050_000]])
    }

    @Test func `services, releases, and the parts of kinds are bounded, and the rest is counted together`() throws {
        let records = (0..<100).flatMap { number in
            [Self.record("A", at: number, release: "r\(number)"), Self.record("B", at: number, release: "r\(number)")]
        }
        let shown = try IncidentTests.shown(IncidentTests.incident(records))
        expect(shown.deployments.count, equals: 33)
        expect(shown.rows.map(\.count), equals: [100, 100])
        expect(shown.rows[0].parts.first { $0.of == 0 }?.count, equals: 68)
        let few = try IncidentTests.shown(IncidentTests.incident(records, .init(parts: 10)))
        expect(few.rows.map(\.count), equals: [100, 100])
        #expect(few.rows.reduce(0) { $0 + $1.parts.count } <= 12)
        expect(IncidentTests.counts(few.timelines[0]).reduce(0, +), equals: 200)
    }

    @Test func `a name in a legend has the type's last part, the case, and the file or the route`() throws {
        let route = "ErrorRoutingHummingbird"
        let cases: [(type: String, rest: String, source: String, short: String?)] = [
            ("Orders.Checkout.Refusal", ".late", "Orders/Checkout/Intake.swift:42", "Refusal.late Intake.swift"),
            ("Foundation.URLError", "(NSURL -1001)", "Shop/A.swift:1", "URLError(NSURL -1001) A.swift"),
            ("M.Box<N.Order, M.B>", "", "M/A.swift:1", "Box<N.Order, M.B> A.swift"),
            ("Todos.TodoError", ".missing", "\(route)/POST /todos/{id}:0", "TodoError.missing POST /todos/{id}"),
            ("Todos.TodoError", ".missing", "\(route)/POST /todos/{id}", "TodoError.missing POST /todos/{id}"),
            ("Todos.TodoError", ".missing", "\(route)/todos/{id}:0", "TodoError.missing /todos/{id}"),
            ("Plain", "", "F.swift:1", nil),
        ]
        for (type, rest, source, short) in cases {
            let file = source[..<(source.lastIndex(of: ":") ?? source.endIndex)]
            var record = ErrorRecord(type: type, message: "m", source: source, fingerprint: "\(type)\(rest) \(file)")
            let row = try #require(try IncidentTests.shown(IncidentTests.incident([record])).rows.first)
            expect(row.short, equals: short, "\(record.fingerprint)")
            // A fingerprint that a redaction has changed is shown unchanged.
            record.fingerprint = "another"
            let other = try #require(try IncidentTests.shown(IncidentTests.incident([record])).rows.first)
            expect([other.short, other.name], equals: [nil, "another"])
        }
        // Two kinds never have the same name.
        let alike = ["One", "Two"].map { module in
            ErrorRecord(
                type: "\(module).Late", message: "m", source: "\(module)/A.swift:1",
                fingerprint: "\(module).Late \(module)/A.swift")
        }
        expect(try IncidentTests.shown(IncidentTests.incident(alike)).rows.map(\.short), equals: [nil, nil])
    }

    @Test func `an unterminated last line of a file is counted, even if that line is a record`() throws {
        let whole = RecordLine(Self.record("A", release: nil)).bytes
        for (bytes, unended) in [(whole, 0), (whole + whole.dropLast(), 1), (whole + whole.prefix(50), 1), ([], 0)] {
            let folder = try TemporaryFolder()
            try Data(bytes).write(to: URL(filePath: folder.file))
            var incident = Incident()
            try incident.add(ReplayInput(folder.file), unless: { false }) { _, _ in }
            expect(try IncidentTests.shown(incident).unended, equals: unended)
        }
    }
}
