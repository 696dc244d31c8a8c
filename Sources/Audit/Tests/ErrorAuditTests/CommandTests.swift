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
        let statuses: [(arguments: [String], status: Int32)] = [
            ([], 0), (["--strict"], 1), (["--limit", "2"], 0), (["--limit", "1"], 1), (["--strict", "B.swift"], 0),
            (["no-such-folder"], 2), (["--strict", "Empty"], 2), (["--baseline", "no-such-file"], 2),
            (["--fix", "children"], 64), (["--fix", "task"], 64),
        ]
        for (arguments, status) in statuses {
            let program = try await Self.run(arguments, in: scratch)
            #expect(program.status == status, "\(arguments): \(program.output)")
        }
    }

    @Test func `accepts the findings in a baseline`() async throws {
        let scratch = try Scratch(Self.files)
        _ = try await Self.run(["--write-baseline", "accepted.json"], in: scratch)
        #expect(try await Self.run(["--baseline", "accepted.json", "--strict"], in: scratch).status == 0)
        try scratch.write("func g() { try? save(); go() }\n", to: "B.swift")
        let program = try await Self.run(["--baseline", "accepted.json", "--strict", "--all"], in: scratch)
        #expect(program.status == 1 && program.output.contains("1 probable loss and 1 harmless in 2 files"))
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
