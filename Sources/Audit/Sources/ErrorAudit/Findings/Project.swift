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
    ///   - config: The path of the configuration. If it is nil, the configuration is the closest `.error-audit.json` in
    ///     the folders that contain the first path, up to the repository's folder.
    ///   - baseline: The path of the baseline; nil if there is none.
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

    /// Returns a path relative to the project's folder; if the folder isn't known, relative to the current folder.
    ///
    /// Different spellings of one path have the same result.
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

    /// Returns a path relative to the current folder if it is in that folder.
    static func shown(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }
}

extension String {
    /// The path without a trailing slash.
    fileprivate var trimmed: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
