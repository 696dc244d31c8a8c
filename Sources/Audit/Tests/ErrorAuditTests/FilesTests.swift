import Foundation
import Testing

@testable import ErrorAudit

@Suite("The command reads the Swift files that somebody wrote and that aren't tests")
struct FilesTests {
    static let loss = "func f() { try? save(); go() }\n"

    /// Returns the paths of the read files, relative to a folder.
    private static func read(
        _ names: String, ignored: String = "", _ edit: (inout Configuration) -> Void = { _ in }
    ) throws -> String {
        let files = Dictionary(uniqueKeysWithValues: names.split(separator: " ").map { (String($0), loss) })
        let scratch = try Scratch(files.merging([".gitignore": ignored]) { $1 })
        var configuration = Configuration()
        edit(&configuration)
        return try SourceFiles(configuration: configuration).find([scratch.path]).files
            .map { $0.dropFirst(scratch.path.count + 1) }.sorted().joined(separator: " ")
    }
}

extension FilesTests {
    @Test func `Swift files are read, but not tests, generated files, or build folders`() throws {
        let names = """
            Sources/A.swift Tests/ATests/B.swift AppUITests/C.swift Sources/DTests.swift Sources/e.pb.swift \
            .build/F.swift .build-thread/G.swift README.md Sources/Testing/H.swift SpeedTest/I.swift
            """
        #expect(try Self.read(names) == "Sources/A.swift Sources/Testing/H.swift SpeedTest/I.swift")
        let all = try Self.read(names) { ($0.includeTests, $0.includeGenerated) = (true, true) }
        #expect(all.split(separator: " ").count == 7)
    }

    @Test func `files that git or the configuration ignores aren't read`() throws {
        let names = "A.swift Out/B.swift Sources/Out/C.swift a/F.tmp.swift a/b/E.swift gen/D.swift keep.tmp.swift"
        let ignored = "Out/\n*.tmp.swift\n!keep.tmp.swift\n/gen\na/**\n"
        #expect(try Self.read(names, ignored: ignored) == "A.swift keep.tmp.swift")
        #expect(try Self.read(names, ignored: "# Out/\n/Out\n") == names.replacing(" Out/B.swift", with: ""))
        #expect(try Self.read(names) { $0.exclude = ["Out/", "a"] } == "A.swift gen/D.swift keep.tmp.swift")
    }

    @Test func `files in a folder obey the ignore files of its repository`() throws {
        let names = [".git/HEAD": "", ".gitignore": "Out/", "Sources/A.swift": "", "Sources/Out/B.swift": ""]
        let scratch = try Scratch(names)
        for root in [nil, scratch.path + "/Sources"] {
            let source = SourceFiles(configuration: Configuration(), root: root)
            #expect(try source.find([scratch.path + "/Sources"]).files == [scratch.path + "/Sources/A.swift"])
            let named = try source.find([scratch.path + "/Sources/Out/B.swift"])
            #expect(named.files.isEmpty && named.skipped.count == 1)
            #expect(throws: Unread.self) { try source.find(["/no/such"]) }
        }
    }

    @Test func `files with tests are recognized by their imports, and skipped`() {
        #expect(Audit().findings(in: "import Testing\n" + Self.loss, path: "A.swift").isEmpty)
    }

    @Test func `files are read in parallel, with findings in a fixed order`() async throws {
        let scratch = try Scratch(Dictionary(uniqueKeysWithValues: (0..<40).map { ("F\($0).swift", Self.loss) }))
        let first = try await Audit().run([scratch.path])
        let second = try await Audit().run([scratch.path])
        #expect(first.files.count == 40 && first.lines == 40 && first.findings.count == 40)
        #expect(first.findings.map(\.path) == second.findings.map(\.path))
    }
}

@Suite("A project's own names count as reporters and loggers")
struct ConfigurationTests {}

extension ConfigurationTests {
    @Test func `they count as reports`() {
        let cases: [(call: String, names: WritableKeyPath<Configuration, [String]>, name: String, count: Int)] = [
            ("Crashes.shared.note()", \.reporters, "note", 0), ("Crashes.shared.note()", \.reporters, "Crashes", 0),
            ("Crashes.shared.note()", \.reporters, "Other.note", 1), ("appLog.debug(error)", \.loggers, "appLog", 0),
            ("rollBackOrder()", \.handled, "rollBackOrder", 0),
        ]
        for (call, names, name, count) in cases {
            var configuration = Configuration()
            let code = "func f() { do { try save() } catch { \(call) } }"
            #expect(Audit(configuration).findings(in: code, path: "F.swift").count == 1)
            configuration[keyPath: names] = [name]
            #expect(Audit(configuration).findings(in: code, path: "F.swift").count == count, "\(call) \(name)")
        }
    }

    @Test func `a logger's name without a level has the default level of its declaration`() async throws {
        let use = "func f() { do { try save() } catch { appLog(\"\\(error)\") } }\n"
        for (level, kinds) in [("debug", [Kind.printOnly]), ("error", [])] {
            let log = "func appLog(_ message: String, _ level: Level = .\(level)) {}\n"
            let scratch = try Scratch(["Log.swift": log, "A.swift": use])
            #expect(try await Audit().run([scratch.path]).findings.map(\.kind) == kinds)
        }
    }

    @Test func `they come from a file with optional keys`() throws {
        let scratch = try Scratch(["a.json": #"{"reporters": ["note"], "exclude": ["Vendor/"]}"#, "b.json": "{}"])
        let configuration = try Configuration(path: scratch.path + "/a.json")
        #expect(configuration.reporters == ["note"] && configuration.exclude == ["Vendor/"] && !configuration.plain)
        #expect(try Configuration(path: scratch.path + "/b.json") == Configuration())
        for wrong in [#"{"reporter": []}"#, #"{"off": ["tasks"]}"#, #"{"plain": 1}"#, "{"] {
            try scratch.write(wrong, to: "a.json")
            #expect(throws: (any Error).self) { try Configuration(path: scratch.path + "/a.json") }
        }
    }
}
