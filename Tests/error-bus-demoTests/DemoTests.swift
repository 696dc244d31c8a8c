import Foundation
import TestSupport
import Testing

/// Tests the demo's output as a user would read it.
@Suite("The demo prints what happened to each error", .alone)
struct DemoTests {
    /// Runs the demo with its own temporary folder and returns the lines that it prints.
    private func lines(_ arguments: String..., status: Int32 = 0) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "demo-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try BuildFolder.url(of: "error-bus-demo").path
        let demo = try await ChildProcess([program] + arguments, environment: ["TMPDIR": folder.path])
        expect(demo.status, equals: status, "\(demo.output)")
        #expect(!demo.output.contains("\u{1B}"), "a pipe has no colors")
        let lines = demo.output.nonemptyLines
        guard status == 0, let last = lines.last, !arguments.contains("--help") else { return lines }
        // The last line has the number of reports, the file, and the command to read it.
        let end = try #require(
            last.wholeMatch(of: /(\d+) reports are in (\S+): swift run error-report (\S+) > page.html/))
        expect(end.2, equals: end.3)
        #expect(end.2.hasPrefix(folder.path))
        let recorded = try String(contentsOfFile: String(end.2), encoding: .utf8).nonemptyLines.count
        expect(recorded, equals: Int(end.1))
        return lines
    }

    /// Returns the cells of a table's rows, which begin after the row of the columns' names.
    private func rows(_ lines: [String], after name: String) -> [[String]] {
        lines.drop { !$0.hasPrefix("  \(name) ") }.dropFirst().map { $0.cells }
    }
}

extension DemoTests {
    @Test("four of the five places lose their errors and one prints it; the bus delivers all five, each to its rule")
    func places() async throws {
        let rows = rows(try await lines("--only", "places"), after: "place").filter { $0.count == 5 }
        expect(rows.map { $0[1] }, equals: ["lost", "lost", "lost", "lost", "printed"])
        expect(rows.map { $0[4] }, equals: Array(repeating: "handled", count: 5))
        for (row, (post, rule)) in zip(
            rows,
            [
                ("bus.task", ".on(SyncFailed.self)"), ("postError(", ".on(URLError.self)"),
                ("bus.catching", ".on(CocoaError.self)"), ("bus.rethrowing", ".expecting(StockError.self)"),
                ("bus.post(", ".on(matching: .declined)"),
            ])
        {
            // The lines in the table are those of the code.
            #expect(try line(row[2]).contains(post), "\(row)")
            let source = try #require(row[3].split(separator: " ").last)
            #expect(try line(String(source)).contains(rule), "\(row)")
        }
    }

