import Foundation
import Testing

@testable import ErrorAudit

@Suite("What can't be read in full")
struct UnreadTests {
    private static let loss = "func f() { try? save(); go() }\n"

    /// Returns the unread paths, relative to a folder, each with its reason.
    private static func unread(_ scratch: Scratch, _ paths: [String] = [""]) async throws -> [String] {
        try await Audit().run(paths.map { scratch.path + $0 }).unread.map {
            $0.description.replacing(scratch.path, with: "")
        }
    }
}

extension UnreadTests {
    @Test func `is listed with its reason, and the other files are read`() async throws {
        let scratch = try Scratch([
            "A.swift": Self.loss, "Broken.swift": Self.loss + "func g( {\n",
            "Merge.swift": "\n<<<<<<< HEAD\nfunc g() { try? save(); go() }\n=======\n>>>>>>> other\n" + Self.loss,
            "Deep.swift": Self.loss + "let a = " + String(repeating: "[", count: 5_000),
        ])
        try Data([0x66, 0xFF, 0xFE]).write(to: URL(filePath: scratch.path + "/Latin.swift"))
        try #require(mkfifo(scratch.path + "/Pipe.swift", 0o600) == 0)
        let result = try await Audit().run([scratch.path])
        #expect(
            try await Self.unread(scratch) == [
                "/Broken.swift: it doesn't parse as Swift", "/Deep.swift: the code is nested too deep",
                "/Latin.swift: the file isn't UTF-8", "/Merge.swift: a merge conflict hides code near line 6",
                "/Pipe.swift: it isn't a regular file",
            ])
        let names = result.findings.map { URL(filePath: $0.path).lastPathComponent }
        #expect(names == ["A.swift", "Broken.swift", "Merge.swift"] && result.files.count == 3)
    }

    @Test func `includes folders without a file to read, and those that can't be listed`() async throws {
        let scratch = try Scratch(["A/A.swift": Self.loss, "B/README.md": "", "C/Tests/C.swift": Self.loss])
        #expect(
            try await Self.unread(scratch, ["/A", "/B", "/C"]) == [
                "/B: there is no Swift file to read", "/C: there is no Swift file to read",
            ])
        var files = SourceFiles(configuration: Configuration())
        files.list = { folder in
            if folder.hasSuffix("/A") { throw CocoaError(.fileReadNoPermission) }
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        }
        let unread = try files.find([scratch.path]).unread
        #expect(unread.map(\.path) == [scratch.path + "/A"])
        #expect(unread.first?.reason.hasPrefix("the folder can't be read: ") == true)
    }

    @Test func `includes links, unless their target is read too`() async throws {
        let scratch = try Scratch(["A/A.swift": Self.loss, "B/B.swift": Self.loss])
        for (link, target) in [("A/Other", "../B"), ("A/Self", "."), ("A/Gone.swift", "Nothing.swift")] {
            try FileManager.default.createSymbolicLink(
                atPath: scratch.path + "/" + link, withDestinationPath: target)
        }
        let reasons = [
            "/A/Gone.swift: the target of the link doesn't exist",
            "/A/Other: links aren't followed; name the target, or exclude the link",
        ]
        #expect(try await Self.unread(scratch, ["/A"]) == reasons)
        #expect(try await Self.unread(scratch, ["/A", "/B"]) == [reasons[0]])
        #expect(try await Audit().run([scratch.path + "/A/Other"]).findings.count == 1)
    }

    @Test func `appears in each format`() throws {
        let unread = Unread(path: "A.swift", reason: "it isn't: Swift")
        let result = Audit.Result(files: [], lines: 0, findings: [], unread: [unread])
        for format in Output.allCases {
            let text = try format.render(result)
            #expect(text.contains("it isn't: Swift"), "\(format)")
        }
        #expect(try Output.github.render(result).hasPrefix("::error file=A.swift,title=error-audit::"))
        #expect(try Output.sarif.render(result).contains("\"executionSuccessful\" : false"))
    }

    @Test func `includes every shape that would exhaust the stack or the time of the parser`() async throws {
        let shapes: [(head: String, part: String)] = [
            ("let a = ", "["), ("let a: ", "["), ("let a = ", "([("), ("let a = ", "f { ("), ("let a = ", "{"),
            ("if a {}", " else if a {}\n"), ("", "try\n"), ("a", "\n.b()"), ("a", "()"), ("let a: ", "A -> "),
            ("let a: A", "?"), ("let a: ", "A<"), ("if case ", "let "), ("", "#if A\n"), ("a = ", "\"\\("),
        ]
        for shape in shapes {
            let text = shape.head + String(repeating: shape.part, count: 20_000)
            #expect(Nesting.isTooDeep(text), "\(shape)")
        }
    }

    @Test func `excludes code at the limits, which is read in seconds`() async throws {
        let square = String(repeating: "[", count: 12) + "1" + String(repeating: "]", count: 12)
        let braces = String(repeating: "if a { ", count: 98) + String(repeating: "}", count: 98)
        let scratch = try Scratch([
            "A.swift": "let a = \(square)\n", "B.swift": "func f() { \(braces) }\n",
            "C.swift": "let a = b" + String(repeating: "\n    .c()", count: 300) + "\n",
        ])
        #expect(try await Self.unread(scratch) == [])
    }

    @Test func `excludes long code that isn't deep, and brackets in strings and comments`() {
        let open = String(repeating: "[", count: 200)
        let texts = [
            "let a = \"\(open)\"", "let a = #\"\\(\(open)\"#", "let a = \"\"\"\n\(open)\n\"\"\"", "// \(open)",
            "/* /* \(open) */ \(open) */", "let a = [" + String(repeating: "(1, [2]),\n", count: 5_000) + "]",
            String(repeating: "let a = b.c(d)\n", count: 5_000), "let a = 1" + String(repeating: " + 1", count: 5_000),
            "switch a {\n" + String(repeating: "case .b: c()\n", count: 5_000) + "}",
        ]
        for text in texts { #expect(!Nesting.isTooDeep(text), "\(text.prefix(40))") }
    }

    @Test func `is no file because of its words: each kind is found without them`() {
        let texts = [
            "func f() { store.request { data, err in use(data) } }", "func f() { let value = try? load() }",
            "func f() { publisher.replaceError(with: []) }", "func f() { promise.whenSuccess { use($0) } }",
        ]
        for text in texts { #expect(Audit().findings(in: text, path: "A.swift").count == 1, "\(text)") }
    }
}
