import Foundation

/// A project's configuration file, and the folder that its paths are relative to.
public struct Project: Sendable {
    /// The configuration file.
    public private(set) var configuration: String?
    /// The folder of the first of these that exists: the configuration, the baseline, the repository.
    public private(set) var root: String?

    /// Finds a project.
    ///
    /// - Parameters:
    ///   - config: The configuration, if it is given. Otherwise it is the closest `.error-audit.json` in a folder
    ///     around the first path, up to the repository's folder.
    ///   - baseline: The baseline, if there is one.
    ///   - paths: The paths to audit.
    public init(config: String?, baseline: String?, paths: [String]) {
        configuration = config
        var folder = Self.absolute(paths.first ?? ".")
        var repository: String?
        while configuration == nil, repository == nil {
            let standard = Self.join(folder, ".error-audit.json")
            if FileManager.default.fileExists(atPath: standard) { configuration = standard }
            if FileManager.default.fileExists(atPath: Self.join(folder, ".git")) { repository = folder }
            guard folder != "/" else { break }
            folder = Self.parent(of: folder)
        }
        root = (configuration ?? baseline).map { Self.parent(of: Self.absolute($0)) } ?? repository
    }

    /// Returns a path relative to the project's folder, or else to the current one; it is the same for each spelling.
    public func relative(_ path: String) -> String {
        func parts(_ path: String) -> [String] {
            URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL.pathComponents
        }
        let (own, base) = (parts(path), parts(root ?? "."))
        let common = zip(own, base).prefix { $0 == $1 }.count
        return ((common..<base.count).map { _ in ".." } + own[common...]).joined(separator: "/")
    }

    static func absolute(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path.trimmed }

    static func parent(of path: String) -> String { URL(filePath: path).deletingLastPathComponent().path.trimmed }

    static func join(_ folder: String, _ name: String) -> String { folder == "/" ? "/" + name : folder + "/" + name }

    /// Returns the path as a reader in the current folder writes it.
    static func shown(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}

extension String {
    /// The path without a slash at its end.
    fileprivate var trimmed: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
