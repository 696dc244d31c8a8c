import Foundation

/// The patterns of `.gitignore` files.
///
/// The last matching pattern determines whether a path is ignored.
struct Ignores {
    private struct Pattern {
        let glob: String
        /// The folder of the `.gitignore` file, with a trailing slash.
        let base: String
        let isNegated: Bool
        let isForFolders: Bool
        let isAnchored: Bool

        func matches(_ path: String, isFolder: Bool) -> Bool {
            guard !isForFolders || isFolder, path.hasPrefix(base) else { return false }
            let relative = String(path.dropFirst(base.count))
            guard isAnchored else {
                return fnmatch(glob, String(relative.split(separator: "/").last ?? ""), 0) == 0
            }
            // Omit FNM_PATHNAME for `**`, so that a star also matches slashes.
            return fnmatch(glob, relative, glob.contains("**") ? 0 : FNM_PATHNAME) == 0
        }
    }

    private var patterns: [Pattern] = []

    /// Adds the patterns in the lines of a `.gitignore` file, which apply to a folder.
    mutating func add(_ lines: some Sequence<some StringProtocol>, in folder: String) {
        for line in lines {
            var glob = line.trimmingCharacters(in: .whitespaces)
            guard !glob.isEmpty, !glob.hasPrefix("#") else { continue }
            let isNegated = glob.hasPrefix("!")
            if isNegated { glob.removeFirst() }
            let isForFolders = glob.hasSuffix("/")
            if isForFolders { glob.removeLast() }
            if glob.hasPrefix("**/"), !glob.dropFirst(3).contains("/") { glob.removeFirst(3) }
            let isAnchored = glob.contains("/")
            if glob.hasPrefix("/") { glob.removeFirst() }
            patterns.append(
                Pattern(
                    glob: glob, base: folder.hasSuffix("/") ? folder : folder + "/", isNegated: isNegated,
                    isForFolders: isForFolders, isAnchored: isAnchored))
        }
    }

    func ignores(_ path: String, isFolder: Bool) -> Bool {
        patterns.last { $0.matches(path, isFolder: isFolder) }.map { !$0.isNegated } ?? false
    }
}
