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
            let count = try Audit().fix(kind, in: findings)
            #expect(count > 0, "\(kind)")
            #expect(try await Self.errors(in: scratch.path, mode) == [], "\(kind)")
            let left = try await Audit().run([scratch.path]).findings
            #expect(left.count == findings.count - count, "\(kind)")
        }
    }

    private static let rewrites: [(kind: Kind, before: String, after: String)] = [
        (.task, "Task { try await save() }; go()", "Task { await catchingErrors { try await save() } }; go()"),
        (
            .task, "Task { [weak self] in\n    try await self?.save()\n}; go()",
            "Task { [weak self] in\n    await catchingErrors { try await self?.save() }\n}; go()"
        ),
        (.optionalTry, "try? await save(); go()", "await catchingErrors { try await save() }; go()"),
        (.optionalTry, "_ = try? save()", "_ = catchingErrors { try save() }"),
        (.optionalTry, "if let x = try? load() { use(x) }", "if let x = catchingErrors { try load() } { use(x) }"),
        (.emptyCatch, "do { try save() } catch {}", "do { try save() } catch { postError(error) }"),
        (.printOnly, "do { try save() } catch { print(error) }", "do { try save() } catch { postError(error) }"),
    ]

    @Test func `match the line that a developer would write, with the import`() throws {
        for rewrite in Self.rewrites {
            let text = "import Foundation\n\nfunc f() async { \(rewrite.before) }\n"
            let edits = Audit().findings(in: text, path: "F.swift").filter { $0.kind == rewrite.kind }.flatMap(\.edits)
            let wanted = "import ErrorRouting\nimport Foundation\n\nfunc f() async { \(rewrite.after) }\n"
            #expect(Fixes.apply(edits, to: text) == wanted)
        }
    }

    @Test func `import the bus where every platform compiles it`() {
        let edits = [Edit(range: 0..<0, text: "")]
        let condition = "#if canImport(UIKit)\nimport UIKit\n#endif\n"
        #expect(Fixes.apply(edits, to: "import A\n\(condition)") == "import A\nimport ErrorRouting\n\(condition)")
        #expect(Fixes.apply(edits, to: "\(condition)import Z\n") == "\(condition)import ErrorRouting\nimport Z\n")
        #expect(Fixes.apply(edits, to: "// A\n\(condition)") == "// A\nimport ErrorRouting\n\(condition)")
        #expect(Fixes.apply(edits, to: "import ErrorRouting\n") == "import ErrorRouting\n")
    }

    private static let left: [String] = [
        // `$0` would belong to another closure.
        "_ = texts.compactMap { try? parse($0) }",
        // The value's type would change from `()?` to `Bool`.
        "let saved: ()? = try? save(); go(saved)",
        "if (try? save()) == nil { go() }",
        // The task is stored.
        "let task = Task { try await save() }; task.cancel()",
        "keep(Task { try await save() })",
        // The comment would be lost, or the error isn't named `error`.
        "do { try save() } catch { /* later */ }",
        "do { try save() } catch let failure { print(failure) }",
    ]

    @Test(arguments: left)
    func `leave code alone if they would change a type or lose something`(_ code: String) {
        let text = "func f() async { \(code) }\n"
        #expect(Audit().findings(in: text, path: "F.swift").allSatisfy { !$0.isFixable })
    }
}
