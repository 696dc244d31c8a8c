import Foundation
import Testing

@testable import ErrorAudit

@Suite("Output")
struct OutputTests {
    static let text = """
        func f() async {
            Task { try await save() }
            try? await Task.sleep(for: .seconds(1))
            do { try load() } catch {}
        }
        """

    private static func result(_ configuration: Configuration = Configuration()) -> Audit.Result {
        let findings = Audit(configuration).findings(in: text, path: "Sources/F, G.swift").ranked()
        return Audit.Result(files: 1, lines: 5, findings: findings)
    }

    private static func object(_ output: Output) throws -> [String: Any] {
        let data = Data(try output.render(result()).utf8)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}

extension OutputTests {
    @Test func `for readers is the likelier half, grouped by file`() throws {
        let lines = try Output.text.render(Self.result()).components(separatedBy: "\n")
        #expect(lines.first == "Sources/F, G.swift")
        #expect(lines.contains("       Task { try await save() }"))
        #expect(lines.contains("     → errors.task { try await save() }"))
        #expect(!lines.contains { $0.contains("sleep") })
        #expect(lines.last == "2 probable losses and 1 harmless in 1 file, 5 lines; --all shows the other half")
    }

    @Test func `for readers is everything with the option all`() throws {
        let text = try Output.text.render(Self.result(), all: true)
        #expect(text.contains("harmless: only the end of the task ends a sleep"))
        #expect(text.hasSuffix("2 probable losses and 1 harmless in 1 file, 5 lines"))
    }

    @Test func `can contain lines without the bus`() throws {
        var plain = Configuration()
        plain.plain = true
        let text = try Output.text.render(Self.result(plain), all: true)
        #expect(text.contains(#"→ Task { do { try await save() } catch { logger.error("\(error)") } }"#))
        #expect(!text.contains("postError") && !text.contains("errors."))
    }

    @Test func `in JSON contains every finding`() throws {
        let findings = try #require(try Self.object(.json)["findings"] as? [[String: Any]])
        #expect(findings.map { $0["kind"] as? String } == ["task", "empty-catch", "optional-try"])
        #expect(findings.map { $0["line"] as? Int } == [2, 4, 3])
        #expect(findings.map { $0["harmless"] is String } == [false, false, true])
    }

    @Test func `for GitHub is an annotation for each loss, escaped`() throws {
        let lines = try Output.github.render(Self.result()).components(separatedBy: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("::warning file=Sources/F%2C G.swift,line=2,col=5,title=error-audit %28task%29::"))
    }

    @Test func `in SARIF has a rule for each kind, and a result for each finding`() throws {
        let log = try Self.object(.sarif)
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect((driver["rules"] as? [[String: Any]])?.count == Kind.allCases.count)
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.map { $0["level"] as? String } == ["warning", "warning", "note"])
    }

    @Test func `ranks tasks and changes above printed errors, and harmless findings last`() {
        let scores = Self.result().findings.map(\.score)
        #expect(scores == scores.sorted(by: >))
        #expect(scores.last ?? 100 <= 30)
    }
}

@Suite("A baseline")
struct BaselineTests {
    private static func findings(_ text: String) -> [Finding] { Audit().findings(in: text, path: "F.swift") }
}

extension BaselineTests {
    @Test func `leaves only new findings, wherever the old ones moved`() throws {
        let scratch = try Scratch()
        let file = scratch.path + "/baseline.json"
        let old = "func f() {\n    try? save()\n    go()\n}\n"
        try Baseline(Self.findings(old)).write(to: file)
        let baseline = try Baseline(path: file)
        #expect(baseline.filter(Self.findings(old)).isEmpty)
        #expect(baseline.filter(Self.findings("import A\n\n" + old)).isEmpty)
        let new = "func g() {\n    try? save()\n    go()\n}\n"
        #expect(baseline.filter(Self.findings(old + new)).map(\.line) == [6])
        #expect(baseline.filter(Self.findings("func f() { Task { try await save() }; go() }")).count == 1)
    }

    @Test func `is the same text for the same findings`() throws {
        let scratch = try Scratch()
        let findings = Self.findings(OutputTests.text)
        try Baseline(findings).write(to: scratch.path + "/a")
        try Baseline(findings.reversed()).write(to: scratch.path + "/b")
        #expect(try scratch.read("a") == scratch.read("b"))
    }
}
