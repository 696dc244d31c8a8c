import Foundation
import Testing

@testable import ErrorAudit

@Suite("Files that can't be read in full are listed")
struct UnreadTests {
    /// Returns the unread paths, relative to a folder, each with its reason.
    private static func unread(_ scratch: Scratch, _ paths: [String] = [""]) async throws -> [String] {
        try await Audit().run(paths.map { scratch.path + $0 }).unread.map {
            $0.description.replacing(scratch.path, with: "")
        }
    }
}

extension UnreadTests {
    @Test func `an unread file is listed with its reason, and the other files are read`() async throws {
        let loss = FilesTests.loss
        let scratch = try Scratch([
            "A.swift": loss, "Broken.swift": loss + "func g( {\n",
            "Merge.swift": "\n<<<<<<< HEAD\nfunc g() { try? save(); go() }\n=======\n>>>>>>> other\n" + loss,
            "Deep.swift": loss + "let a = " + String(repeating: "[", count: 5_000),
        ])
        try Data([0x66, 0xFF, 0xFE]).write(to: URL(filePath: scratch.path + "/Latin.swift"))
        try #require(mkfifo(scratch.path + "/Pipe.swift", 0o600) == 0)
        let reasons = [
            "/Broken.swift: it doesn't parse as Swift", "/Deep.swift: the code is nested too deep",
            "/Latin.swift: the file isn't UTF-8", "/Merge.swift: a merge conflict hides code near line 6",
            "/Pipe.swift: it isn't a regular file",
        ]
        #expect(try await Self.unread(scratch) == reasons)
        let result = try await Audit().run([scratch.path])
        let names = result.findings.map { URL(filePath: $0.path).lastPathComponent }
        #expect(names == ["A.swift", "Broken.swift", "Merge.swift"] && result.files.count == 3)
        for format in Output.allCases {
            let text = try format.render(Audit.Result(unread: [Unread(path: "A.swift", reason: reasons[0])]))
            #expect(text.contains(reasons[0]), "\(format)")
            if format == .github { #expect(text.hasPrefix("::error file=A.swift,title=error-audit::")) }
            if format == .sarif { #expect(text.contains("\"executionSuccessful\" : false")) }
        }
    }

    @Test func `the list includes folders without a file to read, and those that can't be listed`() async throws {
        let scratch = try Scratch(["A/A.swift": "", "B/README.md": "", "C/Tests/C.swift": ""])
        let reasons = ["B", "C"].map { "/\($0): there is no Swift file to read" }
        #expect(try await Self.unread(scratch, ["/A", "/B", "/C"]) == reasons)
        var files = SourceFiles(configuration: Configuration())
        files.list = { folder in
            if folder.hasSuffix("/A") { throw CocoaError(.fileReadNoPermission) }
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        }
        let unread = try files.find([scratch.path]).unread
        #expect(unread.map(\.path) == [scratch.path + "/A"])
        #expect(unread.first?.reason.hasPrefix("the folder can't be read: ") == true)
    }

    @Test func `the list includes links, unless their target is read too`() async throws {
        let scratch = try Scratch(["A/A.swift": FilesTests.loss, "B/B.swift": FilesTests.loss])
        for (link, target) in [("Other", "../B"), ("Self", "."), ("Gone.swift", "Nothing.swift")] {
            let path = scratch.path + "/A/" + link
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        let reasons = [
            "/A/Gone.swift: the target of the link doesn't exist",
            "/A/Other: links aren't followed; name the target, or exclude the link",
        ]
        #expect(try await Self.unread(scratch, ["/A"]) == reasons)
        #expect(try await Self.unread(scratch, ["/A", "/B"]) == [reasons[0]])
        #expect(try await Audit().run([scratch.path + "/A/Other"]).findings.count == 1)
    }

    @Test func `the list includes every shape that would exhaust the stack or the time of the parser`() async throws {
        let shapes: [(head: String, part: String)] = [
            ("let a = ", "["), ("let a: ", "["), ("let a = ", "([("), ("let a = ", "f { ("), ("let a = ", "{"),
            ("if a {}", " else if a {}\n"), ("", "try\n"), ("a", "\n.b()"), ("a", "()"), ("let a: ", "A -> "),
            ("let a: A", "?"), ("let a: ", "A<"), ("if case ", "let "), ("", "#if A\n"), ("a = ", "\"\\("),
        ]
        for (head, part) in shapes {
            #expect(Nesting.isTooDeep(head + String(repeating: part, count: 20_000)), "\(head) \(part)")
        }
    }

    @Test func `the list excludes code at the limits, which is read in seconds`() async throws {
        let square = String(repeating: "[", count: 12) + "1" + String(repeating: "]", count: 12)
        let braces = String(repeating: "if a { ", count: 98) + String(repeating: "}", count: 98)
        let chain = "let a = b" + String(repeating: "\n    .c()", count: 300) + "\n"
        let files = ["A.swift": "let a = \(square)\n", "B.swift": "func f() { \(braces) }\n", "C.swift": chain]
        let scratch = try Scratch(files)
        #expect(try await Self.unread(scratch) == [])
    }

    @Test func `the list excludes long code that isn't deep, and brackets in strings and comments`() {
        let open = String(repeating: "[", count: 200)
        let texts = [
            "let a = \"\(open)\"", "let a = #\"\\(\(open)\"#", "let a = \"\"\"\n\(open)\n\"\"\"", "// \(open)",
            "/* /* \(open) */ \(open) */", "let a = [" + String(repeating: "(1, [2]),\n", count: 5_000) + "]",
            String(repeating: "let a = b.c(d)\n", count: 5_000), "let a = 1" + String(repeating: " + 1", count: 5_000),
            "switch a {\n" + String(repeating: "case .b: c()\n", count: 5_000) + "}",
        ]
        for text in texts { #expect(!Nesting.isTooDeep(text), "\(text.prefix(40))") }
    }
}