    @Test("the README shows the table of the five places as the demo prints it")
    func readme() async throws {
        let table = try await lines("--only", "places").drop { !$0.hasPrefix("  place ") }.prefix(6)
        expect(table.count, equals: 6)
        let text = table.map { $0.dropFirst(2) }.joined(separator: "\n")
        #expect(
            try Markdown.text(of: "README.md").contains("```text\n\(text)\n```"), "README needs this table:\n\(text)")
    }

    @Test("the shadowed rule is tried second, and first once it is registered last")
    func why() async throws {
        let lines = try await lines("--only", "why")
        let rules = lines.filter { $0.contains("(PaymentError") }
        let (value, type) = ("value(PaymentError.providerDown)", "type(PaymentError)")
        expect(rules.count, equals: 4)
        for (rule, (matcher, verdict)) in zip(
            rules, [(type, "  matched"), (value, "runs if reached"), (value, "  matched"), (type, "runs if reached")])
        { #expect(rule.contains(matcher) && rule.hasSuffix(verdict), "\(rule)") }
    }

    @Test("the flood's counts add up to the posts, and the delivered reports represent the suppressed errors")
    func flood() async throws {
        let lines = try await lines("--only", "flood")
        let rows = rows(lines, after: "count").prefix { $0.count == 2 && Int($0[0]) != nil }
        let counts = Dictionary(uniqueKeysWithValues: rows.dropLast().map { ($0[1], Int($0[0]) ?? 0) })
        let posted = try #require(
            rows.last?.joined(separator: " ").wholeMatch(
                of: /(\d+) in all: (\d+) errors, (\d+) reports of drops by the bus/))
        let (sum, errors, dropReports) = (Int(posted.1), Int(posted.2), Int(posted.3) ?? 0)
        expect(errors, equals: 100_000)
        expect(sum, equals: 100_000 + dropReports)
        expect(counts.values.reduce(0, +), equals: sum ?? 0)
        let delivered = lines.compactMap { $0.firstMatch(of: /reports stand for (\d+) errors/)?.1 }
        let ends = ["handled", "ignored", "unmatched", "suppressed"].reduce(0) { $0 + counts[$1, default: 0] }
        expect(delivered.first.flatMap { Int($0) }, equals: ends - dropReports)
    }

    @Test("no attempt triggers a rule; each order is paid, or its failure triggers a rule and explains the decision")
    func payments() async throws {
        let rows = rows(try await lines("--only", "payments"), after: "order").filter { $0.count > 1 }
        let reports = rows.filter { $0.count == 4 }
        for row in reports { expect(row[3] == "none", equals: row[2] == "attempt", "\(row)") }
        expect(
            reports.map { $0[2] }.sorted(),
            equals: ["attempt", "attempt", "failure", "failure"] + .init(repeating: "notice", count: 3))
        let ends = rows.filter { $0.last == "paid" || $0.contains("failure") }
        expect(ends.map { $0[0] }, equals: ["17", "18", "19", "20"])
        expect(ends.map { $0.last == "paid" }, equals: [true, false, false, true])
        #expect(ends[1][1].hasSuffix("(not retried: the budget is spent)"), "\(ends[1])")
        #expect(ends[2][1].hasSuffix("(not retried: the error is final)"), "\(ends[2])")
    }

    @Test("shutdown returns two reports in time, and counts both as dropped")
    func end() async throws {
        let lines = try await lines("--only", "end")
        let left = lines.filter { $0.hasPrefix("  not delivered: ") }
        expect(left.count, equals: 2)
        #expect(lines.contains { $0.hasPrefix("  posted 3 = handled 1 ") && $0.contains(" dropped 2 ") })
    }

    @Test("the output has about forty lines, and names the file of each section, which exists")
    func whole() async throws {
        let lines = try await lines()
        #expect((35...55).contains(lines.count), "\(lines.count)")
        let files = lines.compactMap { $0.firstMatch(of: /see (Sources\/error-bus-demo\/\w+\.swift)$/)?.1 }
        expect(files.count, equals: 5)
        for file in files { #expect(try !Markdown.text(of: String(file)).isEmpty) }
    }

    @Test("help isn't an error, and an invalid argument is a usage error")
    func options() async throws {
        #expect(try await lines("--help").first?.hasPrefix("usage: error-bus-demo ") == true)
        for arguments in [
            ["--only"], ["--only", "nothing"], ["flood"], ["--help", "--help"], ["--only", "end", "why"],
        ] {
            let program = try BuildFolder.url(of: "error-bus-demo").path
            let demo = try await ChildProcess([program] + arguments)
            #expect(demo.status == 64 && demo.output.contains("usage: error-bus-demo "), "\(demo.output)")
        }
    }

    /// Returns the line of the demo's file that a location such as `Name.swift:17` names.
    private func line(_ location: String) throws -> String {
        let parts = location.split(separator: ":")
        let text = try Markdown.text(of: "Sources/error-bus-demo/\(parts[0])")
        return text.components(separatedBy: "\n")[(Int(parts[1]) ?? 1) - 1]
    }
}

extension String {
    /// The cells of a table row, which two or more spaces separate.
    fileprivate var cells: [String] {
        replacing(/\ {2,}/, with: "\t").split(separator: "\t").map(String.init)
    }
}
