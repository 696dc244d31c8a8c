import Foundation
import Testing

@testable import ErrorAudit

@Suite("Files")
struct FilesTests {
    private static let loss = "func f() { try? save(); go() }\n"

    /// Returns the paths of the read files, relative to a folder.
    private static func read(
        _ names: [String], _ ignored: String = "", _ configuration: Configuration = Configuration()
    )
        throws -> [String]
    {
        var files = Dictionary(uniqueKeysWithValues: names.map { ($0, loss) })
        files[".gitignore"] = ignored
        let scratch = try Scratch(files)
        return try SourceFiles(configuration: configuration).find([scratch.path]).files.map {
            String($0.dropFirst(scratch.path.count + 1))
        }.sorted()
    }
}

extension FilesTests {
    @Test func `are Swift files, but not tests, generated files, or build folders`() throws {
        let names = [
            "Sources/A.swift", "Tests/ATests/B.swift", "AppUITests/C.swift", "Sources/DTests.swift",
            "Sources/e.pb.swift",
            ".build/F.swift", ".build-thread/G.swift", "README.md", "Sources/Testing/H.swift", "SpeedTest/I.swift",
        ]
        #expect(try Self.read(names) == ["Sources/A.swift", "Sources/Testing/H.swift", "SpeedTest/I.swift"])
        var all = Configuration()
        (all.includeTests, all.includeGenerated) = (true, true)
        #expect(try Self.read(names, "", all).count == 7)
    }

    @Test func `don't include files that git ignores`() throws {
        let names = [
            "A.swift", "Out/B.swift", "Sources/Out/C.swift", "gen/D.swift", "a/b/E.swift", "a/F.tmp.swift",
            "keep.tmp.swift",
        ]
        #expect(
            try Self.read(names, "Out/\n*.tmp.swift\n!keep.tmp.swift\n/gen\na/**\n") == ["A.swift", "keep.tmp.swift"])
        #expect(try Self.read(names, "# Out/\n/Out\n") == names.filter { $0 != "Out/B.swift" }.sorted())
        var configuration = Configuration()
        configuration.exclude = ["Out/", "a"]
        #expect(try Self.read(names, "", configuration) == ["A.swift", "gen/D.swift", "keep.tmp.swift"])
    }

    @Test func `in a folder obey the ignore files of its repository`() throws {
        let scratch = try Scratch([
            ".git/HEAD": "", ".gitignore": "Out/", "Sources/A.swift": "", "Sources/Out/B.swift": "",
        ])
        for root in [nil, scratch.path + "/Sources"] {
            let source = SourceFiles(configuration: Configuration(), root: root)
            #expect(try source.find([scratch.path + "/Sources"]).files == [scratch.path + "/Sources/A.swift"])
            let named = try source.find([scratch.path + "/Sources/Out/B.swift"])
            #expect(named.files.isEmpty && named.skipped.count == 1)
        }
    }

    @Test func `that don't exist are an error`() {
        #expect(throws: SourceFiles.NoSuchPath.self) {
            try SourceFiles(configuration: Configuration()).find(["/no/such"])
        }
    }

    @Test func `with tests are skipped because of their imports`() {
        let text = "import Testing\n" + Self.loss
        #expect(Audit().findings(in: text, path: "A.swift").isEmpty)
        #expect(Audit().findings(in: Self.loss, path: "A.swift").count == 1)
    }

    @Test func `are read in parallel, with findings in a fixed order`() async throws {
        let scratch = try Scratch(Dictionary(uniqueKeysWithValues: (0..<40).map { ("F\($0).swift", Self.loss) }))
        let first = try await Audit().run([scratch.path])
        let second = try await Audit().run([scratch.path])
        #expect(first.files.count == 40 && first.lines == 40 && first.findings.count == 40)
        #expect(first.findings.map(\.path) == second.findings.map(\.path))
    }
}

@Suite("A project's own names")
struct ConfigurationTests {
    private static func count(_ body: String, _ edit: (inout Configuration) -> Void = { _ in }) -> Int {
        var configuration = Configuration()
        edit(&configuration)
        return Audit(configuration).findings(in: "func f() { do { try save() } catch { \(body) } }", path: "F.swift")
            .count
    }
}

extension ConfigurationTests {
    @Test func `count as reports`() {
        #expect(Self.count("Crashes.shared.note()") == 1)
        #expect(Self.count("Crashes.shared.note()") { $0.reporters = ["note"] } == 0)
        #expect(Self.count("Crashes.shared.note()") { $0.reporters = ["Crashes"] } == 0)
        #expect(Self.count("Crashes.shared.note()") { $0.reporters = ["Other.note"] } == 1)
        #expect(Self.count("journal.debug(error)") { $0.loggers = ["journal"] } == 0)
        #expect(Self.count("rollBackOrder()") { $0.handled = ["rollBackOrder"] } == 0)
    }

    @Test func `of a logger without a level have the default level of its declaration`() async throws {
        let scratch = try Scratch([
            "Log.swift": "func appLog(_ message: String, _ level: Level = .debug) {}\n",
            "A.swift": "func f() { do { try save() } catch { appLog(\"\\(error)\") } }\n",
        ])
        #expect(try await Audit().run([scratch.path]).findings.map(\.kind) == [.printOnly])
        try scratch.write("func appLog(_ message: String, _ level: Level = .error) {}\n", to: "Log.swift")
        #expect(try await Audit().run([scratch.path]).findings.isEmpty)
    }

    @Test func `come from a file with optional keys`() throws {
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
