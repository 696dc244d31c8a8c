import Testing

@Suite("The command reports its result by its status and output")
struct CommandTests {
    private static let files = ["Sources/A.swift": OutputTests.text, "B.swift": "func f() {}\n"]
    private static let loss = "func g() { try? save(); go() }\n"

    /// Runs the command with each line of arguments and checks its status and a part of its output.
    private static func check(
        _ scratch: Scratch, in folder: String = "", _ runs: [(arguments: String, status: Int32, output: String)]
    ) async throws {
        for (arguments, status, output) in runs {
            let command = [try Program.built("error-audit")] + arguments.split(separator: " ").map(String.init)
            let program = try await Program(command, in: scratch.path + folder)
            #expect(program.status == status && program.output.contains(output), "\(arguments): \(program.output)")
        }
    }
}

extension CommandTests {
    @Test func `it exits with 0, with 1 in strict mode, and with 2 if it can't work`() async throws {
        let scratch = try Scratch(Self.files)
        try scratch.write("", to: "Empty/README.md")
        try scratch.write(#"{"reporter": ["note"]}"#, to: "wrong.json")
        let runs: [(String, Int32, String)] = [
            ("", 0, "--all shows the rest"), ("--strict", 1, "empty-catch"), ("--limit 2", 0, "empty-catch"),
            ("--limit 1", 1, ""), ("--strict B.swift", 0, ""), ("no-such-folder", 2, "no such file or folder"),
            ("--strict Empty", 2, "no Swift file"), ("--baseline no-such-file", 2, ""), ("--fix children", 64, ""),
            ("--fix task", 64, ""), ("--only nothing", 64, ""), ("--config wrong.json", 64, "unknown key: reporter"),
            ("--version", 0, "."), ("--strict --off task --off empty-catch", 0, ""),
            ("--strict --only children", 0, ""),
        ]
        try await Self.check(scratch, runs)
    }

    @Test func `it accepts the findings in a baseline, however the files are named`() async throws {
        let scratch = try Scratch(Self.files)
        try await Self.check(scratch, [("--write-baseline accepted.json", 0, "")])
        let paths = [".", "Sources", "./Sources/A.swift", scratch.path, "Sources/../Sources"]
        try await Self.check(scratch, paths.map { ("--baseline accepted.json --strict \($0)", 0, "") })
        try await Self.check(scratch, in: "/Sources", [("--baseline ../accepted.json --strict", 0, "")])
        try scratch.write(Self.loss, to: "B.swift")
        let sum = "1 probable loss and 1 harmless in 2 files"
        try await Self.check(scratch, [("--baseline accepted.json --strict --all", 1, sum)])
    }

    @Test func `it updates a baseline for the files that it read, and adds nothing`() async throws {
        let scratch = try Scratch(Self.files)
        try await Self.check(scratch, [("--write-baseline base.json", 0, "")])
        let old = try scratch.read("base.json")
        try scratch.write(Self.loss, to: "B.swift")
        let update = "--update-baseline base.json --strict"
        for (options, status) in [(" B.swift", Int32(1)), (" --off task", 1)] {
            try await Self.check(scratch, [(update + options, status, "")])
            #expect(try scratch.read("base.json") == old, "\(options)")
        }
        try scratch.write("func f() async { Task { try await save() } }\n", to: "Sources/A.swift")
        try await Self.check(scratch, [(update, 1, "")])
        let new = try scratch.read("base.json")
        #expect(new.contains("\"task\"") && !new.contains("empty-catch") && !new.contains("B.swift"))
    }

    @Test func `it treats a named file as it treats a folder, and names the files that it skips`() async throws {
        let scratch = try Scratch(Self.files)
        try scratch.write("func f() { do { try save() } catch { appLog(\"no\") } }\n", to: "C.swift")
        try scratch.write("func appLog(_ text: String, _ level: Level = .debug) {}\n", to: "Other/Log.swift")
        try scratch.write(Self.loss, to: "Tests/D.swift")
        try scratch.write(#"{"exclude": ["Sources/A.swift"]}"#, to: ".error-audit.json")
        try await Self.check(scratch, [(". --strict", 1, "[print-only"), ("C.swift --strict", 1, "[print-only")])
        try await Self.check(scratch, [("Sources/A.swift Tests/D.swift", 0, "Tests/D.swift: skipped: a test")])
    }

    @Test func `it reads an existing configuration, and reporters in the arguments; it rewrites files`() async throws {
        let scratch = try Scratch(["A.swift": "func f() { do { try save() } catch { note() } }\n"])
        try await Self.check(scratch, [("--strict", 1, ""), ("--strict --reporter note", 0, "")])
        try scratch.write(#"{"reporters": ["note"]}"#, to: ".error-audit.json")
        try await Self.check(scratch, [("--strict", 0, "")])
        try scratch.write(OutputTests.text, to: "A.swift")
        try await Self.check(scratch, [("--fix empty-catch", 0, "1 of 1 rewritten\n")])
        #expect(try scratch.read("A.swift").contains("do { try load() } catch { postError(error) }"))
    }
}
