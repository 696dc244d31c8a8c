import Foundation

/// Finds the Swift files to read.
struct SourceFiles {
    let configuration: Configuration

    /// Returns the sorted paths of the Swift files at or under the given paths.
    ///
    /// - Parameter paths: Files and folders.
    /// - Throws: ``NoSuchPath``
    func find(_ paths: [String]) throws(NoSuchPath) -> [String] {
        var found: Set<String> = []
        for path in paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw NoSuchPath(path: path)
            }
            guard isFolder.boolValue else {
                found.insert(path)
                continue
            }
            var ignores = Ignores()
            let root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            for folder in Self.enclosing(root) { Self.read(folder, into: &ignores) }
            ignores.add(configuration.exclude, in: root)
            walk(root, from: root.count, ignores, &found)
        }
        return found.sorted()
    }

    /// Returns the folders from the repository's root down to a folder's parent.
    ///
    /// Their `.gitignore` files apply too.
    private static func enclosing(_ path: String) -> [String] {
        var folders: [String] = []
        var folder = path
        for _ in 0..<32 where !FileManager.default.fileExists(atPath: folder + "/.git") {
            folder += "/.."
            guard FileManager.default.fileExists(atPath: folder) else { return [] }
            folders.append(folder)
        }
        // Use only inherited patterns that don't depend on the folder's position: patterns match path strings.
        return folders.count < 32 ? folders.reversed() : []
    }

    private static func read(_ folder: String, into ignores: inout Ignores) {
        guard let data = FileManager.default.contents(atPath: folder + "/.gitignore") else { return }
        let base = folder.components(separatedBy: "/..").first ?? folder
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        ignores.add(folder == base ? lines : lines.filter { !$0.dropLast().contains("/") }, in: base)
    }

    private func walk(_ folder: String, from start: Int, _ inherited: Ignores, _ found: inout Set<String>) {
        var ignores = inherited
        Self.read(folder, into: &ignores)
        // Skip a folder that can't be listed.
        let keys: [URLResourceKey] = [.isDirectoryKey, .isSymbolicLinkKey]
        let entries = FileManager.default.enumerator(
            at: URL(filePath: folder), includingPropertiesForKeys: keys, options: .skipsSubdirectoryDescendants)
        while let entry = entries?.nextObject() as? URL {
            let name = entry.lastPathComponent
            let path = folder + "/" + name
            // error-audit: harmless, because a file that was deleted while the folder was read needs no audit
            let values = try? entry.resourceValues(forKeys: Set(keys))
            if values?.isSymbolicLink == true { continue }
            if values?.isDirectory == true {
                guard !name.hasPrefix(".build"), name != ".git", name != "Pods", name != "Carthage" else { continue }
                if !ignores.ignores(path, isFolder: true) { walk(path, from: start, ignores, &found) }
            } else if name.hasSuffix(".swift"), !ignores.ignores(path, isFolder: false) {
                if !configuration.includeTests, Self.isTest(path.dropFirst(start)) { continue }
                if !configuration.includeGenerated, Self.isGenerated(name) { continue }
                found.insert(path)
            }
        }
    }

    /// Returns whether a path belongs to a test: `Tests/…`, `AppUITests/…`, `…Tests.swift`.
    ///
    /// The singular means little: "SpeedTest" can be a product. The imports of a file show whether it is a test.
    static func isTest(_ path: some StringProtocol) -> Bool {
        path.split(separator: "/").contains { part in
            let name = part.hasSuffix(".swift") ? part.dropLast(6) : part
            return name.hasSuffix("Tests") || name.lowercased() == "tests"
        }
    }

    static func isGenerated(_ name: String) -> Bool {
        [".pb.swift", ".grpc.swift", ".generated.swift"].contains { name.hasSuffix($0) }
    }

    /// A given path doesn't exist.
    struct NoSuchPath: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path): no such file or folder" }
    }
}
