import Foundation

/// Sources in a folder of their own, with the index that the compiler makes of them.
final class Planted {
    /// How a process ended, and what it wrote to standard output and standard error.
    struct End {
        let status: Int32
        let output: String
        let lines: [String]
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let root = FileManager.default.temporaryDirectory.appending(path: "layering-\(UUID().uuidString)")

    /// Writes sources, and has them indexed.
    ///
    /// - Parameter sources: Texts by their paths below the folder of the sources, which is named so.
    init(_ sources: [String: String]) throws {
        for (path, text) in sources { try write(text, to: path) }
        try compile()
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Runs the tool on the sources and their index.
    func judge(_ arguments: String...) throws -> End {
        try run(arguments: ["--sources", "Sources", "--index", "index"] + arguments)
    }

    /// Runs the tool where the sources are.
    func run(arguments: [String]) throws -> End {
        try end(of: try Self.executable(), arguments, in: root)
    }

    /// Lets the compiler index the sources that are there now, into the index that may be there already.
    ///
    /// - Parameter folder: Where the output goes, by whose path the index tells one compilation from another.
    func compile(to folder: String = "output") throws {
        let output = root.appending(path: folder)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        let files = FileManager.default.subpaths(atPath: root.appending(path: "Sources").path) ?? []
        let sources = files.filter { $0.hasSuffix(".swift") }.sorted().map { "../Sources/\($0)" }
        let flags = [
            "swiftc", "-c", "-parse-as-library", "-swift-version", "6", "-module-name", "Planted",
            "-index-store-path", "../index", "-index-ignore-system-modules",
        ]
        let end = try end(of: URL(filePath: "/usr/bin/env"), flags + sources, in: output)
        guard end.status == 0 else { throw Failure(description: end.output) }
    }

    func write(_ text: String, to path: String) throws {
        let file = file(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: file(path))
    }

    /// Lets a file look as if it had been changed since, without waiting for the clock.
    func touch(_ path: String) throws {
        let later = Date(timeIntervalSinceNow: 3600)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file(path).path)
    }

    private func file(_ path: String) -> URL {
        root.appending(path: "Sources").appending(path: path)
    }

    private func end(of executable: URL, _ arguments: [String], in folder: URL) throws -> End {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let output = String(decoding: data, as: UTF8.self)
        return End(
            status: process.terminationStatus, output: output,
            lines: output.split(separator: "\n").map(String.init))
    }

    /// Where the build put it: beside the test executable.
    private static func executable() throws -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            let file = folder.appending(path: "layering")
            if FileManager.default.isExecutableFile(atPath: file.path), !isFolder(file) { return file }
            folder.deleteLastPathComponent()
        }
        throw Failure(description: "the tool is not beside \(CommandLine.arguments[0])")
    }

    private static func isFolder(_ file: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
