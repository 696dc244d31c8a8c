import Foundation

/// Type-checks sources against the modules with which this test run was built.
package enum Typechecker {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The modes in which a reader might compile.
    ///
    /// In a new Xcode app, all code is on the main actor by default.
    package static let modes = ["6", "5"].flatMap { version in
        [[], ["-default-isolation", "MainActor"]].map { ["-swift-version", version] + $0 }
    }

    /// The compiler's errors, `file:line: message`; empty if the sources compile.
    ///
    /// - Parameters:
    ///   - sources: The sources by file name, which form one module.
    ///   - options: Further options of the compiler.
    ///   - stubs: Sources of missing modules, by the modules' names.
    package static func errors(
        in sources: [String: String],
        _ options: [String] = [],
        stubs: [String: String] = [:]
    ) async throws -> [String] {
        try await errors(in: sources, modes: [options], stubs: stubs)
    }

    /// Returns the compiler's errors in each of some modes: the mode's options, and `file:line: message`.
    ///
    /// - Parameters:
    ///   - sources: The sources by file name, which form one module.
    ///   - modes: The further options of each mode.
    ///   - stubs: Sources of missing modules, by the modules' names.
    package static func errors(
        in sources: [String: String],
        modes: [[String]],
        stubs: [String: String] = [:]
    ) async throws -> [String] {
        // Use a separate thread: waiting for the compiler would block a thread of the pool, and actions of other tests
        // would exceed their time limits.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try findErrors(in: sources, modes, stubs) }) }
        }
    }

    private static func findErrors(
        in sources: [String: String],
        _ modes: [[String]],
        _ stubs: [String: String]
    ) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "typecheck-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let modules = try BuildFolder.url(of: "Modules/ErrorRouting.swiftmodule").deletingLastPathComponent()
        // Building the modules of the C library and Foundation again takes longer than the check, so all runs share the
        // build's modules. Without the build's `-g`, none of these would match.
        let cache = modules.deletingLastPathComponent().appending(path: "ModuleCache")
        let shared = ["-g", "-module-cache-path", cache.path]
        // A stub may import other stubs that don't import any.
        func importsStub(_ text: String) -> Bool { stubs.keys.contains { text.contains("import \($0)\n") } }
        let (dependents, others) = (stubs.filter { importsStub($0.value) }, stubs.filter { !importsStub($0.value) })
        for (module, text) in Array(others) + Array(dependents) {
            let source = folder.appending(path: "\(module).stub.swift")
            try text.write(to: source, atomically: true, encoding: .utf8)
            let product = folder.appending(path: "\(module).swiftmodule").path
            let output = try run(
                ["swiftc", "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", module]
                    + shared + ["-I", folder.path, "-o", product, source.path])
            guard !output.contains("error: ") else { throw Failure(description: "the stub of \(module):\n\(output)") }
        }
        var files: [String] = []
        for (name, text) in sources.sorted(by: { $0.key < $1.key }) {
            let file = folder.appending(path: name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            files.append(file.path)
        }
        // Without `-wmo`, each source would have its own compiler process.
        let flags = [
            "-typecheck", "-wmo", "-parse-as-library", "-swift-version", "6", "-module-name", "Snippets",
            "-I", modules.path, "-I", folder.path,
        ]
        return try modes.flatMap { mode in
            let lines = try run(["swiftc"] + flags + shared + mode + files).components(separatedBy: "\n")
            let errors = lines.filter { $0.contains(": error: ") }.map { $0.replacing(folder.path + "/", with: "") }
            // An unknown option causes this, for example.
            if errors.isEmpty, let line = lines.first(where: { $0.hasPrefix("error: ") }) {
                throw Failure(description: "the compiler did not run: \(line)")
            }
            return modes.count == 1 ? errors : errors.map { "\(mode.joined(separator: " ")): \($0)" }
        }
    }

    private static func run(_ command: [String]) throws -> String {
        // A sanitizer's options are meant for this process, not for the compiler.
        let own = ProcessInfo.processInfo.environment.keys.filter { $0.hasSuffix("SAN_OPTIONS") }
        let none = Dictionary(uniqueKeysWithValues: own.map { ($0, "") })
        return try ChildProcess(waitingFor: command, none).output
    }
}
