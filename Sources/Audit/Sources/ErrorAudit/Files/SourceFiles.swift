import Foundation

/// Finds the Swift files to read.
struct SourceFiles {
    let configuration: Configuration
    /// The project's folder, if it is known.
    var root: String?
    /// Returns the names in a folder.
    var list: (_ folder: String) throws -> [String] = { try FileManager.default.contentsOfDirectory(atPath: $0) }

    /// The files to read and the paths that can't be read; all paths are absolute.
    struct Selection {
        fileprivate(set) var files: Set<String> = []
        fileprivate(set) var unread: [Unread] = []
        /// The given files that a rule excludes.
        fileprivate(set) var skipped: [String] = []
        /// The symbolic links in the folders, each with its target.
        fileprivate var links: [(path: String, target: String)] = []
    }

    /// The rules for one given path.
    private struct Rules {
        /// The folder that test paths and the configuration's patterns are relative to.
        let top: String
        var ignores = Ignores()
        var excludes = Ignores()

        func excludes(_ path: String, isFolder: Bool) -> Bool {
            let name = path.split(separator: "/").last ?? ""
            let isBuilt = isFolder && (name.hasPrefix(".build") || [".git", "Pods", "Carthage"].contains(name))
            return isBuilt || ignores.ignores(path, isFolder: isFolder) || excludes.ignores(path, isFolder: isFolder)
        }
    }

    /// Returns the Swift files at or under the given files and folders.
    ///
    /// - Throws: An ``Unread`` if a given path doesn't exist.
    func find(_ paths: [String]) throws(Unread) -> Selection {
        var all = Selection()
        var folders: [String] = []
        for (given, path) in zip(paths, paths.map(Project.absolute)) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw Unread(path: given, reason: "no such file or folder")
            }
            let folder = isFolder.boolValue ? path : Project.parent(of: path)
            var (rules, isExcluded) = rules(for: folder)
            var selection = Selection()
            if !isFolder.boolValue {
                read(folder, into: &rules)
                if isExcluded || !isSelected(path, rules) { all.skipped.append(path) } else { add(path, to: &all) }
                continue
            }
            if !isExcluded { walk(path, rules, &selection) }
            if selection.files.isEmpty, selection.unread.isEmpty, selection.links.isEmpty {
                selection.unread.append(Unread(path: path, reason: "there is no Swift file to read"))
            }
            all.files.formUnion(selection.files)
            all.unread += selection.unread
            all.links += selection.links
            folders.append(Self.target(of: path))
        }
        // Report only links that lead outside the given folders: the target of any other link is read anyway.
        for link in all.links where !folders.contains(where: { link.target == $0 || link.target.hasPrefix($0 + "/") }) {
            all.unread.append(
                Unread(path: link.path, reason: "links aren't followed; name the target, or exclude the link"))
        }
        return all
    }

    /// Returns the rules that a folder inherits from the folders around it, and whether these rules exclude it.
    private func rules(for folder: String) -> (rules: Rules, isExcluded: Bool) {
        var around: [String] = []
        var current = folder
        while current != "/", !FileManager.default.fileExists(atPath: current + "/.git") {
            current = Project.parent(of: current)
            around.append(current)
        }
        // Outside a repository, apply only rules from folders inside the project.
        if current == "/" {
            around = Array(around.prefix { folder in root.map { (folder + "/").hasPrefix($0 + "/") } ?? false })
        }
        let top = root.flatMap { folder == $0 || folder.hasPrefix($0 + "/") ? $0 : nil } ?? around.last ?? folder
        var rules = Rules(top: top)
        rules.excludes.add(configuration.exclude, in: top)
        var isExcluded = false
        for (parent, child) in zip(around.reversed(), around.reversed().dropFirst() + [folder]) {
            read(parent, into: &rules)
            isExcluded = isExcluded || rules.excludes(child, isFolder: true)
        }
        return (rules, isExcluded)
    }

    private func isSelected(_ path: String, _ rules: Rules) -> Bool {
        path.hasSuffix(".swift") && !rules.excludes(path, isFolder: false)
            && (configuration.includeTests || !Self.isTest(path.dropFirst(rules.top.count)))
            && (configuration.includeGenerated || !Self.isGenerated(path))
    }

    /// Adds a file unless it is a pipe or a device, because reading these might never finish.
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

    /// Adds the patterns of the `.gitignore` file in a folder.
    private func read(_ folder: String, into rules: inout Rules) {
        // error-audit: harmless, because most folders don't have this file, and without it, more files are read
        guard let data = FileManager.default.contents(atPath: Project.join(folder, ".gitignore")) else { return }
        rules.ignores.add(String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline), in: folder)
    }

    /// Adds the files in a folder and its subfolders.
    private func walk(_ folder: String, _ inherited: Rules, _ selection: inout Selection) {
        var rules = inherited
        read(folder, into: &rules)
        let names: [String]
        do { names = try list(folder) } catch {
            let reason = "the folder can't be read: \(error.localizedDescription)"
            selection.unread.append(Unread(path: folder, reason: reason))
            return
        }
        for name in names {
            let path = Project.join(folder, name)
            let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            if isFolder.boolValue {
                guard !rules.excludes(path, isFolder: true) else { continue }
                if !isLink { walk(path, rules, &selection) }
            } else {
                guard isSelected(path, rules) else { continue }
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

    /// Returns whether a path belongs to a test, such as `Tests/…`, `AppUITests/…`, or `…Tests.swift`.
    ///
    /// The singular doesn't count, because "SpeedTest" might be a product. The file's imports show whether such a file
    /// is a test.
    static func isTest(_ path: some StringProtocol) -> Bool {
        path.split(separator: "/").contains { part in
            let name = part.hasSuffix(".swift") ? part.dropLast(6) : part
            return name.hasSuffix("Tests") || name.lowercased() == "tests"
        }
    }

    static func isGenerated(_ name: String) -> Bool {
        [".pb.swift", ".grpc.swift", ".generated.swift"].contains { name.hasSuffix($0) }
    }
}
