import Foundation
import Testing

@testable import ErrorAudit

@Suite("Rewrites compile, and lose nothing")
struct FixTests {
    /// Returns a source after all its rewrites; nil if it isn't rewritten.
    private static func rewritten(_ text: String) -> String? {
        let edits = Audit().findings(in: text, path: "F.swift").flatMap(\.edits)
        return edits.isEmpty ? nil : Rewriting.apply(edits, to: text)
    }
}

extension FixTests {
    @Test(arguments: [
        ["-swift-version", "6"], ["-swift-version", "5"], ["-swift-version", "6", "-default-isolation", "MainActor"],
    ])
    func `they compile, as the code before them does, and leave nothing to rewrite`(_ mode: [String]) async throws {
        let code = try Cases.section("lines", of: "Rewrites").map { $0[0] }
        let functions = code.enumerated().map { "func f\($0)() async {\n\($1)\n}" }
        let head = try Cases.section("declarations", of: "Advice").map { $0[0] }.filter { !$0.hasPrefix("import") }
        let scratch = try Scratch(["A.swift": (head + functions).joined(separator: "\n")])
        #expect(try await Program.errors(compiling: ["A.swift"], in: scratch, mode) == [])
        let findings = try await Audit().run([scratch.path]).findings
        for kind in Kind.allCases where kind.isFixable {
            #expect(await Audit().fix(kind, in: try await Audit().run([scratch.path]).findings).count > 0, "\(kind)")
            #expect(try await Program.errors(compiling: ["A.swift"], in: scratch, mode) == [], "\(kind)")
        }
        #expect(try await Audit().run([scratch.path]).findings.count == findings.count - code.count)
    }

    @Test func `they are the lines that a developer would write, with one import that all platforms compile`() throws {
        for row in try Cases.section("lines", of: "Rewrites") {
            let (old, new) = ("func f() async { \(row[0]) }\n", "func f() async { \(row[1]) }\n")
            let result = Self.rewritten("import Foundation\n\n" + old)
            #expect(result == "import ErrorRouting\nimport Foundation\n\n" + new)
        }
        for row in try Cases.section("imports", of: "Rewrites") {
            let result = Self.rewritten(row[0] + "func f() { do { try save() } catch {} }\n")
            #expect(result == row[1] + "func f() { do { try save() } catch { postError(error) } }\n")
        }
    }

    @Test func `they leave code alone if they would change a type or lose something`() throws {
        for row in try Cases.section("left alone", of: "Rewrites") { #expect(Self.rewritten(row[0]) == nil, "\(row)") }
    }

    @Test func `they leave a file alone that changed or doesn't parse, and report that`() async throws {
        let scratch = try Scratch(["A.swift": "func f() { do { try save() } catch {} }\n"])
        let findings = try await Audit().run([scratch.path]).findings
        for text in ["func f() { do { try saveAll() } catch {} }\n", "func f( { do { try save() } catch {} }\n", ""] {
            try scratch.write(text, to: "A.swift")
            let rewrite = await Audit().fix(.emptyCatch, in: findings)
            #expect(rewrite.count == 0 && rewrite.left.count == 1)
            #expect(try scratch.read("A.swift") == text)
        }
    }

    @Test func `they write through a link, and keep the other bytes`() async throws {
        let text = "\u{FEFF}import A\r\nfunc f() { do { try save() } catch {} }"
        let scratch = try Scratch(["A.swift": text])
        let link = scratch.path + "/Link.swift"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "A.swift")
        let rewrite = await Audit().fix(.emptyCatch, in: try await Audit().run([link]).findings)
        #expect(rewrite.count == 1)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "A.swift")
        let wanted =
            "\u{FEFF}import A\r\nimport ErrorRouting\r\nfunc f() { do { try save() } catch { postError(error) } }"
        #expect(try Data(contentsOf: URL(filePath: scratch.path + "/A.swift")) == Data(wanted.utf8))
    }
}
