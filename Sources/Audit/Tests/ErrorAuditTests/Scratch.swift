import Foundation

/// A test's own folder, which is removed when this object is released.
final class Scratch: Sendable {
    let path: String

    /// Creates the folder with files, given by their paths and contents.
    init(_ files: [String: String] = [:]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "error-audit-\(UUID().uuidString)")
        path = folder.path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        let file = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func read(_ name: String) throws -> String {
        try String(contentsOf: URL(filePath: path).appending(path: name), encoding: .utf8)
    }
}

/// A program that has exited.
struct Program {
    let status: Int32
    let output: String

    private final class Marker {}

    /// Runs a program in a folder until it exits.
    init(_ command: [String], in folder: String) async throws {
        // Wait on a separate thread: waiting here would block a thread of the concurrency pool.
        self = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try Program(waitingFor: command, folder) }) }
        }
    }

    private init(waitingFor command: [String], _ folder: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(filePath: folder)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// Returns the compiler's errors in the files of a folder.
    static func errors(compiling files: [String], in scratch: Scratch, _ options: [String]) async throws -> [String] {
        let modules = URL(filePath: try built("Modules/ErrorRouting.swiftmodule")).deletingLastPathComponent()
        let cache = modules.deletingLastPathComponent().appending(path: "ModuleCache")
        let command = [
            "swiftc", "-typecheck", "-wmo", "-parse-as-library", "-module-name", "Corpus", "-g", "-module-cache-path",
            cache.path, "-I", modules.path,
        ]
        let output = try await Self(command + options + files, in: scratch.path).output
        return output.components(separatedBy: "\n").filter { $0.contains("error: ") }
    }

    /// Returns the path of a product that the build put next to the tests.
    static func built(_ name: String) throws -> String {
        var folder = Bundle(for: Marker.self).bundleURL.resolvingSymlinksInPath()
        while folder.pathComponents.count > 1 {
            let file = folder.appending(path: name)
            if FileManager.default.fileExists(atPath: file.path) { return file.path }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }
}
