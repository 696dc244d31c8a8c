import Foundation
import Testing

@testable import ErrorAudit

@Suite("The output suits people, programs, and GitHub")
struct OutputTests {
    static let text = """
        func f() async {
            Task { try await save() }
            try? await Task.sleep(for: .seconds(1))
            do { try load() } catch {}
        }
        """

    private static func render(
        _ output: Output, showing: Output.Shown = .half, plain: Bool = false
    ) throws -> String {
        var configuration = Configuration()
        configuration.plain = plain
        let findings = Audit(configuration).findings(in: text, path: "Sources/F, G.swift").ranked()
        return try output.render(Audit.Result(files: ["F, G.swift"], lines: 5, findings: findings), showing: showing)
    }

    /// Returns the value at a path of keys and indices in JSON, as text.
    private static func value(_ path: String, in json: String) throws -> String {
        var value: Any? = try JSONSerialization.jsonObject(with: Data(json.utf8))
        for key in path.split(separator: "/") {
            value = Int(key).map { (value as? [Any])?[$0] } ?? (value as? [String: Any])?[String(key)]
        }
        return (value as? [Any]).map { "\($0.count) elements" } ?? value.map { "\($0)" } ?? "none"
    }
}

extension OutputTests {
    @Test func `the output for people is the half that matters more, in lines that editors understand`() throws {
        #expect(
            try Self.render(.text) == """
                Sources/F, G.swift:2:5: warning: f, save: the task throws, and nobody awaits its value; `save` changes \
                something; it awaits work that can fail in many ways [task, 91]
                    → errors.task { try await save() }
                2 probable losses and 1 harmless in 1 file, 5 lines; --all shows the rest
                """)
        let losses = try Self.render(.text, showing: .losses)
        #expect(losses.contains(":4:23: warning: f, load: the `catch` is empty") && !losses.contains("sleep"))
        let all = try Self.render(.text, showing: .all, plain: true)
        #expect(all.contains(":3:5: note: f, Task.sleep: harmless: it throws only if its task is cancelled"))
        #expect(all.contains(#"→ Task { do { try await save() } catch { logger.error("\(error)") } }"#))
    }

    @Test func `the output for programs lists findings in order, harmless last, with identity and columns`() throws {
        let values: [(Output, path: String, value: String)] = [
            (.json, "findings", "3 elements"), (.json, "findings/0/identity/kind", "task"),
            (.json, "findings/0/line", "2"), (.json, "findings/0/instead", "errors.task { try await save() }"),
            (.json, "findings/2/score", "7"),
            (.json, "findings/0/identity/call", "save"), (.json, "findings/0/harmless", "none"),
            (.sarif, "version", "2.1.0"), (.sarif, "runs/0/tool/driver/rules", "\(Kind.allCases.count) elements"),
            (.sarif, "runs/0/tool/driver/semanticVersion", Audit.version), (.sarif, "runs/0/results/2/level", "note"),
            (.sarif, "runs/0/results/1/level", "warning"),
            (
                .sarif, "runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
                "Sources/F%2C%20G.swift"
            ),
            (.sarif, "runs/0/results/0/locations/0/physicalLocation/region/startColumn", "5"),
        ]
        for (output, path, value) in values {
            #expect(try Self.value(path, in: Self.render(output)) == value, "\(output) \(path)")
        }
        #expect(try Self.render(.sarif).contains(#""finding/v2" : "task f save""#))
    }

    @Test func `the output for GitHub is an annotation for each loss`() throws {
        let lines = try Self.render(.github).components(separatedBy: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("::warning file=Sources/F%2C G.swift,line=2,col=5,title=error-audit %28task%29::"))
    }

    @Test func `the output in SARIF has references by RFC 3986`() {
        let uris = [
            ("Order Store/A.swift", "Order%20Store/A.swift"), ("注/A.swift", "%E6%B3%A8/A.swift"),
            ("50% off/C#?", "50%25%20off/C%23%3F"), ("../a\n", "../a%0A"), ("/tmp/a:b", "file:///tmp/a%3Ab"),
        ]
        for (path, uri) in uris {
            #expect(Sarif.uri(path) == uri)
            #expect(URL(string: uri, encodingInvalidCharacters: false)?.path(percentEncoded: false) == path)
        }
    }
}
