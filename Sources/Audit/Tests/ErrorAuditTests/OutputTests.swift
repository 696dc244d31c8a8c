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
        return Audit.Result(files: ["F, G.swift"], lines: 5, findings: findings)
    }

    private static func object(_ output: Output) throws -> JSONValue {
        try JSONValue(JSONSerialization.jsonObject(with: Data(try output.render(result()).utf8)))
    }
}

extension OutputTests {
    @Test func `for readers is the half that matters more, in lines that editors understand`() throws {
        #expect(
            try Output.text.render(Self.result()) == """
                Sources/F, G.swift:2:5: warning: f, save: the task throws, and nobody awaits its value; `save` changes \
                something; it awaits work that can fail in many ways [task, 91]
                    → errors.task { try await save() }
                2 probable losses and 1 harmless in 1 file, 5 lines; --all shows the rest
                """)
        let losses = try Output.text.render(Self.result(), showing: .losses)
        #expect(losses.contains(":4:23: warning: f, load: the `catch` is empty") && !losses.contains("sleep"))
        let all = try Output.text.render(Self.result(), showing: .all)
        #expect(all.contains(":3:5: note: f, Task.sleep: harmless: only the end of the task ends a sleep"))
    }

    @Test func `can contain lines without the bus`() throws {
        var plain = Configuration()
        plain.plain = true
        let text = try Output.text.render(Self.result(plain), showing: .all)
        #expect(text.contains(#"→ Task { do { try await save() } catch { logger.error("\(error)") } }"#))
        #expect(!text.contains("postError") && !text.contains("errors."))
    }

    @Test func `in JSON contains every finding`() throws {
        let findings = try Self.object(.json)["findings"].list
        #expect(findings.map { $0["identity"]["kind"].text } == ["task", "empty-catch", "optional-try"])
        #expect(findings.map { $0["line"].number } == [2, 4, 3])
        #expect(findings.map { $0["harmless"].text == nil } == [true, true, false])
    }

    @Test func `for GitHub is an annotation for each loss, escaped`() throws {
        let lines = try Output.github.render(Self.result()).components(separatedBy: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("::warning file=Sources/F%2C G.swift,line=2,col=5,title=error-audit %28task%29::"))
    }

    @Test func `in SARIF has a rule for each kind, and a result with its columns for each finding`() throws {
        let log = try Self.object(.sarif)
        #expect(log["version"].text == "2.1.0")
        let run = try #require(log["runs"].list.first)
        #expect(run["tool"]["driver"]["rules"].list.count == Kind.allCases.count)
        #expect(run["tool"]["driver"]["semanticVersion"].text == Audit.version)
        let results = run["results"].list
        #expect(results.map { $0["level"].text } == ["warning", "warning", "note"])
        let place = results[0]["locations"].list[0]["physicalLocation"]
        #expect(place["artifactLocation"]["uri"].text == "Sources/F%2C%20G.swift")
        #expect(place["region"]["startLine"].number == 2 && place["region"]["startColumn"].number == 5)
        #expect(results[0]["partialFingerprints"]["finding/v2"].text == "task f save")
    }

    @Test func `in SARIF has references by RFC 3986`() {
        let uris = [
            ("Order Store/A.swift", "Order%20Store/A.swift"), ("注/A.swift", "%E6%B3%A8/A.swift"),
            ("50% off/C#?", "50%25%20off/C%23%3F"), ("../a\n", "../a%0A"), ("/tmp/a:b", "file:///tmp/a%3Ab"),
        ]
        for (path, uri) in uris {
            #expect(Sarif.uri(path) == uri)
            #expect(URL(string: uri, encodingInvalidCharacters: false)?.path(percentEncoded: false) == path)
        }
    }

    @Test func `ranks tasks and changes above printed errors, and harmless findings last`() {
        let scores = Self.result().findings.map(\.score)
        #expect(scores == scores.sorted(by: >))
        #expect(scores.last ?? 100 <= 10)
    }
}

/// A decoded JSON value.
struct JSONValue {
    private let value: Any?

    init(_ value: Any?) { self.value = value }
    subscript(key: String) -> Self { Self((value as? [String: Any])?[key]) }
    var list: [Self] { (value as? [Any] ?? []).map(Self.init) }
    var text: String? { value as? String }
    var number: Int? { value as? Int }
}
