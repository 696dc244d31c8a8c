import Foundation

/// Finds the Swift files to read.
struct SourceFiles {
    let configuration: Configuration
    /// Returns the names in a folder.
    var list: (_ folder: String) throws -> [String] = { try FileManager.default.contentsOfDirectory(atPath: $0) }

    /// The files to read, and what can't be read.
    struct Selection {
        fileprivate(set) var files: Set<String> = []
        fileprivate(set) var unread: [Unread] = []
        /// The links in the folders, each with its target.
        fileprivate var links: [(path: String, target: String)] = []
    }

    /// Returns the sorted paths of the Swift files at or under the given paths.
    ///
    /// - Parameter paths: Files and folders.
    /// - Throws: ``NoSuchPath``
    func find(_ paths: [String]) throws(NoSuchPath) -> (files: [String], unread: [Unread]) {
        var all = Selection()
        var folders: [String] = []
        for path in paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw NoSuchPath(path: path)
            }
            guard isFolder.boolValue else {
                add(path, to: &all)
                continue
            }
            var ignores = Ignores()
            let root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            for folder in Self.enclosing(root) { Self.read(folder, into: &ignores) }
            ignores.add(configuration.exclude, in: root)
            var selection = Selection()
            walk(root, from: root.count, ignores, &selection)
            if selection.files.isEmpty, selection.unread.isEmpty, selection.links.isEmpty {
                selection.unread.append(Unread(path: root, reason: "there is no Swift file to read"))
            }
            all.files.formUnion(selection.files)
            all.unread += selection.unread
            all.links += selection.links
            folders.append(Self.target(of: root))
        }
        // A link to what is read anyway hides nothing.
        for link in all.links where !folders.contains(where: { link.target == $0 || link.target.hasPrefix($0 + "/") }) {
            all.unread.append(
                Unread(path: link.path, reason: "links aren't followed; name the target, or exclude the link"))
        }
        return (all.files.sorted(), all.unread.sorted { $0.path < $1.path })
    }

    /// Adds a file unless reading it could take forever: a pipe or a device.
    private func add(_ path: String, to selection: inout Selection) {
        let target = Self.target(of: path)
        // error-audit: harmless, because a file that can't be inspected is listed when reading it fails
        let type = (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType
        if type == .typeRegular || type == nil {
            selection.files.insert(path)
        } else {
            selection.unread.append(Unread(path: path, reason: "it isn't a regular file"))
        }
    }

    private static func target(of path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }

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

    private func walk(_ folder: String, from start: Int, _ inherited: Ignores, _ selection: inout Selection) {
        var ignores = inherited
        Self.read(folder, into: &ignores)
        let names: [String]
        do {
            names = try list(folder)
        } catch {
            let reason = "the folder can't be read: \(error.localizedDescription)"
            selection.unread.append(Unread(path: folder, reason: reason))
            return
        }
        for name in names {
            let path = folder + "/" + name
            let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            if isFolder.boolValue {
                guard !name.hasPrefix(".build"), name != ".git", name != "Pods", name != "Carthage",
                    !ignores.ignores(path, isFolder: true)
                else { continue }
                if !isLink { walk(path, from: start, ignores, &selection) }
            } else {
                guard name.hasSuffix(".swift"), !ignores.ignores(path, isFolder: false) else { continue }
                if !configuration.includeTests, Self.isTest(path.dropFirst(start)) { continue }
                if !configuration.includeGenerated, Self.isGenerated(name) { continue }
                if !isLink { add(path, to: &selection) }
            }
            guard isLink else { continue }
            if exists {
                selection.links.append((path, Self.target(of: path)))
            } else {
                selection.unread.append(Unread(path: path, reason: "the target of the link doesn't exist"))
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
