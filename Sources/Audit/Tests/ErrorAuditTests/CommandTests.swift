import Testing

@Suite("The command")
struct CommandTests {
    private static let files = ["Sources/A.swift": OutputTests.text, "B.swift": "func f() {}\n"]

    private static func run(_ arguments: [String], in scratch: Scratch) async throws -> Program {
        try await Program([try Program.built("error-audit")] + arguments, in: scratch.path)
    }
}

extension CommandTests {
    @Test func `exits with 0, with 1 in strict mode, and with 2 if it can't work`() async throws {
        let scratch = try Scratch(Self.files)
        try scratch.write("", to: "Empty/README.md")
        try scratch.write(#"{"reporter": ["note"]}"#, to: "wrong.json")
        let statuses: [(arguments: [String], status: Int32)] = [
            ([], 0), (["--strict"], 1), (["--limit", "2"], 0), (["--limit", "1"], 1), (["--strict", "B.swift"], 0),
            (["no-such-folder"], 2), (["--strict", "Empty"], 2), (["--baseline", "no-such-file"], 2),
            (["--fix", "children"], 64), (["--fix", "task"], 64),
            (["--only", "nothing"], 64), (["--config", "wrong.json"], 64), (["--version"], 0),
            (["--strict", "--off", "task", "--off", "empty-catch"], 0), (["--strict", "--only", "children"], 0),
        ]
        for (arguments, status) in statuses {
            let program = try await Self.run(arguments, in: scratch)
            #expect(program.status == status, "\(arguments): \(program.output)")
        }
    }

    @Test func `accepts the findings in a baseline, however the files are named`() async throws {
        let scratch = try Scratch(Self.files)
        _ = try await Self.run(["--write-baseline", "accepted.json"], in: scratch)
        for path in [".", "Sources", "./Sources/A.swift", scratch.path, "Sources/../Sources"] {
            let program = try await Self.run(["--baseline", "accepted.json", "--strict", path], in: scratch)
            #expect(program.status == 0, "\(path): \(program.output)")
        }
        let inside = [try Program.built("error-audit"), "--baseline", "../accepted.json", "--strict"]
        #expect(try await Program(inside, in: scratch.path + "/Sources").status == 0)
        try scratch.write("func g() { try? save(); go() }\n", to: "B.swift")
        let program = try await Self.run(["--baseline", "accepted.json", "--strict", "--all"], in: scratch)
        #expect(program.status == 1 && program.output.contains("1 probable loss and 1 harmless in 2 files"))
    }

    @Test func `updates a baseline for what it read, and adds nothing`() async throws {
        let scratch = try Scratch(Self.files)
        _ = try await Self.run(["--write-baseline", "base.json"], in: scratch)
        let old = try scratch.read("base.json")
        try scratch.write("func g() { try? save(); go() }\n", to: "B.swift")
        let update = ["--update-baseline", "base.json", "--strict"]
        #expect(try await Self.run(update + ["B.swift"], in: scratch).status == 1)
        #expect(try scratch.read("base.json") == old)
        _ = try await Self.run(update + ["--off", "task"], in: scratch)
        #expect(try scratch.read("base.json") == old)
        try scratch.write("func f() async { Task { try await save() } }\n", to: "Sources/A.swift")
        #expect(try await Self.run(update, in: scratch).status == 1)
        let new = try scratch.read("base.json")
        #expect(new.contains("\"task\"") && !new.contains("empty-catch") && !new.contains("B.swift"))
    }

    @Test func `shows all that fails, and gives a named file the same answer as its folder`() async throws {
        let scratch = try Scratch(Self.files)
        #expect(try await Self.run(["--strict"], in: scratch).output.contains("empty-catch"))
        try scratch.write("func f() { do { try save() } catch { appLog(\"no\") } }\n", to: "C.swift")
        try scratch.write("func appLog(_ text: String, _ level: Level = .debug) {}\n", to: "Other/Log.swift")
        try scratch.write("func f() { try? save(); go() }\n", to: "Tests/D.swift")
        try scratch.write(#"{"exclude": ["Sources/A.swift"]}"#, to: ".error-audit.json")
        for file in [".", "C.swift"] {
            #expect(try await Self.run([file, "--strict"], in: scratch).output.contains("[print-only"))
        }
        let program = try await Self.run(["--strict", "Sources/A.swift", "Tests/D.swift"], in: scratch)
        #expect(program.status == 0 && program.output.contains("Tests/D.swift: skipped: a test"))
    }

    @Test func `reads an existing configuration, and reporters from the command line`() async throws {
        let scratch = try Scratch(["A.swift": "func f() { do { try save() } catch { note() } }\n"])
        #expect(try await Self.run(["--strict"], in: scratch).status == 1)
        #expect(try await Self.run(["--strict", "--reporter", "note"], in: scratch).status == 0)
        try scratch.write(#"{"reporters": ["note"]}"#, to: ".error-audit.json")
        #expect(try await Self.run(["--strict"], in: scratch).status == 0)
    }

    @Test func `rewrites the files`() async throws {
        let scratch = try Scratch(Self.files)
        let program = try await Self.run(["--fix", "empty-catch"], in: scratch)
        #expect(program.output == "1 of 1 rewritten\n")
        #expect(try scratch.read("Sources/A.swift").contains("do { try load() } catch { postError(error) }"))
    }
}
