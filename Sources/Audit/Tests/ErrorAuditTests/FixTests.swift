import Foundation
import Testing

@testable import ErrorAudit

@Suite("Rewrites")
struct FixTests {
    /// Returns the compiler's errors in the files of a folder.
    private static func errors(in folder: String, _ mode: [String]) async throws -> [Substring] {
        let modules = URL(filePath: try Program.built("Modules/ErrorRouting.swiftmodule")).deletingLastPathComponent()
        let cache = modules.deletingLastPathComponent().appending(path: "ModuleCache")
        let command = [
            "swiftc", "-typecheck", "-wmo", "-parse-as-library", "-module-name", "Corpus", "-g", "-module-cache-path",
            cache.path, "-I", modules.path,
        ]
        let output = try await Program(command + mode + Corpus.names(), in: folder).output
        return output.split(separator: "\n").filter { $0.contains("error: ") }
    }
}

extension FixTests {
    @Test(arguments: [
        ["-swift-version", "6"], ["-swift-version", "5"], ["-swift-version", "6", "-default-isolation", "MainActor"],
    ])
    func `the corpus compiles before and after each rewrite`(_ mode: [String]) async throws {
        let files = Dictionary(uniqueKeysWithValues: try Corpus.names().map { ($0, try Corpus.text($0)) })
        let scratch = try Scratch(files)
        #expect(try await Self.errors(in: scratch.path, mode) == [])
        for kind in Kind.allCases where kind.isFixable {
            let findings = try await Audit().run([scratch.path]).findings
            let count = await Audit().fix(kind, in: findings).count
            #expect(count > 0, "\(kind)")
            #expect(try await Self.errors(in: scratch.path, mode) == [], "\(kind)")
            let left = try await Audit().run([scratch.path]).findings
            #expect(left.count == findings.count - count, "\(kind)")
        }
    }

    private static let rewrites: [(kind: Kind, before: String, after: String)] = [
        (.emptyCatch, "do { try save() } catch {}", "do { try save() } catch { postError(error) }"),
        (.emptyCatch, "do { try save() } catch {\n}", "do { try save() } catch { postError(error) }"),
        (.printOnly, "do { try save() } catch { print(error) }", "do { try save() } catch { postError(error) }"),
        (
            .printOnly, #"do { try save() } catch { print("Error: \(error)") }"#,
            "do { try save() } catch { postError(error) }"
        ),
    ]

    /// Returns a text after all its rewrites; nil if it is left alone.
    private static func rewritten(_ text: String) -> String? {
        let edits = Audit().findings(in: text, path: "F.swift").flatMap(\.edits)
        return edits.isEmpty ? nil : Rewriting.apply(edits, to: text)
    }

    @Test func `match the line that a developer would write, with the import`() {
        for rewrite in Self.rewrites {
            let text = "import Foundation\n\nfunc f() async { \(rewrite.before) }\n"
            let wanted = "import ErrorRouting\nimport Foundation\n\nfunc f() async { \(rewrite.after) }\n"
            #expect(Self.rewritten(text) == wanted)
        }
    }

    /// The head of a file, and its head after the rewrite.
    private static let heads: [(before: String, after: String)] = [
        ("", "import ErrorRouting\n"),
        ("import A\n#if B\nimport B\n#endif\n", "import A\nimport ErrorRouting\n#if B\nimport B\n#endif\n"),
        ("#if B\nimport B\n#endif\nimport Z\n", "#if B\nimport B\n#endif\nimport ErrorRouting\nimport Z\n"),
        ("// A\n#if B\nimport B\n#endif\n", "// A\nimport ErrorRouting\n#if B\nimport B\n#endif\n"),
        ("import ErrorRouting\n", "import ErrorRouting\n"),
        ("@testable public import ErrorRouting // A\n", "@testable public import ErrorRouting // A\n"),
        ("public import B // B\nimport Z\n", "public import B // B\nimport ErrorRouting\nimport Z\n"),
        ("import A; import Z\n", "import A; \nimport ErrorRouting\nimport Z\n"),
        ("#!/usr/bin/swift\nimport A\n", "#!/usr/bin/swift\nimport A\nimport ErrorRouting\n"),
        ("#!/usr/bin/swift\n", "#!/usr/bin/swift\nimport ErrorRouting\n"),
        ("import A\r\nimport Z\r\n", "import A\r\nimport ErrorRouting\r\nimport Z\r\n"),
        ("import A\rimport Z\r", "import A\rimport ErrorRouting\rimport Z\r"),
        ("// A\r\n", "// A\r\nimport ErrorRouting\r\n"),
        ("// A\n\n/// B\n", "// A\nimport ErrorRouting\n\n/// B\n"),
        (
            "let a = \"\"\"\nimport A\nimport ErrorRouting\n\"\"\"\n",
            "import ErrorRouting\nlet a = \"\"\"\nimport A\nimport ErrorRouting\n\"\"\"\n"
        ),
        ("/* import ErrorRouting */ import A\n", "/* import ErrorRouting */ import A\nimport ErrorRouting\n"),
        ("import struct ErrorRouting.B\n", "import ErrorRouting\nimport struct ErrorRouting.B\n"),
    ]

    @Test func `import the bus once, as a statement that every platform compiles`() {
        for head in Self.heads {
            let result = Self.rewritten(head.before + "func f() { do { try save() } catch {} }\n")
            #expect(result == head.after + "func f() { do { try save() } catch { postError(error) } }\n")
        }
    }

    private static let left: [String] = [
        // A value's type, a capture, or a closure's parameter could change.
        "Task { try await save() }; go()",
        "try? save(); go()",
        "if let x = try? load() { use(x) }",
        // The comment or the words would be lost, or the error isn't named `error`.
        "do { try save() } catch { /* later */ }",
        "do { try save() } catch { // later\n}",
        "do { try save() } catch { print(/* later */ error) }",
        #"do { try save() } catch { print("order \(id): \(error)") }"#,
        "do { try save() } catch { print(error, order) }",
        "do { try save() } catch { console.print(error) }",
        "do { try save() } catch let failure { print(failure) }",
        "do { try save() } catch is OutOfStock {}",
        "do { try save() } catch _ {}",
        // The name has another meaning.
        "func postError(_ error: any Error) {}; do { try save() } catch {}",
        // The parser had to guess.
        "do { try save() } catch {}; let a = (",
    ]

    @Test func `leave code alone if they would change a type or lose something`() {
        for code in Self.left { #expect(Self.rewritten("func f() async { \(code) }\n") == nil, "\(code)") }
        #expect(Self.rewritten("@inlinable public func f() { do { try save() } catch {} }\n") == nil)
        let isConditional = "#if B\nimport ErrorRouting\n#endif\n"
        #expect(Self.rewritten(isConditional + "func f() { do { try save() } catch {} }\n") == nil)
    }

    @Test func `leave a file alone that changed or doesn't parse, and say so`() async throws {
        let scratch = try Scratch(["A.swift": "func f() { do { try save() } catch {} }\n"])
        let findings = try await Audit().run([scratch.path]).findings
        for text in ["func f() { do { try saveAll() } catch {} }\n", "func f( { do { try save() } catch {} }\n", ""] {
            try scratch.write(text, to: "A.swift")
            let rewrite = await Audit().fix(.emptyCatch, in: findings)
            #expect(rewrite.count == 0 && rewrite.left.count == 1)
            #expect(try scratch.read("A.swift") == text)
        }
    }

    @Test func `write through a link, and keep the other bytes`() async throws {
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
